#include "http/response_head.h"

#include <array>
#include <charconv>
#include <cstdint>
#include <ctime>

#include "base/ascii.h"
#include "http/bytes/compression.h"
#include "http/bytes/crc32.h"

namespace tavola::http {
namespace {

std::string_view reason(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 204:
      return "No Content";
    case 206:
      return "Partial Content";
    case 301:
      return "Moved Permanently";
    case 302:
      return "Found";
    case 304:
      return "Not Modified";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 408:
      return "Request Timeout";
    case 409:
      return "Conflict";
    case 411:
      return "Length Required";
    case 412:
      return "Precondition Failed";
    case 413:
      return "Request Entity Too Large";
    case 415:
      return "Unsupported Media Type";
    case 416:
      return "Range Not Satisfiable";
    case 417:
      return "Expectation Failed";
    case 429:
      return "Too Many Requests";
    case 431:
      return "Request Header Fields Too Large";
    case 500:
      return "Internal Server Error";
    case 501:
      return "Not Implemented";
    case 503:
      return "Service Unavailable";
    case 505:
      return "HTTP Version Not Supported";
    case 507:
      return "Insufficient Storage";
    default:
      return status < 400 ? "OK" : "Error";
  }
}

void append_number(std::string& out, std::uint64_t number) {
  std::array<char, 20> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  out.append(digits.data(), end);
}

bool has_header(std::string_view lines, std::string_view name) {
  bool found = false;
  for_each_part(lines, '\n', [&](std::string_view line) {
    found |=
        line.size() > name.size() && line[name.size()] == ':' && same_text(line.substr(0, name.size()), name);
  });
  return found;
}

// Returns the coding that the body was compressed with; Identity if it is unchanged.
Coding compress_body(Response& response, const AnswerForm& form) {
  const std::size_t size = response.body.size();
  if (response.source != nullptr) return Coding::Identity;
  if (size <= kCompressionThresholdBytes || size > kCompressedBytesMax || form.accept_encoding.empty())
    return Coding::Identity;
  const Coding coding = preferred_coding(form.accept_encoding);
  if (coding == Coding::Identity || has_header(response.headers, "Content-Encoding")) return Coding::Identity;
  std::string compressed = compress(coding, response.body);
  if (compressed.empty() || compressed.size() >= response.body.size()) return Coding::Identity;
  response.body = std::move(compressed);
  return coding;
}

}  // namespace

std::string_view http_date() {
  // The text changes once a second; reading the coarse clock costs a few nanoseconds.
  thread_local std::time_t text_time = -1;
  thread_local std::array<char, 32> text{};
  thread_local std::size_t size = 0;
  std::timespec now{};
  clock_gettime(CLOCK_REALTIME_COARSE, &now);
  if (now.tv_sec != text_time) {
    std::tm parts{};
    gmtime_r(&now.tv_sec, &parts);
    size = std::strftime(text.data(), text.size(), "%a, %d %b %Y %H:%M:%S GMT", &parts);
    text_time = now.tv_sec;
  }
  return {text.data(), size};
}

void seal(Response& response, const AnswerForm& form, std::string& head) {
  const Coding coding = compress_body(response, form);
  const bool may_have_body = response.status != 204 && response.status != 304;
  if (!may_have_body) {
    response.body.clear();
    response.source.reset();
  }

  head.clear();
  head += "HTTP/1.1 ";
  append_number(head, static_cast<std::uint64_t>(response.status));
  head += ' ';
  head += reason(response.status);
  head += "\r\nDate: ";
  head += http_date();
  head += "\r\n";
  if (!response.content_type.empty()) {
    head += "Content-Type: ";
    head += response.content_type;
    head += "\r\n";
  }
  if (may_have_body) {
    head += "Content-Length: ";
    append_number(head, response.source != nullptr ? response.source->size_bytes() : response.body.size());
    head += "\r\n";
  }
  if (coding != Coding::Identity) {
    head += "Content-Encoding: ";
    head += coding_name(coding);
    head += "\r\nVary: Accept-Encoding\r\n";
  }
  if (response.crc32) {
    head += "x-amz-crc32: ";
    append_number(head, crc32(response.body));
    head += "\r\n";
  }
  if (form.depends_on_origin) head += "Vary: Origin\r\n";
  if (!form.allow_origin.empty()) {
    head += "Access-Control-Allow-Origin: ";
    head += form.allow_origin;
    head += "\r\nAccess-Control-Expose-Headers: ";
    head += form.exposed_headers;
    head += "\r\n";
  }
  head += response.headers;
  if (form.head_only) {
    response.body.clear();
    response.source.reset();
  }
}

Response preflight_response(const Request& request) {
  Response response;
  // DynamoDB allows all requested headers.
  if (const std::string_view names = request.header("access-control-request-headers"); !names.empty()) {
    response.add_header("Access-Control-Allow-Headers", names);
  }
  if (const std::string_view method = request.header("access-control-request-method"); !method.empty()) {
    response.add_header("Access-Control-Allow-Methods", method);
  }
  response.add_header("Access-Control-Max-Age", "172800");
  return response;
}

}  // namespace tavola::http
