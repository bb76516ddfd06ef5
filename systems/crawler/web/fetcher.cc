#include "web/fetcher.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <curl/curl.h>
#include <map>
#include <sys/socket.h>
#include <unistd.h>
#include <unordered_map>
#include <utility>

#include "web/addresses.h"
#include "web/url.h"

namespace crawler {
namespace {

using Clock = std::chrono::steady_clock;

struct FreeEasy {
  void operator()(CURL* handle) const { curl_easy_cleanup(handle); }
};
struct FreeMulti {
  void operator()(CURLM* handle) const { curl_multi_cleanup(handle); }
};
struct FreeList {
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};
using Easy = std::unique_ptr<CURL, FreeEasy>;
using List = std::unique_ptr<curl_slist, FreeList>;

List list_of(const std::vector<std::string>& lines) {
  List list;
  for (const std::string& line : lines) {
    curl_slist* const longer = curl_slist_append(list.get(), line.c_str());
    if (longer == nullptr) return list;
    static_cast<void>(list.release());
    list.reset(longer);
  }
  return list;
}

// One running request.
struct Transfer {
  Easy easy;
  FetchRequest request;
  Fetcher::OnDone done;
  List headers;
  FetchResponse response{};
  std::size_t body_bytes = 0;
  bool is_address_refused = false;
  bool has_enough = false;  // the rest of the body is not needed
};

curl_socket_t open_public_socket(void* transfer, curlsocktype, curl_sockaddr* address) {
  if (!is_public_address(address->addr)) {
    static_cast<Transfer*>(transfer)->is_address_refused = true;
    return CURL_SOCKET_BAD;
  }
  return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

std::size_t take_header(char* line, std::size_t size, std::size_t count, void* transfer) {
  const std::string_view text(line, size * count);
  FetchResponse& response = static_cast<Transfer*>(transfer)->response;
  if (text.starts_with("HTTP/")) {  // after an interim response (100, 103) another head follows
    response.content_type.clear();
    return text.size();
  }
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return text.size();
  const std::string name = small_letters(text.substr(0, colon));
  const std::string_view value = trimmed(text.substr(colon + 1));
  const std::array<std::pair<std::string_view, std::string*>, 6> kept = {
      {{"content-type", &response.content_type},
       {"etag", &response.etag},
       {"last-modified", &response.last_modified},
       {"location", &response.location},
       {"retry-after", &response.retry_after},
       {"x-robots-tag", &response.robots_tag}}};
  for (const auto& [known, field] : kept) {
    if (name != known) continue;
    const bool is_repeatable = field == &response.robots_tag && !field->empty();
    *field = is_repeatable ? *field + "\n" + std::string(value) : std::string(value);
  }
  return text.size();
}

std::size_t take_body(char* bytes, std::size_t size, std::size_t count, void* of) {
  Transfer& transfer = *static_cast<Transfer*>(of);
  std::string_view text(bytes, size * count);
  const std::size_t room = transfer.request.body_bytes_max - transfer.body_bytes;
  transfer.response.is_truncated = text.size() > room;
  text = text.substr(0, room);
  transfer.body_bytes += text.size();
  long status = 0;
  curl_easy_getinfo(transfer.easy.get(), CURLINFO_RESPONSE_CODE, &status);
  if (!transfer.request.on_body || status != 200) {
    transfer.response.body += text;
  } else if (!transfer.request.on_body(text)) {
    transfer.has_enough = true;
  }
  if (!transfer.response.is_truncated && !transfer.has_enough) return size * count;
  transfer.has_enough = true;
  return CURL_WRITEFUNC_ERROR;
}

FetchResponse::Failure failure_of(CURLcode code) {
  switch (code) {
    case CURLE_OPERATION_TIMEDOUT:
      return FetchResponse::Failure::Timeout;
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_CONNECT:
    case CURLE_COULDNT_RESOLVE_PROXY:
      return FetchResponse::Failure::Unreachable;
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CIPHER:
    case CURLE_SSL_ISSUER_ERROR:
      return FetchResponse::Failure::Tls;
    default:
      return FetchResponse::Failure::Broken;
  }
}

// curl is initialised once per process, and never again: other threads may use it.
void initialise_curl() {
  static const CURLcode once = curl_global_init(CURL_GLOBAL_DEFAULT);
  static_cast<void>(once);
}

}  // namespace

std::string_view name_of(FetchResponse::Failure failure) {
  constexpr std::array<std::string_view, 8> kNames = {
      "none", "refused address", "unreachable", "TLS", "timeout", "broken", "stopped", "out of time"};
  return kNames[static_cast<std::size_t>(failure)];
}

struct Fetcher::Parts {
  FetcherOptions options;
  List connect_to;
  std::unique_ptr<CURLM, FreeMulti> multi;
  std::unordered_map<CURL*, std::unique_ptr<Transfer>> transfers{};
  std::vector<Easy> idle{};
  std::multimap<Clock::time_point, std::function<void()>> timers{};
  std::atomic<bool> is_stopped = false;

  Easy take_easy() {
    if (idle.empty()) return Easy(curl_easy_init());
    Easy easy = std::move(idle.back());
    idle.pop_back();
    curl_easy_reset(easy.get());
    return easy;
  }

  void configure(Transfer& transfer) const {
    CURL* const easy = transfer.easy.get();
    curl_easy_setopt(easy, CURLOPT_URL, transfer.request.url.c_str());
    curl_easy_setopt(easy, CURLOPT_USERAGENT, options.user_agent.c_str());
    curl_easy_setopt(easy, CURLOPT_HTTPHEADER, transfer.headers.get());
    curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(easy, CURLOPT_PROXY,
                     "");  // a proxy would connect in our place, past the check of addresses
    curl_easy_setopt(easy, CURLOPT_ACCEPT_ENCODING, "");
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, static_cast<long>(options.timeout.count()));
    curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(options.connect_timeout.count()));
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, take_body);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, const_cast<Transfer*>(&transfer));
    curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, take_header);
    curl_easy_setopt(easy, CURLOPT_HEADERDATA, const_cast<Transfer*>(&transfer));
    if (connect_to) curl_easy_setopt(easy, CURLOPT_CONNECT_TO, connect_to.get());
    if (!options.ca_file.empty()) curl_easy_setopt(easy, CURLOPT_CAINFO, options.ca_file.c_str());
    if (options.addresses == AddressRule::PublicOnly) {
      curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, open_public_socket);
      curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, const_cast<Transfer*>(&transfer));
    }
  }

  void finish(CURL* easy, CURLcode code) {
    const auto found = transfers.find(easy);
    std::unique_ptr<Transfer> transfer = std::move(found->second);
    transfers.erase(found);
    FetchResponse& response = transfer->response;
    long status = 0;
    curl_off_t received = 0;
    curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
    curl_easy_getinfo(easy, CURLINFO_SIZE_DOWNLOAD_T, &received);
    response.status = static_cast<int>(status);
    response.bytes = static_cast<std::size_t>(received);
    if (code != CURLE_OK && !transfer->has_enough) {
      response.failure =
          transfer->is_address_refused ? FetchResponse::Failure::RefusedAddress : failure_of(code);
      response.problem = transfer->is_address_refused
                             ? "its address is private: --allow-private lets the crawler connect to it"
                             : curl_easy_strerror(code);
      response.status = 0;
    }
    curl_multi_remove_handle(multi.get(), easy);
    idle.push_back(std::move(transfer->easy));
    transfer->done(std::move(response));
  }

  void abort_all() {
    while (!transfers.empty()) {
      CURL* const easy = transfers.begin()->first;
      std::unique_ptr<Transfer> transfer = std::move(transfers.begin()->second);
      transfers.erase(transfers.begin());
      curl_multi_remove_handle(multi.get(), easy);
      idle.push_back(std::move(transfer->easy));
      transfer->done({.failure = FetchResponse::Failure::Stopped, .problem = "the crawler was stopped"});
    }
  }

  void run_timers() {
    // Timers that these actions set are for the next turn.
    std::vector<std::function<void()>> due;
    const auto end = is_stopped ? timers.end() : timers.upper_bound(Clock::now());
    for (auto timer = timers.begin(); timer != end; ++timer) due.push_back(std::move(timer->second));
    timers.erase(timers.begin(), end);
    for (const auto& action : due) action();
  }
};

Fetcher::Fetcher(FetcherOptions options) {
  initialise_curl();
  List connect_to = list_of(options.connect_to);
  parts_ = std::unique_ptr<Parts>(new Parts{.options = std::move(options),
                                            .connect_to = std::move(connect_to),
                                            .multi = std::unique_ptr<CURLM, FreeMulti>(curl_multi_init())});
  curl_multi_setopt(parts_->multi.get(), CURLMOPT_MAX_HOST_CONNECTIONS, 1L);
  curl_multi_setopt(parts_->multi.get(), CURLMOPT_MAXCONNECTS, 1000L);
}

Fetcher::~Fetcher() {
  for (const auto& [easy, transfer] : parts_->transfers) curl_multi_remove_handle(parts_->multi.get(), easy);
}

void Fetcher::start(FetchRequest request, OnDone done) {
  auto transfer = std::make_unique<Transfer>(parts_->take_easy(), std::move(request), std::move(done));
  transfer->headers = list_of(transfer->request.headers);
  parts_->configure(*transfer);
  CURL* const easy = transfer->easy.get();
  parts_->transfers.emplace(easy, std::move(transfer));
  curl_multi_add_handle(parts_->multi.get(), easy);
}

void Fetcher::after(std::chrono::milliseconds delay, std::function<void()> action) {
  parts_->timers.emplace(Clock::now() + delay, std::move(action));
}

bool Fetcher::turn(std::chrono::milliseconds wait) {
  if (parts_->is_stopped) parts_->abort_all();
  if (!parts_->timers.empty()) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(parts_->timers.begin()->first - Clock::now());
    wait = parts_->is_stopped ? std::chrono::milliseconds(0)
                              : std::clamp(left, std::chrono::milliseconds(0), wait);
  }
  int running = 0;
  curl_multi_perform(parts_->multi.get(), &running);
  int messages = 0;
  CURLMsg* message = curl_multi_info_read(parts_->multi.get(), &messages);
  if (message == nullptr && wait.count() > 0) {
    curl_multi_poll(parts_->multi.get(), nullptr, 0, static_cast<int>(wait.count()), nullptr);
    curl_multi_perform(parts_->multi.get(), &running);
    message = curl_multi_info_read(parts_->multi.get(), &messages);
  }
  for (; message != nullptr; message = curl_multi_info_read(parts_->multi.get(), &messages)) {
    if (message->msg == CURLMSG_DONE) parts_->finish(message->easy_handle, message->data.result);
  }
  parts_->run_timers();
  return !parts_->transfers.empty() || !parts_->timers.empty();
}

void Fetcher::stop() {
  parts_->is_stopped = true;
  curl_multi_wakeup(parts_->multi.get());
}
bool Fetcher::is_stopped() const { return parts_->is_stopped; }

}  // namespace crawler
