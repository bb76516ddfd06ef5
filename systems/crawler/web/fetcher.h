// Many HTTP requests at once on one thread, by libcurl's multi interface, with timers.
//
//   Fetcher fetcher({.user_agent = "…"});
//   fetcher.start({.url = "https://example.com/"}, [](FetchResponse response) { … });
//   while (fetcher.turn(100ms)) {}
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace crawler {

enum class AddressRule : std::uint8_t { PublicOnly, Any };

struct FetcherOptions {
  std::string user_agent{};
  AddressRule addresses = AddressRule::PublicOnly;
  std::vector<std::string> connect_to{};  // curl's HOST:PORT:ADDRESS:PORT: where a host is found instead
  std::chrono::milliseconds timeout = std::chrono::seconds(30);  // of one request
  std::chrono::milliseconds connect_timeout = std::chrono::seconds(10);
  std::string ca_file{};  // certificates that are trusted instead of the system's
};

struct FetchRequest {
  std::string url{};
  std::vector<std::string> headers{};                         // "If-None-Match: \"1\""
  std::size_t body_bytes_max = std::size_t{8} * 1024 * 1024;  // decompressed; the rest is not read
  // Takes the body of a response with status 200 as it arrives; returns false when the rest is not needed. Empty: the body is
  // collected in the response.
  std::function<bool(std::string_view)> on_body{};
};

struct FetchResponse {
  // Why there is no response.
  enum class Failure : std::uint8_t {
    None,
    RefusedAddress,
    Unreachable,
    Tls,
    Timeout,
    Broken,
    Stopped,
    OutOfTime,  // the pause before the request would end after the time of the session
  };
  Failure failure = Failure::None;
  std::string problem{};  // for people, if there is no response
  int status = 0;
  std::string body{};
  bool is_truncated = false;  // body_bytes_max was reached
  std::size_t bytes = 0;      // as received
  std::string content_type{};
  std::string etag{};
  std::string last_modified{};
  std::string location{};
  std::string retry_after{};
  std::string robots_tag{};  // X-Robots-Tag; several are lines
};

std::string_view name_of(FetchResponse::Failure failure);  // "unreachable"

// Thread safety: one thread, except for stop().
class Fetcher {
 public:
  explicit Fetcher(FetcherOptions options);
  ~Fetcher();
  Fetcher(const Fetcher&) = delete;
  Fetcher& operator=(const Fetcher&) = delete;

  using OnDone = std::function<void(FetchResponse)>;
  // Begins a request; redirects are not followed. `done` is called by turn().
  void start(FetchRequest request, OnDone done);
  // Calls `action` by turn() after a while, or at once if the fetcher is stopped.
  void after(std::chrono::milliseconds delay, std::function<void()> action);

  // Waits until something happens, at most `wait`, and calls what is done or due. Returns whether requests or timers are left.
  bool turn(std::chrono::milliseconds wait);
  // Ends all requests with Failure::Stopped, and lets all timers pass.
  void stop();
  bool is_stopped() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace crawler
