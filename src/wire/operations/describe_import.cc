#include "wire/codec/export_shapes.h"
#include "wire/codec/operations.h"

namespace tavola::wire {

Result<std::string> describe_import(const Call& call) {
  Problems problems;
  const Fields in(call.body, problems);
  const DescribeImportRequest request{.import_name = read_job_arn(in, "ImportArn", "import")};
  TAVOLA_CHECK(problems.check());
  const Result<DescribeImportResponse> response = call.database.describe_import(request);
  if (!response) return fail(job_error(call.server, response.error()));
  return import_response(response->description, call.server);
}

}  // namespace tavola::wire
