// Beast asserts lengths that short input does not have (a last chunk in three pieces); without the assertion it
// correctly waits for more.
#define BOOST_DISABLE_ASSERTS

#include "http/request_parser.h"

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>
#include <utility>

#include "base/ascii.h"
#include "base/assert.h"

namespace tavola::http {
namespace {

namespace beast = boost::beast;
using BeastError = beast::error_code;
using Verb = beast::http::verb;
using Field = beast::http::field;

constexpr Refusal kMalformed = {400, "MalformedHttpRequestException", "The request is not valid HTTP."};
constexpr Refusal kTooManyFields = {431, "MalformedHttpRequestException",
                                    "The request has too many headers."};
constexpr Refusal kHeadTooLarge = {431, "MalformedHttpRequestException",
                                   "The headers of the request are too large."};
constexpr Refusal kFolded = {400, "MalformedHttpRequestException", "A header is folded over lines."};
constexpr Refusal kLength = {400, "MalformedHttpRequestException",
                             "The request must have one Content-Length, of digits."};
constexpr Refusal kTransferEncoding = {501, "MalformedHttpRequestException",
                                       "The only Transfer-Encoding is chunked, once, in HTTP/1.1."};
constexpr Refusal kHost = {400, "MalformedHttpRequestException",
                           "HTTP/1.1 requires exactly one Host header."};
constexpr Refusal kExpectation = {417, "MalformedHttpRequestException",
                                  "The only expectation is 100-continue."};
constexpr Refusal kVersion = {505, "MalformedHttpRequestException", "The server speaks HTTP/1.1."};
constexpr Refusal kTunnel = {501, "MalformedHttpRequestException", "The server is not a proxy."};

std::string_view view(beast::string_view text) { return {text.data(), text.size()}; }

}  // namespace

// Beast calls back for every part it recognises; `base_` is the start of the bytes of this call.
class RequestParser::Impl {
 public:
  explicit Impl(const Limits& limits) : limits_(limits) { reset(); }

  void reset() {
    std::vector<RequestHead::Field> fields = std::move(head_.fields);
    fields.clear();
    head_ = RequestHead();
    head_.fields = std::move(fields);  // with its memory
    taken_ = 0;
    hosts_ = 0;
    lengths_ = 0;
    in_trailer_ = false;
    body_ = nullptr;
    parser_.emplace(*this);
    // Beast counts per call, this class per request.
    parser().header_limit(static_cast<std::uint32_t>(limits_.head_bytes) + 1);
    parser().body_limit(boost::none);
  }

  Parsed parse_head(std::string_view bytes) {
    base_ = bytes;
    while (!parser().is_header_done()) {
      BeastError error;
      taken_ += parser().put(boost::asio::buffer(bytes.substr(taken_)), error);
      if (error == beast::http::error::need_more) {
        return bytes.size() > limits_.head_bytes ? refuse(kHeadTooLarge) : Parsed::NeedMore;
      }
      if (error) return refuse(error);
    }
    head_.size_bytes = taken_;
    if (head_.size_bytes > limits_.head_bytes) return refuse(kHeadTooLarge);
    return finish_head();
  }

  Parsed parse_chunks(std::string_view bytes, std::string& body, std::size_t& consumed) {
    TAVOLA_ASSERT(head_.chunked);
    body_ = &body;
    base_ = bytes;
    in_trailer_ = true;
    consumed = 0;
    while (!parser().is_done() && consumed < bytes.size()) {
      BeastError error;
      consumed += parser().put(boost::asio::buffer(bytes.substr(consumed)), error);
      if (error == beast::http::error::need_more) return Parsed::NeedMore;
      if (error) return refuse(error);
    }
    return parser().is_done() ? Parsed::Done : Parsed::NeedMore;
  }

  const RequestHead& head() const { return head_; }
  const Refusal& refusal() const { return refusal_; }

 private:
  class Parser final : public beast::http::basic_parser<true> {
   public:
    explicit Parser(Impl& impl) : impl_(impl) {}

   private:
    void on_request_impl(Verb verb, beast::string_view method, beast::string_view target, int version,
                         BeastError& error) override {
      impl_.on_request(verb, view(method), view(target), version, error);
    }
    void on_field_impl(Field field, beast::string_view name, beast::string_view value,
                       BeastError& error) override {
      impl_.on_field(field, view(name), view(value), error);
    }
    std::size_t on_chunk_body_impl(std::uint64_t, beast::string_view bytes, BeastError&) override {
      impl_.body_->append(bytes.data(), bytes.size());
      return bytes.size();
    }
    void on_response_impl(int, beast::string_view, int, BeastError&) override {}
    void on_header_impl(BeastError&) override {}
    void on_body_init_impl(const boost::optional<std::uint64_t>&, BeastError&) override {}
    std::size_t on_body_impl(beast::string_view bytes, BeastError&) override { return bytes.size(); }
    void on_chunk_header_impl(std::uint64_t, beast::string_view, BeastError&) override {}
    void on_finish_impl(BeastError&) override {}

    Impl& impl_;
  };

  Parser& parser() {
    TAVOLA_ASSERT(parser_.has_value());
    return *parser_;
  }

  // Ends Beast's parsing with our own refusal.
  void stop(const Refusal& refusal, BeastError& error) {
    refusal_ = refusal;
    error = beast::http::error::bad_field;
    refused_ = true;
  }

  Piece piece(std::string_view text) const {
    return {static_cast<std::uint32_t>(text.data() - base_.data()), static_cast<std::uint32_t>(text.size())};
  }

  void on_request(Verb verb, std::string_view method, std::string_view target, int version,
                  BeastError& error) {
    if (verb == Verb::connect) return stop(kTunnel, error);
    head_.method = piece(method);
    head_.target = piece(target);
    head_.http_1_1 = version == 11;
  }

  void on_field(Field field, std::string_view name, std::string_view value, BeastError& error) {
    if (in_trailer_) return;
    if (head_.fields.size() >= limits_.head_fields) return stop(kTooManyFields, error);
    if (is_folded(name, value)) return stop(kFolded, error);
    head_.fields.push_back({piece(name), piece(value)});
    look_at(field, value, error);
  }

  // Beast unfolds lines into its own memory, unless the first of them is empty.
  bool is_folded(std::string_view name, std::string_view value) const {
    const char* const colon = name.data() + name.size();
    if (value.data() < colon || value.data() > base_.data() + base_.size()) return true;
    return std::string_view(colon, static_cast<std::size_t>(value.data() - colon)).find('\n') !=
           std::string_view::npos;
  }

  void look_at(Field field, std::string_view value, BeastError& error) {
    switch (field) {
      case Field::host:
        if (++hosts_ > 1) stop(kHost, error);
        break;
      case Field::content_length:  // Beast takes the same one twice, and in a list
        if (++lengths_ > 1 || value.find_first_not_of("0123456789") != std::string_view::npos)
          stop(kLength, error);
        break;
      case Field::transfer_encoding:
        if (!same_text(value, "chunked") || !head_.http_1_1) stop(kTransferEncoding, error);
        break;
      case Field::expect:
        head_.expects_continue = same_text(value, "100-continue");
        if (!head_.expects_continue) stop(kExpectation, error);
        break;
      case Field::accept_encoding:
        if (head_.accept_encoding.empty()) head_.accept_encoding = piece(value);
        break;
      case Field::content_encoding:
        if (head_.content_encoding.empty()) head_.content_encoding = piece(value);
        break;
      default:
        break;
    }
  }

  Parsed finish_head() {
    if (head_.http_1_1 && hosts_ == 0) return refuse(kHost);
    head_.keep_alive = parser().keep_alive();
    head_.chunked = parser().chunked();
    if (!head_.chunked) head_.content_length = parser().content_length().value_or(0);
    head_.expects_continue = head_.expects_continue && head_.http_1_1;
    return Parsed::Done;
  }

  Parsed refuse(const Refusal& refusal) {
    refusal_ = refusal;
    return Parsed::Refused;
  }

  Parsed refuse(BeastError error) {
    if (std::exchange(refused_, false)) return Parsed::Refused;  // by stop()
    if (error == beast::http::error::header_limit) return refuse(kHeadTooLarge);
    if (error == beast::http::error::bad_version) return refuse(kVersion);
    return refuse(kMalformed);
  }

  const Limits& limits_;
  std::optional<Parser> parser_;
  RequestHead head_;
  Refusal refusal_;
  std::string_view base_;
  std::size_t taken_ = 0;
  std::string* body_ = nullptr;
  unsigned hosts_ = 0;
  unsigned lengths_ = 0;
  bool in_trailer_ = false;
  bool refused_ = false;
};

RequestParser::RequestParser(const Limits& limits) : impl_(std::make_unique<Impl>(limits)) {}
RequestParser::~RequestParser() = default;
RequestParser::RequestParser(RequestParser&&) noexcept = default;
RequestParser& RequestParser::operator=(RequestParser&&) noexcept = default;

void RequestParser::reset() { impl_->reset(); }
Parsed RequestParser::parse_head(std::string_view bytes) { return impl_->parse_head(bytes); }
const RequestHead& RequestParser::head() const { return impl_->head(); }
Parsed RequestParser::parse_chunks(std::string_view bytes, std::string& body, std::size_t& consumed) {
  return impl_->parse_chunks(bytes, body, consumed);
}
const Refusal& RequestParser::refusal() const { return impl_->refusal(); }

}  // namespace tavola::http
