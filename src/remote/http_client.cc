#include "remote/http_client.h"

#include <algorithm>
#include <cstring>
#include <curl/curl.h>

#include "base/ascii.h"

namespace tavola::remote {
namespace {

// A kept connection is not used after this time without a request: many servers close theirs after a minute, and a request that is
// sent at that moment gets no answer.
constexpr long kIdleSecondsMax = 20;

std::size_t append(char* bytes, std::size_t size, std::size_t count, void* out) {
  static_cast<std::string*>(out)->append(bytes, size * count);
  return size * count;
}

// The body of an answer, and its limit (HttpOptions).
struct Arriving {
  std::string& body;
  std::size_t bytes_max;
};

std::size_t append_body(char* bytes, std::size_t size, std::size_t count, void* out) {
  auto& arriving = *static_cast<Arriving*>(out);
  const bool is_too_large =
      arriving.bytes_max != 0 && size * count > arriving.bytes_max - arriving.body.size();
  return is_too_large ? 0 : append(bytes, size, count, &arriving.body);
}

// The part of a body that is not sent yet.
struct Unsent {
  std::string_view rest;
};

std::size_t read_body(char* out, std::size_t size, std::size_t count, void* unsent) {
  std::string_view& rest = static_cast<Unsent*>(unsent)->rest;
  const std::size_t bytes = std::min(size * count, rest.size());
  std::memcpy(out, rest.data(), bytes);
  rest.remove_prefix(bytes);
  return bytes;
}

class HeaderList {
 public:
  HeaderList() = default;
  HeaderList(const HeaderList&) = delete;
  HeaderList& operator=(const HeaderList&) = delete;
  ~HeaderList() { curl_slist_free_all(list_); }
  void add(const std::string& line) { list_ = curl_slist_append(list_, line.c_str()); }
  curl_slist* get() const { return list_; }

 private:
  curl_slist* list_ = nullptr;
};

CURL* new_handle() {
  static const CURLcode started = curl_global_init(CURL_GLOBAL_DEFAULT);
  return started == CURLE_OK ? curl_easy_init() : nullptr;
}

void set_body(CURL* curl, const HttpRequest& request, Unsent& unsent) {
  if (request.method != "POST" && request.method != "PUT") return;
  curl_easy_setopt(curl, CURLOPT_POST, 1L);
  curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
  if (request.ended == HttpRequest::Ended::Again) {
    // NOLINTNEXTLINE(bugprone-suspicious-stringview-data-usage): the line above passes its size
    curl_easy_setopt(curl, CURLOPT_POSTFIELDS, request.body.data());
    return;
  }
  // libcurl sends a request again when a kept connection ends. It cannot do this with a body that is read only once.
  unsent.rest = request.body;
  curl_easy_setopt(curl, CURLOPT_READFUNCTION, read_body);
  curl_easy_setopt(curl, CURLOPT_READDATA, &unsent);
}

void set_limits(CURL* curl, const HttpOptions& options) {
  curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(curl, CURLOPT_PATH_AS_IS, 1L);  // a signature covers the path
  curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(options.connect_timeout.count()));
  curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, static_cast<long>(options.answer_timeout.count()));
  curl_easy_setopt(curl, CURLOPT_MAXAGE_CONN, kIdleSecondsMax);
  curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
  // Disables the wait for "100 Continue" before larger bodies.
  curl_easy_setopt(curl, CURLOPT_EXPECT_100_TIMEOUT_MS, 1L);
  if (!options.ca_bundle.empty()) curl_easy_setopt(curl, CURLOPT_CAINFO, options.ca_bundle.c_str());
}

bool is_never_sent(CURLcode code) {
  switch (code) {
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_RESOLVE_PROXY:
    case CURLE_COULDNT_CONNECT:
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_URL_MALFORMAT:
    case CURLE_UNSUPPORTED_PROTOCOL:
      return true;
    default:
      return false;
  }
}

Error no_answer(const HttpRequest& request, CURLcode code, std::string_view details) {
  const std::string_view why = details.empty() ? std::string_view(curl_easy_strerror(code)) : details;
  const std::string place = request.url.substr(0, request.url.find('?'));
  if (is_never_sent(code)) {
    return {ErrorCode::Io, "cannot reach " + place + ": " + std::string(why), std::make_shared<NeverSent>()};
  }
  return {ErrorCode::Io, "no answer from " + place + ": " + std::string(why)};
}

}  // namespace

std::string_view HttpAnswer::header(std::string_view name) const {
  std::string_view found;
  for_each_part(headers, '\n', [&](std::string_view line) {
    if (line.size() <= name.size() || line[name.size()] != ':' ||
        !same_text(line.substr(0, name.size()), name))
      return;
    found = trimmed(line.substr(name.size() + 1));
    if (found.ends_with('\r')) found.remove_suffix(1);
  });
  return found;
}

std::int64_t http_time(std::string_view text) { return curl_getdate(std::string(text).c_str(), nullptr); }

// A handle for the time of one request.
class HttpClient::Lease {
 public:
  explicit Lease(HttpClient& client) : client_(client), handle_(client.take()) {}
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;
  ~Lease() { client_.give_back(handle_); }
  Handle get() const { return handle_; }

 private:
  HttpClient& client_;
  Handle handle_;
};

HttpClient::HttpClient(HttpOptions options) : options_(std::move(options)) {}

HttpClient::~HttpClient() {
  for (Handle handle : idle_) curl_easy_cleanup(handle);
}

HttpClient::Handle HttpClient::take() {
  const MutexLock lock(mutex_);
  while (idle_.empty() && handles_ >= options_.connections) returned_.wait(mutex_);
  if (idle_.empty()) {
    ++handles_;
    return new_handle();
  }
  Handle handle = idle_.back();
  idle_.pop_back();
  return handle;
}

void HttpClient::give_back(Handle handle) {
  {
    const MutexLock lock(mutex_);
    if (handle == nullptr) {
      --handles_;
    } else {
      idle_.push_back(handle);
    }
  }
  returned_.notify_one();
}

Result<HttpAnswer> HttpClient::send(const HttpRequest& request) {
  const Lease lease(*this);
  CURL* curl = lease.get();
  if (curl == nullptr) return fail(Error(ErrorCode::Io, "libcurl could not be started"));
  HttpAnswer answer;
  HeaderList headers;
  for (const std::string& header : request.headers) headers.add(header);
  const std::string method(request.method);
  Unsent unsent;
  Arriving arriving{answer.body, options_.answer_bytes_max};
  std::string details(CURL_ERROR_SIZE, '\0');
  curl_easy_reset(curl);  // keeps the connections
  set_limits(curl, options_);
  curl_easy_setopt(curl, CURLOPT_URL, request.url.c_str());
  curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers.get());
  set_body(curl, request, unsent);
  if (method != "POST" && method != "GET") curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, method.c_str());
  if (method == "HEAD") curl_easy_setopt(curl, CURLOPT_NOBODY, 1L);
  curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, append_body);
  curl_easy_setopt(curl, CURLOPT_WRITEDATA, &arriving);
  curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, append);
  curl_easy_setopt(curl, CURLOPT_HEADERDATA, &answer.headers);
  curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, details.data());
  const CURLcode done = curl_easy_perform(curl);
  curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, nullptr);
  if (done != CURLE_OK) return fail(no_answer(request, done, details.c_str()));
  curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &answer.status);
  return answer;
}

}  // namespace tavola::remote
