#include "remote/http_client.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/ascii.h"
#include "base/timestamps.h"
#include "base/url_host.h"
#include "remote/answer_parser.h"

namespace tavola::remote {
namespace {

using std::chrono::steady_clock;

// A kept connection is not used after this time without a request: many servers close theirs after a minute, and a request that is
// sent at that moment gets no answer.
constexpr std::chrono::seconds kIdleMax{20};

// A body up to this size is sent together with the head.
constexpr std::size_t kSmallBody = 16U << 10U;

struct Url {
  Origin origin;
  std::string host;    // as in the header "Host": without the scheme's own port
  std::string target;  // "/path?query"
};

Result<Url> parse_url(const std::string& url) {
  const auto malformed = [&url](const std::string& why) {
    return fail(Error(ErrorCode::Io, "the address " + url + " " + why));
  };
  const bool is_tls = url.starts_with("https://");
  if (!is_tls && !url.starts_with("http://")) return malformed("is neither http:// nor https://");
  const auto is_unprintable = [](char c) { return static_cast<unsigned char>(c) <= ' ' || c == 0x7f; };
  if (std::ranges::any_of(url, is_unprintable)) return malformed("contains a space or a control character");
  const std::string_view authority = authority_in(url);
  std::string_view host =
      authority.substr(0, authority.starts_with('[') ? authority.find(']') + 1 : authority.find(':'));
  std::string_view port = authority.substr(std::min(authority.size(), host.size() + 1));
  if (host.empty() || !std::ranges::all_of(port, is_digit))
    return malformed("has no host, or a port that is no number");
  const std::string_view own_port = is_tls ? "443" : "80";
  if (port.empty()) port = own_port;
  const std::size_t rest = std::min(url.find_first_of("/?#", url.find("://") + 3), url.size());
  std::string target = url.substr(rest, url.find('#', rest) - rest);
  if (!target.starts_with('/')) target.insert(0, "/");
  Url parsed{.origin = {.is_tls = is_tls, .host = std::string(host), .port = std::string(port)},
             .host = std::string(host) + (port == own_port ? "" : ":" + std::string(port)),
             .target = std::move(target)};
  if (host.starts_with('[')) parsed.origin.host = host.substr(1, host.size() - 2);
  return parsed;
}

bool has_header(const HttpRequest& request, std::string_view name) {
  return std::ranges::any_of(request.headers, [name](std::string_view line) {
    return line.size() > name.size() && line[name.size()] == ':' &&
           same_text(line.substr(0, name.size()), name);
  });
}

// A line break would begin another header, or another request.
Result<void> check_headers(const HttpRequest& request) {
  for (const std::string& line : request.headers) {
    if (line.find_first_of(std::string_view("\r\n\0", 3)) == std::string::npos) continue;
    return fail(Error(ErrorCode::Io,
                      "the value of the header " + line.substr(0, line.find(':')) +
                          " contains a line break; remove it, for instance from the end of an access key"));
  }
  return {};
}

std::string head_of(const HttpRequest& request, const Url& url) {
  std::string head(request.method);
  head.append(" ").append(url.target).append(" HTTP/1.1\r\n");
  if (!has_header(request, "Host")) head.append("Host: ").append(url.host).append("\r\n");
  for (const std::string& line : request.headers) head.append(line).append("\r\n");
  if (request.method == "POST" || request.method == "PUT")
    head.append("Content-Length: ").append(std::to_string(request.body.size())).append("\r\n");
  return head.append("\r\n");
}

Error cannot_reach(const HttpRequest& request, const Error& why) {
  const std::string place = request.url.substr(0, request.url.find('?'));
  return {ErrorCode::Io, "cannot reach " + place + ": " + why.message(), std::make_shared<NeverSent>()};
}

Error no_answer(const HttpRequest& request, const Error& why) {
  const std::string place = request.url.substr(0, request.url.find('?'));
  return {ErrorCode::Io, "no answer from " + place + ": " + why.message()};
}

Result<void> send_request(Connection& connection, const HttpRequest& request, std::string head,
                          Deadline deadline) {
  if (request.body.size() <= kSmallBody) return connection.write(head.append(request.body), deadline);
  TAVOLA_CHECK(connection.write(head, deadline));
  return connection.write(request.body, deadline);
}

Result<void> receive(Connection& connection, AnswerParser& parser, Deadline deadline) {
  std::array<char, 16U << 10U> some;
  while (!parser.is_complete()) {
    TAVOLA_TRY(const std::size_t got, connection.read(some, deadline));
    TAVOLA_CHECK(parser.take({some.data(), got}));
  }
  return {};
}

}  // namespace

std::string_view HttpAnswer::header(std::string_view name) const {
  std::string_view found;
  for_each_part(headers, '\n', [&](std::string_view line) {
    if (line.size() <= name.size() || line[name.size()] != ':' ||
        !same_text(line.substr(0, name.size()), name))
      return;
    found = trimmed(line.substr(name.size() + 1));
  });
  return found;
}

std::int64_t http_time(std::string_view text) {
  constexpr std::string_view kForm = "Sun, 09 Jun 2013 10:07:59 GMT";
  constexpr std::string_view kMonths = "JanFebMarAprMayJunJulAugSepOctNovDec";
  if (text.size() != kForm.size() || !text.ends_with(" GMT")) return -1;
  const std::size_t month = kMonths.find(text.substr(8, 3));
  if (month == std::string_view::npos || month % 3 != 0) return -1;
  const std::string number = std::to_string(100 + month / 3 + 1).substr(1);
  std::string iso(text.substr(12, 4));
  iso.append("-").append(number).append("-").append(text.substr(5, 2));
  iso.append("T").append(text.substr(17, 8)).append("Z");
  const std::optional<WallTime> time = parse_iso8601(iso);
  return time ? std::chrono::floor<std::chrono::seconds>(*time).time_since_epoch().count() : -1;
}

// One of the requests that may be sent at the same time.
class HttpClient::Place {
 public:
  explicit Place(HttpClient& client) : client_(client) { client_.enter(); }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;
  ~Place() { client_.leave(); }

 private:
  HttpClient& client_;
};

HttpClient::HttpClient(HttpOptions options) : options_(std::move(options)) {}

HttpClient::~HttpClient() = default;

void HttpClient::enter() {
  const MutexLock lock(mutex_);
  while (in_use_ >= options_.connections) returned_.wait(mutex_);
  ++in_use_;
}

void HttpClient::leave() {
  {
    const MutexLock lock(mutex_);
    --in_use_;
  }
  returned_.notify_one();
}

std::unique_ptr<Connection> HttpClient::take(const Origin& origin) {
  std::vector<Kept> old;  // closed behind the lock
  const MutexLock lock(mutex_);
  const auto now = steady_clock::now();
  for (std::size_t i = kept_.size(); i-- > 0;) {
    const bool is_old = now - kept_[i].since > kIdleMax;
    if (!is_old && kept_[i].origin != origin) continue;
    Kept kept = std::move(kept_[i]);
    kept_.erase(kept_.begin() + static_cast<std::ptrdiff_t>(i));
    if (!is_old && kept.connection->is_silent()) return std::move(kept.connection);
    old.push_back(std::move(kept));
  }
  return nullptr;
}

void HttpClient::keep(Kept kept) {
  Kept oldest;
  const MutexLock lock(mutex_);
  if (kept_.size() >= static_cast<std::size_t>(options_.connections)) {
    oldest = std::move(kept_.front());
    kept_.erase(kept_.begin());
  }
  kept_.push_back(std::move(kept));
}

Result<const TrustedCertificates*> HttpClient::trusted() {
  const MutexLock lock(mutex_);
  if (!trusted_) {
    TAVOLA_TRY(trusted_, TrustedCertificates::load(options_.ca_bundle));
  }
  return &*trusted_;
}

Result<std::unique_ptr<Connection>> HttpClient::open(const Origin& origin, Deadline deadline) {
  const TrustedCertificates* certificates = nullptr;
  if (origin.is_tls) {
    TAVOLA_TRY(certificates, trusted());
  }
  return Connection::open(origin, certificates,
                          std::min(deadline, steady_clock::now() + options_.connect_timeout));
}

Result<HttpAnswer> HttpClient::send(const HttpRequest& request) {
  const Result<Url> url = parse_url(request.url);
  if (!url) return fail(cannot_reach(request, url.error()));
  if (const Result<void> checked = check_headers(request); !checked)
    return fail(cannot_reach(request, checked.error()));
  const Place place(*this);
  const Deadline deadline = steady_clock::now() + options_.answer_timeout;
  std::unique_ptr<Connection> connection = take(url->origin);
  for (;;) {
    const bool is_kept = connection != nullptr;
    if (!is_kept) {
      Result<std::unique_ptr<Connection>> opened = open(url->origin, deadline);
      if (!opened) return fail(cannot_reach(request, opened.error()));
      connection = *std::move(opened);
    }
    AnswerParser parser(request.method != "HEAD", options_.answer_bytes_max);
    const Result<void> sent = send_request(*connection, request, head_of(request, *url), deadline);
    // A server that refuses a request early may have closed its side already; its answer tells why.
    const Result<void> received = receive(*connection, parser, deadline);
    if (received) {
      if (sent && parser.keeps_connection())
        keep({.origin = url->origin, .connection = std::move(connection), .since = steady_clock::now()});
      return std::move(parser.answer());
    }
    const bool may_repeat = is_kept && !parser.is_begun() && request.ended == HttpRequest::Ended::Again;
    if (!may_repeat || steady_clock::now() >= deadline)
      return fail(no_answer(request, sent ? received.error() : sent.error()));
    connection.reset();  // the kept connection had ended: another one
  }
}

}  // namespace tavola::remote
