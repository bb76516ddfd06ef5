// The web console's server: its pages, and what they ask for.
//
//   GET  /                  the pages; every view has a URL. GET /assets/… their files
//   GET  /session           what is served, what this browser may do, and the page's token
//   POST /login             {"accessKeyId": …, "secretAccessKey": …} begins a session, if the server has credentials; POST /logout ends it
//   POST /db                an operation of DynamoDB, as at the database's own port, without a signature
//   *    /v1/…              patterns and operations of designs, as there
//   *    /console/…         the console's own addresses (route.h)
//
// A request that is not a GET carries the page's token in X-Page-Token: only a page of this server can read it. The server of the console
// has checked Host and Origin before (http/web_guard.h), and the cookie of a session is SameSite=Strict: each of the three would do.
// While the console is read-only its senders are as if their keys were, so that the layers of the database refuse every write, too.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "access/identity/sessions.h"
#include "access/identity/signature.h"
#include "base/clock.h"
#include "base/random.h"
#include "http/message.h"
#include "http/pages/assets.h"
#include "server/console/backend.h"
#include "server/console/route.h"
#include "server/v1/served_designs.h"
#include "store/store.h"

namespace tavola::server {

enum class ConsoleMode : std::uint8_t { Write, ReadOnly };

// Thread safety: all methods.
class Console {
 public:
  struct Parts {
    Backend& backend;
    store::Store& store;  // answers of routes leave when what it holds is durable
    std::span<const http::Asset> assets = {};
    const access::SignatureVerifier* verifier = nullptr;  // null: nobody logs in, everybody may do everything
    const ServedDesigns* designs = nullptr;               // null: none are served
    std::vector<Route> routes = {};
    ConsoleMode mode = ConsoleMode::Write;
    std::string cookie = "tavola-console";  // cookies are not separated by port, so it names the port
    bool is_secure = false;                 // over TLS
    std::string region = {};
    std::string endpoint = {};  // where applications reach the database
    std::string upstream = {};  // the server that has the data; empty: this one
    const Clock& clock = Clock::system();
    Random& random = Random::system();
  };
  explicit Console(Parts parts);

  void answer(const http::Request& request, http::Reply reply);
  // Refuses a request with a body from somebody who is not logged in, before the body is read. Always nullopt if nobody logs in.
  std::optional<http::Response> refuse_head(const http::Request& request);
  // Has the routes answer every Reply that they keep.
  void close();
  // Returns whether the answer to a request may wait for the database.
  static bool may_take_long(const http::Request& request);

 private:
  // The sender of a request: a session, or anybody if nobody logs in.
  struct Person {
    const access::AccessKey* key;  // null: nobody logs in
    std::string page_token;
  };
  std::optional<Person> person_of(const http::Request& request);
  http::Response page(const http::Request& request) const;
  http::Response session_page(const std::optional<Person>& person) const;
  http::Response log_in(const http::Request& request);
  http::Response log_out(const http::Request& request);
  // Returns why the request is refused before anybody looks at what it asks for; nullopt if it is not.
  std::optional<http::Response> refuse(const http::Request& request,
                                       const std::optional<Person>& person) const;
  void answer_known(const Person& person, const http::Request& request, http::Reply reply);
  void answer_route(const Route& route, const Person& person, const http::Request& request,
                    http::Reply reply);
  const Route* find_route(std::string_view path) const;
  std::string cookie(std::string_view id, std::string_view age) const;
  // Calls `use` with the sender that the layers of the database see.
  void as_sender(const Person& person, const std::function<void(const access::Sender&)>& use) const;
  bool is_read_only(const Person& person) const;

  Parts parts_;
  access::Sessions sessions_;
  access::AttemptLimit attempts_;
  const std::string token_;  // of every page, if nobody logs in
};

}  // namespace tavola::server
