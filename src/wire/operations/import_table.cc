#include "wire/codec/export_shapes.h"
#include "wire/codec/operations.h"
#include "wire/codec/shapes.h"
#include "wire/codec/table_shapes.h"

namespace tavola::wire {

Result<std::string> import_table(const Call& call) {
  Problems problems;
  const Fields in(call.body, problems);
  const ImportTableRequest request = read_import(in);
  TAVOLA_CHECK(problems.check());
  if (const auto table = in.structure("TableCreationParameters", "TableCreationParameters")) {
    TAVOLA_CHECK(refuse_encryption(*table));
  }
  if (const auto source = in.structure("S3BucketSource", "S3BucketSource")) {
    TAVOLA_CHECK(refuse_other_owner(*source, call.server));
  }
  const Result<ImportTableResponse> response = call.database.import_table(request);
  if (!response) return fail(job_error(call.server, response.error()));
  return import_response(response->description, call.server);
}

}  // namespace tavola::wire
