#include "http/exchange.h"

#include <exception>
#include <utility>

#include "http/compression.h"
#include "http/connection.h"
#include "http/server.h"

namespace tavola::http {
namespace {

// More than this is not kept for the next request.
constexpr std::size_t kKeptBytes = std::size_t{16} * 1024;

void recycle(std::string& text) {
  if (text.capacity() > kKeptBytes) {
    std::string().swap(text);
  } else {
    text.clear();
  }
}

// What DynamoDB answers to a body that does not decompress: as if it were its own fault.
constexpr Refusal kUndecodable = {500, "InternalServerError", "The body does not have its Content-Encoding."};
constexpr Refusal kTooLarge = {413, "RequestEntityTooLargeException", "The request is larger than 16 MB."};
constexpr Refusal kOverloaded = {503, "ServiceUnavailableException",
                                 "The server holds too many requests; try again."};
constexpr Refusal kNoAnswer = {500, "InternalServerError", "The request has failed for an unknown reason."};

// "http://host/path" asks for "/path" (RFC 9112 3.2.2).
std::string_view origin_form(std::string_view target) {
  const std::size_t scheme = target.find("://");
  if (target.starts_with('/') || scheme == std::string_view::npos) return target;
  const std::size_t path = target.find_first_of("/?", scheme + 3);
  return path == std::string_view::npos ? "/" : target.substr(path);
}

}  // namespace

void Exchange::take_head(std::string_view bytes, const RequestHead& head, std::string_view peer) {
  head_.assign(bytes.substr(0, head.size_bytes));
  headers_.clear();
  for (const RequestHead::Field& field : head.fields)
    headers_.push_back({field.name.of(head_), field.value.of(head_)});
  const std::string_view target = origin_form(head.target.of(head_));
  const std::size_t question = target.find('?');
  request.method = head.method.of(head_);
  request.path = target.substr(0, question);
  request.query = question == std::string_view::npos ? std::string_view() : target.substr(question + 1);
  request.headers = headers_;
  request.peer = peer;
  keep_alive = head.keep_alive;
  content_encoding_ = head.content_encoding;
  form = {.head_only = request.method == "HEAD",
          .cross_origin = !head.origin.empty(),
          .accept_encoding = head.accept_encoding.of(head_)};
}

const Refusal* Exchange::decode_body(std::size_t bytes_max) {
  request.payload = body;
  request.body = body;
  if (content_encoding_.empty()) return nullptr;
  const Coding coding = content_coding(content_encoding_.of(head_));
  if (coding == Coding::Identity) return nullptr;
  if (coding == Coding::Unknown) return &kUndecodable;
  switch (decompress(body, decoded_, bytes_max, share)) {
    case Decompressed::Done:
      request.body = decoded_;
      return nullptr;
    case Decompressed::Corrupt:
      return &kUndecodable;
    case Decompressed::TooLarge:
      return &kTooLarge;
    case Decompressed::OverBudget:
      return &kOverloaded;
  }
  return &kUndecodable;
}

void Exchange::reply(Response response) {
  try {
    seal_answer(std::move(response));
  } catch (const std::exception&) {
    answer_head.clear();  // without memory for an answer the connection is closed
  }
  connection_.hand_over(*this);
}

void Exchange::dropped() { reply(connection_.refusal(kNoAnswer)); }

void Exchange::seal_answer(Response&& response) {
  seal(response, form, answer_head);
  answer_body = std::move(response.body);
  release_request();
}

void Exchange::release_request() {
  request = {};
  form = {};
  recycle(body);
  recycle(decoded_);
  share.release();
}

void Exchange::reset() {
  release_request();
  recycle(head_);
  recycle(answer_head);
  std::string().swap(answer_body);
  state = State::Reading;
  next = nullptr;
  next_handed = nullptr;
  keep_alive = true;
  owes_continue = false;
  content_encoding_ = {};
}

}  // namespace tavola::http
