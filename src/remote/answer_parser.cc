#define BOOST_DISABLE_ASSERTS  // as in http/request_parser.cc

#include "remote/answer_parser.h"

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>
#include <limits>
#include <optional>
#include <utility>

namespace tavola::remote {
namespace {

namespace beast = boost::beast;
using BeastError = beast::error_code;

constexpr std::uint32_t kHeadBytesMax = 64U << 10U;

Error not_http(const std::string& why) { return {ErrorCode::Io, "the answer is not valid HTTP: " + why}; }

// Beast calls back for every part that it recognises.
class Parsing final : public beast::http::basic_parser<false> {
 public:
  Parsing(HttpAnswer& answer, std::size_t bytes_max) : answer_(answer), bytes_max_(bytes_max) {}

  bool is_too_large() const { return is_too_large_; }

 private:
  void on_request_impl(beast::http::verb, beast::string_view, beast::string_view, int, BeastError&) override {
  }
  void on_response_impl(int code, beast::string_view, int, BeastError&) override {
    answer_ = {.status = code};
  }
  void on_field_impl(beast::http::field, beast::string_view name, beast::string_view value,
                     BeastError&) override {
    answer_.headers.append(name.data(), name.size()).append(": ");
    answer_.headers.append(value.data(), value.size()).append("\n");
  }
  void on_header_impl(BeastError&) override {}
  void on_body_init_impl(const boost::optional<std::uint64_t>&, BeastError&) override {}
  std::size_t on_body_impl(beast::string_view bytes, BeastError& error) override {
    is_too_large_ = bytes_max_ != 0 && bytes.size() > bytes_max_ - answer_.body.size();
    if (is_too_large_) {
      error = beast::http::error::body_limit;
      return 0;
    }
    answer_.body.append(bytes.data(), bytes.size());
    return bytes.size();
  }
  void on_chunk_header_impl(std::uint64_t, beast::string_view, BeastError&) override {}
  std::size_t on_chunk_body_impl(std::uint64_t, beast::string_view bytes, BeastError& error) override {
    return on_body_impl(bytes, error);
  }
  void on_finish_impl(BeastError&) override {}

  HttpAnswer& answer_;
  const std::size_t bytes_max_;
  bool is_too_large_ = false;
};

}  // namespace

class AnswerParser::Impl {
 public:
  Impl(bool has_body, std::size_t bytes_max) : has_body_(has_body), bytes_max_(bytes_max) { begin(); }

  Result<void> take(std::string_view bytes) {
    if (bytes.empty()) return end();
    is_begun_ = true;
    unread_.append(bytes);
    while (!unread_.empty() && !parsing_->is_done()) {
      BeastError error;
      const std::size_t read = parsing_->put(boost::asio::buffer(unread_), error);
      unread_.erase(0, read);
      if (error == beast::http::error::need_more) return {};
      if (error) return fail(refusal(error));
      if (read == 0) return {};
      // "100 Continue" and the like come before the answer itself.
      if (parsing_->is_done() && answer_.status < 200) begin();
    }
    return {};
  }

  bool is_begun() const { return is_begun_; }
  bool is_complete() const { return parsing_->is_done(); }
  bool keeps_connection() const { return parsing_->is_done() && parsing_->keep_alive() && unread_.empty(); }
  HttpAnswer& answer() { return answer_; }

 private:
  void begin() {
    parsing_.emplace(answer_, bytes_max_);
    parsing_->eager(true);
    parsing_->header_limit(kHeadBytesMax);
    parsing_->body_limit(boost::none);
    parsing_->skip(!has_body_);
  }

  // An answer without a length ends with its connection.
  Result<void> end() {
    if (!is_begun_) return fail(Error(ErrorCode::Io, "the server closed the connection without an answer"));
    BeastError error;
    parsing_->put_eof(error);
    if (!error) return {};
    return fail(Error(ErrorCode::Io, "the server closed the connection in the middle of its answer"));
  }

  Error refusal(const BeastError& error) const {
    if (parsing_->is_too_large())
      return {ErrorCode::Io, "the answer has more than " + std::to_string(bytes_max_) + " bytes"};
    return not_http(error.message());
  }

  const bool has_body_;
  const std::size_t bytes_max_;
  bool is_begun_ = false;
  std::string unread_;
  HttpAnswer answer_;
  std::optional<Parsing> parsing_;
};

AnswerParser::AnswerParser(bool has_body, std::size_t bytes_max)
    : impl_(std::make_unique<Impl>(has_body, bytes_max)) {}
AnswerParser::~AnswerParser() = default;

Result<void> AnswerParser::take(std::string_view bytes) { return impl_->take(bytes); }
bool AnswerParser::is_begun() const { return impl_->is_begun(); }
bool AnswerParser::is_complete() const { return impl_->is_complete(); }
bool AnswerParser::keeps_connection() const { return impl_->keeps_connection(); }
HttpAnswer& AnswerParser::answer() { return impl_->answer(); }

}  // namespace tavola::remote
