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
  std::string expected_revision_id{};  // "NO_POLICY": there must not be one
  bool may_lock_out =
      false;  // ConfirmRemoveSelfResourceAccess: allows a policy that the caller could not change again
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
  std::string revision_id{};  // of the deleted policy; empty if there was none
};

}  // namespace tavola
