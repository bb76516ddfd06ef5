#include "http/exchange.h"

#include <algorithm>
#include <utility>

#include "http/client.h"

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

// A streamed answer is read and sent in pieces of this size.
constexpr std::size_t kAnswerPieceBytes = std::size_t{256} * 1024;

// A response of a write is never replaced by a refusal: DynamoDB's items have at most 400 KB.
constexpr std::size_t kSureAnswerBytes = std::size_t{1} << 20U;

// "http://host/path" requests "/path" from the server "host" (RFC 9112 3.2.2).
struct Target {
  std::string_view authority = {};
  std::string_view path_and_query;
};
Target split(std::string_view target) {
  const std::size_t scheme = target.find("://");
  if (target.starts_with('/') || scheme == std::string_view::npos) return {.path_and_query = target};
  const std::string_view rest = target.substr(scheme + 3);
  const std::size_t path = std::min(rest.find_first_of("/?"), rest.size());
  return {rest.substr(0, path), path == rest.size() ? "/" : rest.substr(path)};
}

}  // namespace

Exchange::Exchange(ExchangeOwner& owner, Client& client, ByteBudget& budget, ByteBudget& unverified)
    : share(budget, client.budget),
      unverified_share(unverified, client.unverified),
      owner_(owner),
      client_(client) {}

void Exchange::take_head(std::string_view bytes, const RequestHead& head, std::string_view peer) {
  head_.assign(bytes.substr(0, head.size_bytes));
  headers_.clear();
  for (const RequestHead::Field& field : head.fields)
    headers_.push_back({field.name.of(head_), field.value.of(head_)});
  const auto [authority, target] = split(head.target.of(head_));
  const std::size_t question = target.find('?');
  request.method = head.method.of(head_);
  request.authority = authority;
  request.path = target.substr(0, question);
  request.query = question == std::string_view::npos ? std::string_view() : target.substr(question + 1);
  request.headers = headers_;
  request.peer = peer;
  keep_alive = head.keep_alive;
  content_encoding_ = head.content_encoding;
  form = {.head_only = request.method == "HEAD", .accept_encoding = head.accept_encoding.of(head_)};
}

void Exchange::take_body() {
  request.payload = body;
  request.body = body;
  request.sink = sink.get();
}

Decompressed Exchange::decode_body(std::size_t bytes_max) {
  if (!must_decode()) return Decompressed::Done;
  const Coding coding = content_coding(content_encoding_.of(head_));
  if (coding == Coding::Identity) return Decompressed::Done;
  if (coding == Coding::Unknown) return Decompressed::Corrupt;
  const Decompressed done = decompress(body, decoded_, bytes_max, share);
  if (done == Decompressed::Done) request.body = decoded_;
  return done;
}

void Exchange::reply(Response given) {
  response = std::move(given);
  owner_.hand_over(*this);
}

void Exchange::dropped() { owner_.hand_over(*this); }

void Exchange::seal_answer(Response&& given) {
  seal(given, form, answer_head);
  answer_body = std::move(given.body);
  source_ = std::move(given.source);
  source_left_ = source_ == nullptr ? 0 : source_->size_bytes();
  if (source_ != nullptr) answer_body.clear();
  answer_bytes_ = answer_head.size() + answer_body.size() +
                  static_cast<std::size_t>(std::min<std::uint64_t>(source_left_, kAnswerPieceBytes));
}

bool Exchange::fill_answer() {
  if (source_left_ == 0) return true;
  const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(source_left_, kAnswerPieceBytes));
  answer_body.resize(size);
  source_left_ -= size;
  return source_->read(answer_body);
}

bool Exchange::pay_for_answer() {
  release_request();
  const std::size_t bytes = answer_bytes();
  if (bytes <= kKeptBytes) return true;  // kept by the exchange; counting it would cost more than it is worth
  if (share.grow_to(bytes)) return true;
  if (bytes > kSureAnswerBytes) return false;
  share.charge_to(bytes);
  return true;
}

void Exchange::release_request() {
  request = {};
  recycle(body);
  recycle(decoded_);
  sink.reset();
  share.release();
  unverified_share.release();
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
  received_bytes = 0;
  is_cut = false;
  source_.reset();
  source_left_ = 0;
  answer_bytes_ = 0;
  head_is_sent = false;
  keep_alive = true;
  owes_continue = false;
  is_refused = false;
  begun_at = {};
  content_encoding_ = {};
}

}  // namespace tavola::http
