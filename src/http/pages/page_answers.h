// Answers to the browser of a person.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "http/message.h"

namespace tavola::http {

// 200 with a JSON text that nobody keeps.
Response json_answer(std::string body);

// Where the forms of a page may lead, also by a redirect.
enum class Forms : std::uint8_t { Here, Anywhere };

// Adds what every answer to a browser has: no script, style or frame from anywhere but this server, types are not guessed, and other
// sites do not learn which page linked to them. Pages may send requests to this server and to the origin `connects_to`, if it is not empty.
void protect(Response& response, std::string_view connects_to = {}, Forms forms = Forms::Here);

}  // namespace tavola::http
