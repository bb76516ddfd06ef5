#include "wire/codec/export_shapes.h"
#include "wire/codec/operations.h"

namespace tavola::wire {

Result<std::string> describe_export(const Call& call) {
  Problems problems;
  const Fields in(call.body, problems);
  const DescribeExportRequest request{.export_name = read_job_arn(in, "ExportArn", "export")};
  TAVOLA_CHECK(problems.check());
  const Result<DescribeExportResponse> response = call.database.describe_export(request);
  if (!response) return fail(job_error(call.server, response.error()));
  return export_response(response->description, call.server);
}

}  // namespace tavola::wire
