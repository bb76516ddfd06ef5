// Writes the head of a response, and transforms the body before it is sent.
#pragma once

#include <string>
#include <string_view>

#include "http/message.h"
#include "http/web_guard.h"

namespace tavola::http {

// The parts of a request that determine the form of its response.
struct AnswerForm {
  bool head_only = false;  // HEAD: everything but the body
  std::string_view allow_origin =
      {};  // Access-Control-Allow-Origin; empty: no page of another origin may read it
  std::string_view exposed_headers = kExposedHeaders;  // that such a page may read
  bool depends_on_origin = false;                      // pages of other origins get another response
  std::string_view accept_encoding = {};               // of the request
};

// Compresses the body if it is worth it, and writes the status line and all headers but Connection into `head`: the
// sender decides that last, and adds kKeepAlive or kClose.
void seal(Response& response, const AnswerForm& form, std::string& head);

inline constexpr std::string_view kKeepAlive = "Connection: keep-alive\r\n\r\n";
inline constexpr std::string_view kClose = "Connection: close\r\n\r\n";
inline constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";

// The positive response to a preflight request of a web page (OPTIONS with an Origin).
Response preflight_response(const Request& request);

// The current time as "Sun, 06 Nov 1994 08:49:37 GMT".
std::string_view http_date();

}  // namespace tavola::http
