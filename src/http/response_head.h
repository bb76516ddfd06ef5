// The text in front of an answer's body, and what is done to the body before it is sent.
#pragma once

#include <string>
#include <string_view>

#include "http/message.h"

namespace tavola::http {

// What of a request decides how its answer looks.
struct AnswerForm {
  bool head_only = false;  // HEAD: everything but the body
  std::string_view allow_origin =
      {};  // Access-Control-Allow-Origin; empty: no page of another origin may read it
  bool depends_on_origin = false;         // pages of other origins get another answer
  std::string_view accept_encoding = {};  // of the request
};

// Compresses the body when it is worth it, and writes the status line and all headers but Connection into `head`:
// whoever sends it decides that last, and adds kKeepAlive or kClose.
void seal(Response& response, const AnswerForm& form, std::string& head);

inline constexpr std::string_view kKeepAlive = "Connection: keep-alive\r\n\r\n";
inline constexpr std::string_view kClose = "Connection: close\r\n\r\n";
inline constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";

// The answer to a web page that asks, before its request, whether it may: yes (OPTIONS with an Origin).
Response preflight_response(const Request& request);

// "Sun, 06 Nov 1994 08:49:37 GMT", of now.
std::string_view http_date();

}  // namespace tavola::http
