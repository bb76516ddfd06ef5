#include "json/writer.h"
#include "wire/codec/operations.h"
#include "wire/codec/policy_shapes.h"

namespace tavola::wire {

Result<std::string> get_resource_policy(const Call& call) {
  Problems problems;
  const Fields in(call.body, problems);
  GetResourcePolicyRequest request;
  TAVOLA_TRY(request.resource, read_policy_resource(in));
  const Result<GetResourcePolicyResponse> response = call.database.get_resource_policy(request);
  if (!response) return fail(policy_error(in, request.resource, response.error()));
  std::string out;
  json::Writer json(out);
  json.begin_object();
  json.name("Policy").text(response->policy);
  json.name("RevisionId").text(response->revision_id);
  json.end_object();
  return out;
}

}  // namespace tavola::wire
