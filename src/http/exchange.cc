#include "http/exchange.h"

#include <utility>

#include "http/connection.h"

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

// An answer that a write may have is not taken back: DynamoDB's items have at most 400 KB.
constexpr std::size_t kSureAnswerBytes = std::size_t{1} << 20U;

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

Decompressed Exchange::decode_body(std::size_t bytes_max) {
  request.payload = body;
  request.body = body;
  if (content_encoding_.empty()) return Decompressed::Done;
  const Coding coding = content_coding(content_encoding_.of(head_));
  if (coding == Coding::Identity) return Decompressed::Done;
  if (coding == Coding::Unknown) return Decompressed::Corrupt;
  const Decompressed done = decompress(body, decoded_, bytes_max, share);
  if (done == Decompressed::Done) request.body = decoded_;
  return done;
}

void Exchange::reply(Response given) {
  response = std::move(given);
  connection_.hand_over(*this);
}

void Exchange::dropped() { connection_.hand_over(*this); }

void Exchange::seal_answer(Response&& given) {
  seal(given, form, answer_head);
  answer_body = std::move(given.body);
}

bool Exchange::pay_for_answer() {
  release_request();
  const std::size_t bytes = answer_bytes();
  if (bytes <= kKeptBytes) return true;  // of an exchange; counting it would cost more than it is worth
  if (share.grow_to(bytes)) return true;
  if (bytes > kSureAnswerBytes) return false;
  share.charge_to(bytes);
  return true;
}

void Exchange::release_request() {
  request = {};
  recycle(body);
  recycle(decoded_);
  share.release();
}

void Exchange::reset() {
  release_request();
  form = {};
  response.reset();
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
