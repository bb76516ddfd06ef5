#include "wire/codec/export_shapes.h"
#include "wire/codec/operations.h"
#include "wire/codec/shapes.h"

namespace tavola::wire {

Result<std::string> export_table_to_point_in_time(const Call& call) {
  Problems problems;
  const Fields in(call.body, problems);
  const ExportTableRequest request = read_export(in);
  TAVOLA_CHECK(problems.check());
  TAVOLA_CHECK(refuse(in, {"FilterSpecification"}));
  TAVOLA_CHECK(refuse_kms(in));
  TAVOLA_CHECK(refuse_other_owner(in, call.server));
  const Result<ExportTableResponse> response = call.database.export_table(request);
  if (!response) return fail(job_error(call.server, response.error()));
  return export_response(response->description, call.server);
}

}  // namespace tavola::wire
