// The policy of a table or of its stream: who may do what with it, as JSON in AWS's policy language. The server evaluates it
// when it verifies credentials (docs/POLICIES.md).
#pragma once

#include <string>

#include <tavola/requests.h>

namespace tavola {

// A resource is a table's name or a stream's (streams.h).
struct PutResourcePolicyRequest {
  std::string resource{};
  std::string policy{};
  std::string expected_revision_id{};  // "NO_POLICY": there must be none
  bool may_lock_out =
      false;  // ConfirmRemoveSelfResourceAccess: also when the caller could not change it again
};
struct PutResourcePolicyResponse {
  std::string revision_id{};
};

struct GetResourcePolicyRequest {
  std::string resource{};
};
struct GetResourcePolicyResponse {
  std::string policy{};
  std::string revision_id{};
};

struct DeleteResourcePolicyRequest {
  std::string resource{};
  std::string expected_revision_id{};
};
struct DeleteResourcePolicyResponse {
  std::string revision_id{};  // of the policy that was deleted; empty when there was none
};

}  // namespace tavola
