#include "systems/text-analyzer/bucket/s3_bucket.h"

#include <algorithm>
#include <charconv>
#include <thread>
#include <utility>

#include "base/clock.h"
#include "base/digest.h"
#include "base/encoding.h"
#include "base/retry.h"
#include "objects/codec/xml.h"

namespace tavola::text_analyzer {
namespace {

using remote::HttpAnswer;

constexpr long kNotFound = 404;
constexpr long kPreconditionFailed = 412;
constexpr long kTooMany = 429;
constexpr long kFirstFailure = 300;
constexpr long kFirstOfServer = 500;
constexpr int kTriesMax = 5;
constexpr RetryDelays kDelays{.first = std::chrono::milliseconds(50), .longest = std::chrono::seconds(2)};
constexpr std::uint64_t kRangeBytes = std::uint64_t{4} << 20U;

Error refused(const std::string& attempt, const HttpAnswer& answer) {
  std::string why = "HTTP status " + std::to_string(answer.status);
  if (const auto xml = objects::parse_xml(answer.body); xml && !xml->text_of("Code").empty())
    why = std::string(xml->text_of("Code")) + ", " + std::string(xml->text_of("Message"));
  return {ErrorCode::Io, "S3 did not " + attempt + ": " + why};
}

Error changed() {
  return {ErrorCode::Io, "the uploaded file was replaced while it was read",
          std::make_shared<UploadChanged>()};
}

Result<std::uint64_t> size_of(const HttpAnswer& answer) {
  const std::string_view text = answer.header("content-length");
  std::uint64_t size = 0;
  if (std::from_chars(text.data(), text.data() + text.size(), size).ec == std::errc()) return size;
  return fail(Error(ErrorCode::Io, "S3 did not say how large the uploaded file is"));
}

}  // namespace

// Reads the object in ranges: each is a request that can be sent again, and none waits for a slow worker.
class S3Bucket::Reader final : public UploadReader {
 public:
  struct Object {
    std::string key;
    std::string etag;
    std::uint64_t size_bytes = 0;
  };
  Reader(S3Bucket& bucket, Object object) : bucket_(bucket), object_(std::move(object)) {}

  std::uint64_t size_bytes() const override { return object_.size_bytes; }

  Result<std::string_view> next() override {
    piece_.clear();
    if (at_ == object_.size_bytes) return std::string_view();
    const std::uint64_t end = std::min(at_ + kRangeBytes, object_.size_bytes);
    TAVOLA_TRY(HttpAnswer answer,
               bucket_.send({.method = "GET",
                             .url = bucket_.url_of(object_.key),
                             .service = "s3",
                             .headers = {"If-Match: " + object_.etag, "Range: bytes=" + std::to_string(at_) +
                                                                          "-" + std::to_string(end - 1)}}));
    if (answer.status == kPreconditionFailed || answer.status == kNotFound) return fail(changed());
    if (answer.status >= kFirstFailure) return fail(refused("return the uploaded file", answer));
    if (answer.body.size() != end - at_)
      return fail(Error(ErrorCode::Io, "S3 returned a part of the uploaded file that is too short"));
    piece_ = std::move(answer.body);
    at_ = end;
    return std::string_view(piece_);
  }

 private:
  S3Bucket& bucket_;
  const Object object_;
  std::uint64_t at_ = 0;
  std::string piece_;
};

S3Bucket::S3Bucket(S3Options options, const remote::Target& target)
    : options_(std::move(options)),
      credentials_(target.credentials),
      client_(target),
      signer_(target.region) {}

Result<std::unique_ptr<S3Bucket>> S3Bucket::open(const S3Options& given) {
  S3Options options = given;
  if (options.public_url.empty()) options.public_url = options.url;
  for (std::string* url : {&options.url, &options.public_url}) {
    while (url->ends_with('/')) url->pop_back();
  }
  const remote::Target target = remote::from_environment(options.url);
  std::unique_ptr<S3Bucket> opened(new S3Bucket(options, target));
  TAVOLA_CHECK(opened->make_sure_it_exists(!remote::is_aws(options.url)));
  return opened;
}

Result<void> S3Bucket::make_sure_it_exists(bool may_create) {
  TAVOLA_TRY(const HttpAnswer found, send({.method = "HEAD", .url = url_of({}), .service = "s3"}));
  if (found.status < kFirstFailure) return {};
  if (found.status != kNotFound) return fail(refused("show the bucket " + name(), found));
  if (!may_create)
    return fail(
        Error::validation("the bucket " + name() + " does not exist; create it, or name another one"));
  TAVOLA_TRY(const HttpAnswer created, send({.method = "PUT", .url = url_of({}), .service = "s3"}));
  constexpr long kConflict = 409;  // another program has just created it
  if (created.status < kFirstFailure || created.status == kConflict) return {};
  return fail(refused("create the bucket " + name(), created));
}

std::string S3Bucket::url_of(const std::string& key) const {
  return options_.url + "/" + options_.bucket + (key.empty() ? "" : "/" + remote::percent_encoded(key, "/"));
}

Result<HttpAnswer> S3Bucket::send(remote::SignedRequest request) {
  request.headers.push_back("x-amz-content-sha256: " + to_hex(sha256({request.body})));
  for (int tries = 1;; ++tries) {
    Result<HttpAnswer> answer = client_.send(request);
    const bool may_help = !answer || answer->status >= kFirstOfServer || answer->status == kTooMany;
    if (!may_help || tries == kTriesMax) return answer;
    std::this_thread::sleep_for(delay_after(tries, kDelays, Random::system()));
  }
}

Result<std::string> S3Bucket::upload_url(const ExpectedUpload& upload) {
  TAVOLA_TRY(const Credentials credentials, credentials_());
  return signer_.presigned_url(
      {.method = "PUT",
       .url = options_.public_url + "/" + options_.bucket + "/" + remote::percent_encoded(upload.key, "/"),
       .service = "s3",
       .headers = {"Content-Length: " + std::to_string(upload.size_bytes)}},
      credentials, Clock::system().now(), kUploadLifetime);
}

Result<std::vector<std::string>> S3Bucket::list(const std::string& prefix, const std::string& after) {
  const std::string parameters = "?list-type=2&max-keys=" + std::to_string(kKeysOfPage) +
                                 "&prefix=" + remote::percent_encoded(prefix, {}) +
                                 (after.empty() ? "" : "&start-after=" + remote::percent_encoded(after, {}));
  TAVOLA_TRY(const HttpAnswer answer,
             send({.method = "GET", .url = url_of({}) + parameters, .service = "s3"}));
  if (answer.status >= kFirstFailure) return fail(refused("list the bucket " + name(), answer));
  const auto root = objects::parse_xml(answer.body);
  if (!root) return fail(Error(ErrorCode::Io, "S3 returned a list that is not XML"));
  std::vector<std::string> keys;
  for (const objects::XmlElement& child : root->children) {
    if (child.name == "Contents") keys.emplace_back(child.text_of("Key"));
  }
  return keys;
}

Result<std::unique_ptr<UploadReader>> S3Bucket::open(const std::string& key) {
  TAVOLA_TRY(const HttpAnswer answer, send({.method = "HEAD", .url = url_of(key), .service = "s3"}));
  if (answer.status == kNotFound) return nullptr;
  if (answer.status >= kFirstFailure) return fail(refused("show the uploaded file", answer));
  TAVOLA_TRY(const std::uint64_t size, size_of(answer));
  return std::make_unique<Reader>(
      *this, Reader::Object{.key = key, .etag = std::string(answer.header("etag")), .size_bytes = size});
}

Result<void> S3Bucket::write_empty(const std::string& key) {
  TAVOLA_TRY(const HttpAnswer answer, send({.method = "PUT", .url = url_of(key), .service = "s3"}));
  if (answer.status >= kFirstFailure) return fail(refused("take an object", answer));
  return {};
}

Result<void> S3Bucket::remove(const std::string& key) {
  TAVOLA_TRY(const HttpAnswer answer, send({.method = "DELETE", .url = url_of(key), .service = "s3"}));
  if (answer.status >= kFirstFailure && answer.status != kNotFound)
    return fail(refused("remove an object", answer));
  return {};
}

}  // namespace tavola::text_analyzer
