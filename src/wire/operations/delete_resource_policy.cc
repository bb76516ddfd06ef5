#include "wire/codec/operations.h"
#include "wire/codec/policy_shapes.h"

namespace tavola::wire {

Result<std::string> delete_resource_policy(const Call& call) {
  Problems problems;
  const Fields in(call.body, problems);
  DeleteResourcePolicyRequest request;
  request.expected_revision_id = read_expected_revision(in);
  TAVOLA_TRY(request.resource, read_policy_resource(in));
  const Result<DeleteResourcePolicyResponse> response = call.database.delete_resource_policy(request);
  if (!response) return fail(policy_error(in, request.resource, response.error()));
  return write_revision(response->revision_id);
}

}  // namespace tavola::wire
