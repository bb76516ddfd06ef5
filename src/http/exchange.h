// One request and its answer. A connection has some of them and uses them again and again, with their memory.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http/bytes/byte_budget.h"
#include "http/bytes/compression.h"
#include "http/message.h"
#include "http/request_parser.h"
#include "http/response_head.h"

namespace tavola::http {

class Connection;
struct Client;
struct Shared;

// Thread safety: none, but ownership moves: while the state is Handling it belongs to the Reply, on any thread; before
// and after that to its connection, on the connection's thread.
class Exchange final : public ReplyTarget {
 public:
  // Takes memory from the budgets of the server and of the connection's client.
  Exchange(Connection& connection, Shared& shared);

  Connection& connection() const { return connection_; }
  const Client& client() const;

  enum class State : std::uint8_t { Reading, Handling, Answered };

  // ---- The request ----

  void take_head(std::string_view bytes, const RequestHead& head, std::string_view peer);
  bool is_compressed() const { return !content_encoding_.empty(); }
  // The body is whole: `request` shows it as it was sent.
  void take_body();
  // Undoes the compression of the body, which `request` shows then.
  Decompressed decode_body(std::size_t bytes_max);
  // Has the request answered, by the handler or by a refusal. On any thread; the exchange may be gone when it returns.
  void handle(Shared& shared);

  // ---- The answer ----

  // On any thread, which may be one that everybody waits for: the work on the answer is left to the connection's. They
  // take no memory, so they cannot fail.
  void reply(Response response) override;
  void dropped() override;

  // The text to send, made of a response.
  void seal_answer(Response&& response);
  // Gives the memory of the request back and pays for that of the answer. False, and nothing is paid, when the answer is
  // large and the budget has no room for it.
  [[nodiscard]] bool pay_for_answer();

  // Ready for the next request. Keeps memory that is not much.
  void reset();

  State state = State::Reading;
  Exchange* next = nullptr;  // in the connection's order of requests, or in its list of unused ones
  Exchange* next_handed =
      nullptr;  // in the pool's list of requests, then in the worker's of answers from other threads
  std::chrono::steady_clock::time_point given_at{};  // when the pool got it

  Request request;
  std::string body;  // as sent
  BudgetShare share;
  BudgetShare unverified_share;  // the body, as long as nobody has verified who sent it
  AnswerForm form;
  bool keep_alive = true;
  bool owes_continue = false;  // the client waits for "100 Continue"
  bool is_refused = false;     // the answer is a refusal by the server itself

  std::optional<Response> response;  // of the handler; none when it dropped its Reply
  std::string answer_head;
  std::string answer_body;
  std::size_t answer_bytes() const { return answer_head.size() + answer_body.size(); }

 private:
  // Decompressing costs memory and time: a body whose sender is not known is refused before.
  std::optional<Response> refuse_payload(const Shared& shared) const;
  // The body of a GET means nothing (RFC 9110 9.3.1), so it stays as it is.
  bool must_decode() const { return is_compressed() && request.method != "GET" && request.method != "HEAD"; }
  void release_request();

  Connection& connection_;
  std::string head_;
  std::vector<Header> headers_;
  std::string decoded_;
  Piece content_encoding_;
};

}  // namespace tavola::http
