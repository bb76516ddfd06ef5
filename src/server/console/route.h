// The console's own addresses. Each feature has a file with a function that returns its routes; console/console.cc looks a path up.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include <tavola/database.h>

#include "access/identity/signature.h"
#include "http/message.h"

namespace tavola::server {

// Pages about the whole server refuse a limited key with 403.
enum class Standing : std::uint8_t { Unlimited, Limited };

// A request of a page, with what its sender may do. Valid until the function that got it returns.
struct Visit {
  const http::Request& request;
  Database&
      database;  // the stack of layers as the sender may use it: their key's permissions and roles decide
  const access::Sender* sender;  // null: the server asks nobody for credentials
  Standing standing;
};

// A route that changes something is refused with 403 while the console is read-only.
enum class Effect : std::uint8_t { Reads, Changes };

struct Route {
  std::string path;  // "/console/history": this path and all paths below it
  std::function<Effect(const http::Request&)> effect;
  // An event stream keeps the Reply.
  std::function<void(const Visit&, http::Reply)> answer;
  std::string feature = {};  // GET /session lists it while this route is there; empty: none
  std::function<void()> close =
      {};  // answers every Reply that the route keeps, when the server stops; empty: it keeps none
};

// The effect of a route that changes nothing.
inline Effect always_reads(const http::Request&) { return Effect::Reads; }
// The effect of a route whose GET reads, and which changes something otherwise.
inline Effect changes_unless_get(const http::Request& request) {
  return request.method == "GET" || request.method == "HEAD" ? Effect::Reads : Effect::Changes;
}

// Returns the text of a parameter, as it was sent; empty if it is missing.
inline std::string_view parameter(std::string_view query, std::string_view name) {
  while (!query.empty()) {
    const std::string_view one = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(query.size(), one.size() + 1));
    if (one.starts_with(name) && one.substr(name.size()).starts_with('=')) return one.substr(name.size() + 1);
  }
  return {};
}
// Returns whether a page asks for the values that designs mark as sensitive.
inline bool asks_for_sensitive(const http::Request& request) {
  return parameter(request.query, "sensitive") == "shown";
}

// Returns the answer function of a route that answers at once.
inline std::function<void(const Visit&, http::Reply)> at_once(
    std::function<http::Response(const Visit&)> answer) {
  return [answer = std::move(answer)](const Visit& visit, http::Reply reply) { reply(answer(visit)); };
}

}  // namespace tavola::server
