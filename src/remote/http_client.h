// An HTTP/1.1 client: connections are kept and used again.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tavola/error.h>

#include "base/locks.h"
#include "remote/certificates.h"
#include "remote/connection.h"

namespace tavola::remote {

struct HttpAnswer {
  long status = 0;
  std::string body{};
  std::string headers{};  // as received, line by line

  // Returns the value of the header of this name, in any case; empty if missing.
  std::string_view header(std::string_view name) const;
};

// Returns the seconds since 1970 of a time in a header, "Sun, 09 Jun 2013 10:07:59 GMT"; -1 if it is none.
std::int64_t http_time(std::string_view text);

struct HttpRequest {
  std::string_view method = "GET";     // "POST", "PUT", "GET", "HEAD"
  std::string url{};                   // complete and encoded
  std::vector<std::string> headers{};  // "Content-Type: application/json"
  std::string_view body{};
  // A connection that was kept may end while a request is sent on it. Once: then the request fails, because the server may have performed
  // it. Again: it is sent on a new connection.
  enum class Ended : bool { Once, Again };
  Ended ended = Ended::Again;
};

// The detail of an error: the server cannot have received the request.
struct NeverSent final : ErrorDetail {};

struct HttpOptions {
  int connections = 1;  // at the same time; further requests wait for one
  std::chrono::milliseconds connect_timeout{5'000};
  std::chrono::milliseconds answer_timeout{60'000};
  std::string ca_bundle{};           // empty: the certificates of the machine
  std::size_t answer_bytes_max = 0;  // a larger body is an error; 0: of any size
};

// Thread safety: send() from any thread.
class HttpClient {
 public:
  explicit HttpClient(HttpOptions options);
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;
  ~HttpClient();

  // Fails with Io if there was no answer, with the detail NeverSent if the server cannot have received the request.
  Result<HttpAnswer> send(const HttpRequest& request);

 private:
  // A connection to an origin, and since when nobody uses it.
  struct Kept {
    Origin origin{};
    std::unique_ptr<Connection> connection{};
    std::chrono::steady_clock::time_point since{};
  };
  class Place;

  void enter();
  void leave();
  // Returns a kept connection, or none.
  std::unique_ptr<Connection> take(const Origin& origin);
  void keep(Kept kept);
  Result<std::unique_ptr<Connection>> open(const Origin& origin, Deadline deadline);
  Result<const TrustedCertificates*> trusted();

  const HttpOptions options_;
  Mutex mutex_;
  std::condition_variable_any returned_;
  int in_use_ TAVOLA_GUARDED_BY(mutex_) = 0;
  std::vector<Kept> kept_ TAVOLA_GUARDED_BY(mutex_);  // the last one used is at the end, and is used next
  std::optional<TrustedCertificates> trusted_ TAVOLA_GUARDED_BY(mutex_);  // loaded for the first https URL
};

}  // namespace tavola::remote
