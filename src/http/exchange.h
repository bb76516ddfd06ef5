// One request and its response. A connection reuses its exchanges with their memory.
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

class Exchange;
struct Client;

// The connection of an exchange.
class ExchangeOwner {
 public:
  virtual ~ExchangeOwner() = default;
  virtual void hand_over(Exchange& exchange) = 0;  // a response, from any thread
  virtual void answered(Exchange& exchange) = 0;   // a response, on the owner's thread
};

// Thread safety: none, but ownership moves: while the state is Handling it belongs to the Reply, on any thread; before
// and after that to its connection, on the connection's thread.
class Exchange final : public ReplyTarget {
 public:
  // Takes memory from the budgets of the server, and from those of the owner's client.
  Exchange(ExchangeOwner& owner, Client& client, ByteBudget& budget, ByteBudget& unverified);

  ExchangeOwner& owner() const { return owner_; }
  const Client& client() const { return client_; }

  enum class State : std::uint8_t { Reading, Handling, Answered };

  // ---- The request ----

  void take_head(std::string_view bytes, const RequestHead& head, std::string_view peer);
  bool is_compressed() const { return !content_encoding_.empty(); }
  // The body of a GET has no meaning (RFC 9110 9.3.1), so it is not decompressed.
  bool must_decode() const {
    return is_compressed() && sink == nullptr && request.method != "GET" && request.method != "HEAD";
  }
  // Called when the body is complete: `request` shows it as sent.
  void take_body();
  // Decompresses the body, which `request` shows then.
  Decompressed decode_body(std::size_t bytes_max);

  // ---- The answer ----

  // May be called on any thread, possibly one that everybody waits for: the work on the response is left to the
  // connection's. These allocate no memory, so they cannot fail.
  void reply(Response response) override;
  void dropped() override;

  // Makes the text to send from a response.
  void seal_answer(Response&& response);
  // Releases the memory of the request and pays for that of the response. Returns false, and pays nothing, if the
  // response is large and the budget has no room for it.
  [[nodiscard]] bool pay_for_answer();

  // Puts the bytes of the answer that are sent next into answer_body. Returns false if they cannot be read.
  [[nodiscard]] bool fill_answer();
  // Returns whether more bytes follow those in answer_body.
  bool has_more() const { return source_left_ > 0; }

  // Prepares for the next request. Keeps small buffers.
  void reset();

  State state = State::Reading;
  Exchange* next = nullptr;  // in the connection's order of requests, or in its list of unused ones
  Exchange* next_handed =
      nullptr;  // in the pool's list of requests, then in the worker's list of responses from other threads
  std::chrono::steady_clock::time_point given_at{};  // when the pool got it
  std::chrono::steady_clock::time_point begun_at{};  // when its head was read; only if answers are logged

  Request request;
  std::string body;                  // as sent
  std::unique_ptr<BodySink> sink;    // takes the body in place of `body`
  std::uint64_t received_bytes = 0;  // of the body
  bool is_cut = false;               // the sink did not want the rest of the body
  BudgetShare share;
  BudgetShare unverified_share;  // the body, until its sender is verified
  AnswerForm form;
  bool keep_alive = true;
  bool owes_continue = false;  // the client waits for "100 Continue"
  bool is_refused = false;     // the answer is a refusal by the server itself

  std::optional<Response> response;  // from the handler; nullopt if it dropped its Reply
  std::string answer_head;
  std::string answer_body;
  bool head_is_sent = false;  // and the rest of the body follows
  // The memory that the answer holds: of one that is streamed, the pieces.
  std::size_t answer_bytes() const { return answer_bytes_; }

 private:
  void release_request();

  ExchangeOwner& owner_;
  Client& client_;
  std::string head_;
  std::vector<Header> headers_;
  std::string decoded_;
  std::shared_ptr<BodySource> source_;
  std::uint64_t source_left_ = 0;
  std::size_t answer_bytes_ = 0;
  Piece content_encoding_;
};

}  // namespace tavola::http
