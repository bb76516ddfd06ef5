#include "remote/post.h"

#include <curl/curl.h>

#include "wire/codec/maintenance_header.h"
#include "wire/codec/operations.h"

namespace tavola::remote {
namespace {

constexpr long kConnectMilliseconds = 5'000;
constexpr long kAnswerMilliseconds = 60'000;

std::size_t append(char* bytes, std::size_t size, std::size_t count, void* out) {
  static_cast<std::string*>(out)->append(bytes, size * count);
  return size * count;
}

class Headers {
 public:
  Headers() = default;
  Headers(const Headers&) = delete;
  Headers& operator=(const Headers&) = delete;
  ~Headers() { curl_slist_free_all(list_); }
  void add(const std::string& line) { list_ = curl_slist_append(list_, line.c_str()); }
  curl_slist* get() const { return list_; }

 private:
  curl_slist* list_ = nullptr;
};

CURL* new_handle() {
  static const CURLcode started = curl_global_init(CURL_GLOBAL_DEFAULT);
  return started == CURLE_OK ? curl_easy_init() : nullptr;
}

}  // namespace

std::string streams_url(std::string url) {
  constexpr std::string_view kHost = "://dynamodb.";
  const std::size_t host = url.find(kHost);
  if (host != std::string::npos && url.contains(".amazonaws.com")) url.insert(host + 3, "streams.");
  return url;
}

Connection::Connection(Endpoint endpoint) : endpoint_(std::move(endpoint)), curl_(new_handle()) {}
Connection::~Connection() { curl_easy_cleanup(curl_); }

Result<HttpAnswer> Connection::post(std::string_view operation, const std::string& body) {
  const wire::KnownOperation* known = wire::find_operation(operation);
  const bool is_streams = known != nullptr && known->service == wire::Service::Streams;
  const std::string target = is_streams ? "DynamoDBStreams_20120810." : "DynamoDB_20120810.";
  std::vector<std::string> headers{"Content-Type: application/x-amz-json-1.0",
                                   "X-Amz-Target: " + target + std::string(operation)};
  if (endpoint_.mark != Endpoint::Mark::None) {
    const std::string_view mark = endpoint_.mark == Endpoint::Mark::AsIs ? wire::kAsIs : "true";
    headers.push_back(std::string(wire::kMaintenanceHeader) + ": " + std::string(mark));
  }
  return send({.method = "POST",
               .url = is_streams ? streams_url(endpoint_.url) : endpoint_.url,
               .service = "dynamodb",
               .headers = std::move(headers),
               .body = body});
}

Result<HttpAnswer> Connection::send(const SignedRequest& request) {
  const MutexLock lock(mutex_);
  if (curl_ == nullptr) return fail(Error(ErrorCode::Io, "libcurl could not be started"));
  HttpAnswer answer;
  Headers headers;
  for (const std::string& header : request.headers) headers.add(header);
  if (!endpoint_.session_token.empty()) headers.add("X-Amz-Security-Token: " + endpoint_.session_token);
  const std::string method(request.method);
  const std::string scope = "aws:amz:" + endpoint_.region + ":" + std::string(request.service);
  const std::string keys = endpoint_.access_key + ":" + endpoint_.secret;
  curl_easy_reset(curl_);  // keeps the connection
  curl_easy_setopt(curl_, CURLOPT_URL, request.url.c_str());
  curl_easy_setopt(curl_, CURLOPT_HTTPHEADER, headers.get());
  curl_easy_setopt(curl_, CURLOPT_AWS_SIGV4, scope.c_str());
  curl_easy_setopt(curl_, CURLOPT_USERPWD, keys.c_str());
  if (method == "POST" || method == "PUT") {
    curl_easy_setopt(curl_, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
    // NOLINTNEXTLINE(bugprone-suspicious-stringview-data-usage): the line above passes its size
    curl_easy_setopt(curl_, CURLOPT_POSTFIELDS, request.body.data());
  }
  if (method != "POST" && method != "GET") curl_easy_setopt(curl_, CURLOPT_CUSTOMREQUEST, method.c_str());
  if (method == "HEAD") curl_easy_setopt(curl_, CURLOPT_NOBODY, 1L);
  curl_easy_setopt(curl_, CURLOPT_WRITEFUNCTION, append);
  curl_easy_setopt(curl_, CURLOPT_WRITEDATA, &answer.body);
  // Accepts gzip if the server has it; an object of S3 is needed as it is stored.
  if (request.service != "s3") curl_easy_setopt(curl_, CURLOPT_ACCEPT_ENCODING, "");
  curl_easy_setopt(curl_, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(curl_, CURLOPT_CONNECTTIMEOUT_MS, kConnectMilliseconds);
  curl_easy_setopt(curl_, CURLOPT_TIMEOUT_MS, kAnswerMilliseconds);
  curl_easy_setopt(curl_, CURLOPT_NOSIGNAL, 1L);
  // Disables the wait for "100 Continue" before larger bodies. A header "Expect:" would also do it, but libcurl signs
  // it and does not send it, which S3 refuses.
  curl_easy_setopt(curl_, CURLOPT_EXPECT_100_TIMEOUT_MS, 1L);
  if (!endpoint_.ca_bundle.empty()) curl_easy_setopt(curl_, CURLOPT_CAINFO, endpoint_.ca_bundle.c_str());
  const CURLcode done = curl_easy_perform(curl_);
  if (done != CURLE_OK) {
    return fail(Error(ErrorCode::Io, "cannot reach " + endpoint_.url + ": " + curl_easy_strerror(done)));
  }
  curl_easy_getinfo(curl_, CURLINFO_RESPONSE_CODE, &answer.status);
  return answer;
}

}  // namespace tavola::remote
