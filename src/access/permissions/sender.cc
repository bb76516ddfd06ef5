#include "access/permissions/sender.h"

#include <string>
#include <string_view>

#include "http/client.h"

namespace tavola::access {
namespace {

// Returns "127.0.0.1:51234" or "[::1]:51234" without the port and the brackets.
std::string address_in(std::string_view peer) {
  std::string_view address = http::address_of(peer);
  if (address.starts_with('[') && address.ends_with(']')) address = address.substr(1, address.size() - 2);
  return std::string(address);
}

}  // namespace

bool is_limited(const Sender& sender) {
  return sender.key != nullptr &&
         (sender.key->read_only || !sender.key->tables.empty() || sender.key->stands_for_somebody());
}

std::optional<design::Identity> person_of(const Sender& sender) {
  if (sender.key == nullptr || !sender.key->stands_for_somebody()) return std::nullopt;
  return design::Identity{.sub = sender.key->sub, .groups = sender.key->groups};
}

Permissions permissions_of(const Sender& sender, const ServerIdentity& server) {
  return Permissions{.user = "arn:aws:iam::" + server.account + ":user/" + sender.access_key,
                     .may_write = sender.may_write(),
                     .may_use = [&sender](std::string_view table) { return sender.may_use(table); },
                     .may_use_every_table = sender.key == nullptr || sender.key->tables.empty()};
}

Visit visit_of(const Sender& sender, const http::Request& request, const Arrival& arrival) {
  const bool is_local = request.peer == "unix";
  return {.user_name = sender.access_key,
          .address = is_local ? std::string() : address_in(request.peer),
          .is_encrypted = arrival.uses_tls && !is_local,
          .now = arrival.now,
          .knows_user = [verifier = arrival.verifier](std::string_view user) {
            return verifier != nullptr && verifier->credentials().find(user) != nullptr;
          }};
}

}  // namespace tavola::access
