#include "wire/codec/operations.h"
#include "wire/codec/policy_shapes.h"

namespace tavola::wire {

Result<std::string> put_resource_policy(const Call& call) {
  Problems problems;
  const Fields in(call.body, problems);
  PutResourcePolicyRequest request;
  request.policy = in.text("Policy", Presence::Required).value_or(std::string());
  request.expected_revision_id = read_expected_revision(in);
  request.may_lock_out = in.boolean("ConfirmRemoveSelfResourceAccess").value_or(false);
  TAVOLA_TRY(request.resource, read_policy_resource(in));
  const Result<PutResourcePolicyResponse> response = call.database.put_resource_policy(request);
  if (!response) return fail(policy_error(in, request.resource, response.error()));
  return write_revision(response->revision_id);
}

}  // namespace tavola::wire
