#include "systems/inventory/delivery.h"

#include <algorithm>
#include <array>
#include <curl/curl.h>
#include <memory>

#include "base/digest.h"
#include "base/encoding.h"
#include "base/files.h"
#include "base/timestamps.h"
#include "http/listening.h"
#include "json/writer.h"

namespace tavola::inventory {
namespace {

constexpr long kConnectSeconds = 10;
constexpr long kWholeSeconds = 60;
constexpr std::size_t kBase64LineMax = 76;  // RFC 2045, section 6.8
constexpr std::size_t kEncodedWordBytesMax =
    45;  // 60 characters of base64: a word has at most 75 (RFC 2047, section 2)

struct CurlDeleter {
  void operator()(CURL* curl) const { curl_easy_cleanup(curl); }
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};
using Curl = std::unique_ptr<CURL, CurlDeleter>;
using CurlList = std::unique_ptr<curl_slist, CurlDeleter>;

void append(CurlList& list, const std::string& line) {
  list.reset(curl_slist_append(list.release(), line.c_str()));
}

// A value may not end its line.
std::string one_line(std::string text) {
  std::ranges::replace_if(text, [](unsigned char c) { return c < 0x20 || c == 0x7f; }, ' ');
  return text;
}

bool is_ascii(std::string_view text) {
  return std::ranges::all_of(text, [](unsigned char c) { return c < 0x80; });
}

// A text of a header: as it is, or as encoded words, none of which divides a character.
std::string header_text(const std::string& text) {
  const std::string plain = one_line(text);
  if (is_ascii(plain)) return plain;
  std::string words;
  for (std::size_t at = 0; at < plain.size();) {
    std::size_t end = std::min(at + kEncodedWordBytesMax, plain.size());
    while (end < plain.size() && (static_cast<unsigned char>(plain[end]) & 0xC0U) == 0x80U) --end;
    words +=
        (words.empty() ? "=?UTF-8?B?" : "\r\n =?UTF-8?B?") + to_base64(plain.substr(at, end - at)) + "?=";
    at = end;
  }
  return words;
}

// "Wed, 31 Jan 2024 12:00:00 +0000"
std::string mail_date(const std::string& timestamp) {
  static constexpr std::array<const char*, 7> kDays = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  static constexpr std::array<const char*, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                          "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const WallTime time = parse_iso8601(timestamp).value_or(WallTime());
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(day);
  return std::string(kDays[std::chrono::weekday(day).c_encoding()]) + ", " + timestamp.substr(8, 2) + " " +
         kMonths[static_cast<unsigned>(date.month()) - 1] + " " + timestamp.substr(0, 4) + " " +
         timestamp.substr(11, 8) + " +0000";
}

std::string host_of(std::string_view url) {
  const std::string_view host = url.substr(url.find("://") + 3);
  if (host.starts_with('[')) return std::string(host.substr(1, host.find(']') - 1));
  return std::string(host.substr(0, host.find_first_of(":/?")));
}

struct Unsent {
  std::string_view rest;
};

std::size_t read_unsent(char* to, std::size_t size, std::size_t count, void* from) {
  auto& unsent = *static_cast<Unsent*>(from);
  const std::size_t bytes = std::min(size * count, unsent.rest.size());
  unsent.rest.copy(to, bytes);
  unsent.rest.remove_prefix(bytes);
  return bytes;
}

std::size_t drop(char*, std::size_t size, std::size_t count, void*) { return size * count; }

Curl begin(const AlertOptions& options, std::array<char, CURL_ERROR_SIZE>& details) {
  static const CURLcode kReady = curl_global_init(CURL_GLOBAL_DEFAULT);
  Curl curl(kReady == CURLE_OK ? curl_easy_init() : nullptr);
  if (!curl) return curl;
  curl_easy_setopt(curl.get(), CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl.get(), CURLOPT_CONNECTTIMEOUT, kConnectSeconds);
  curl_easy_setopt(curl.get(), CURLOPT_TIMEOUT, kWholeSeconds);
  curl_easy_setopt(curl.get(), CURLOPT_ERRORBUFFER, details.data());
  curl_easy_setopt(curl.get(), CURLOPT_WRITEFUNCTION, drop);
  if (!options.smtp_ca.empty()) curl_easy_setopt(curl.get(), CURLOPT_CAINFO, options.smtp_ca.c_str());
  return curl;
}

// Returns the first line of a file.
Result<std::string> read_line(const std::string& file) {
  TAVOLA_TRY(std::string text, read_small_file(file));
  text.erase(std::min(text.find_first_of("\r\n"), text.size()));
  if (text.empty()) return fail(Error::validation(file + " is empty; its first line is the secret"));
  return text;
}

Error no_curl() { return {ErrorCode::Internal, "libcurl could not be started"}; }

Result<void> perform(CURL* curl, const std::array<char, CURL_ERROR_SIZE>& details) {
  const CURLcode code = curl_easy_perform(curl);
  if (code == CURLE_OK) return {};
  return fail(Error(ErrorCode::Io, details[0] != '\0' ? details.data() : curl_easy_strerror(code)));
}

}  // namespace

std::string mail_text(const Outgoing& message, const std::string& from) {
  const std::string at = from.substr(std::min(from.find('@'), from.size()));
  std::string text =
      "From: " + one_line(from) + "\r\nTo: " + one_line(message.recipient) +
      "\r\nSubject: " + header_text(message.subject) + "\r\nDate: " + mail_date(message.timestamp) +
      "\r\nMessage-ID: <" + one_line(message.id) + one_line(at.empty() ? "@localhost" : at) +
      ">\r\nAuto-Submitted: auto-generated\r\nMIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8"
      "\r\nContent-Transfer-Encoding: base64\r\n\r\n";
  const std::string body = to_base64(message.text);
  for (std::size_t start = 0; start < body.size(); start += kBase64LineMax)
    text += body.substr(start, kBase64LineMax) + "\r\n";
  return text;
}

std::string webhook_body(const Outgoing& message) {
  std::string body;
  json::Writer json(body);
  json.begin_object();
  json.name("id").text(message.id);
  json.name("kind").text(message.kind);
  json.name("shopId").text(message.shop_id);
  json.name("to").text(message.recipient);
  json.name("subject").text(message.subject);
  json.name("text").text(message.text);
  json.name("timestamp").text(message.timestamp);
  json.end_object();
  return body;
}

Result<Delivery> Delivery::open(const AlertOptions& options) {
  Delivery delivery(options);
  if (!options.smtp_password_file.empty()) {
    TAVOLA_TRY(delivery.password_, read_line(options.smtp_password_file));
  }
  if (!options.webhook_secret_file.empty()) {
    TAVOLA_TRY(delivery.secret_, read_line(options.webhook_secret_file));
  }
  return delivery;
}

Result<void> Delivery::send_mail(const Outgoing& message) const {
  std::array<char, CURL_ERROR_SIZE> details{};
  const Curl curl = begin(options_, details);
  if (!curl) return fail(no_curl());
  const std::string text = mail_text(message, options_.mail_from);
  Unsent unsent{text};
  CurlList recipients;
  append(recipients, "<" + one_line(message.recipient) + ">");
  curl_easy_setopt(curl.get(), CURLOPT_URL, options_.smtp_url.c_str());
  curl_easy_setopt(curl.get(), CURLOPT_PROTOCOLS_STR, "smtp,smtps");
  // Without a login the mail server may be one of this machine, which has no certificate. A password leaves by TLS alone.
  TAVOLA_TRY(const bool is_near, http::is_loopback(host_of(options_.smtp_url)));
  const bool may_be_plain = is_near && options_.smtp_user.empty();
  curl_easy_setopt(curl.get(), CURLOPT_USE_SSL, may_be_plain ? CURLUSESSL_TRY : CURLUSESSL_ALL);
  if (!options_.smtp_user.empty()) {
    curl_easy_setopt(curl.get(), CURLOPT_USERNAME, options_.smtp_user.c_str());
    curl_easy_setopt(curl.get(), CURLOPT_PASSWORD, password_.c_str());
  }
  const std::string from = "<" + one_line(options_.mail_from) + ">";
  curl_easy_setopt(curl.get(), CURLOPT_MAIL_FROM, from.c_str());
  curl_easy_setopt(curl.get(), CURLOPT_MAIL_RCPT, recipients.get());
  curl_easy_setopt(curl.get(), CURLOPT_READFUNCTION, read_unsent);
  curl_easy_setopt(curl.get(), CURLOPT_READDATA, &unsent);
  curl_easy_setopt(curl.get(), CURLOPT_UPLOAD, 1L);
  return perform(curl.get(), details);
}

Result<void> Delivery::send_webhook(const Outgoing& message) const {
  std::array<char, CURL_ERROR_SIZE> details{};
  const Curl curl = begin(options_, details);
  if (!curl) return fail(no_curl());
  const std::string body = webhook_body(message);
  CurlList headers;
  append(headers, "Content-Type: application/json");
  append(headers, "Idempotency-Key: " + one_line(message.id));
  append(headers, "Expect:");
  if (!secret_.empty()) append(headers, "X-Tavola-Signature: sha256=" + to_hex(hmac_sha256(secret_, body)));
  curl_easy_setopt(curl.get(), CURLOPT_URL, options_.webhook_url.c_str());
  curl_easy_setopt(curl.get(), CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(curl.get(), CURLOPT_HTTPHEADER, headers.get());
  curl_easy_setopt(curl.get(), CURLOPT_POSTFIELDS, body.c_str());
  curl_easy_setopt(curl.get(), CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(body.size()));
  TAVOLA_CHECK(perform(curl.get(), details));
  long status = 0;
  curl_easy_getinfo(curl.get(), CURLINFO_RESPONSE_CODE, &status);
  if (status >= 200 && status < 300) return {};
  return fail(Error(ErrorCode::Io, "the webhook answered " + std::to_string(status)));
}

}  // namespace tavola::inventory
