// The sender of a signed request, and what their key may do.
#pragma once

#include <optional>

#include "access/identity/signature.h"
#include "access/permissions/policy_guard.h"
#include "access/permissions/restricted_database.h"
#include "base/clock.h"
#include "database/server_identity.h"
#include "design/roles/access.h"
#include "http/message.h"

namespace tavola::access {

// Returns whether the key may not do everything.
bool is_limited(const Sender& sender);

// Returns the person that the key stands for; nothing if roles do not limit the key.
std::optional<design::Identity> person_of(const Sender& sender);

// Borrows the sender. Policies and roles are for the caller to add.
Permissions permissions_of(const Sender& sender, const ServerIdentity& server);

// How a request came.
struct Arrival {
  WallTime now{};
  bool uses_tls = false;                        // on TCP
  const SignatureVerifier* verifier = nullptr;  // null: nobody's key is known
};
Visit visit_of(const Sender& sender, const http::Request& request, const Arrival& arrival);

}  // namespace tavola::access
