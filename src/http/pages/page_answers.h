// Answers to a browser: pages, JSON that is not cached, redirects; and the headers that all of them have.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "http/message.h"

namespace tavola::http {

// Returns a JSON text with status 200, which browsers do not cache.
Response json_answer(std::string body);

// The origins to which the forms of a page may lead, also by a redirect.
enum class Forms : std::uint8_t { Here, Anywhere };

// Adds what every answer to a browser has: no script, style or frame from anywhere but this server, types are not guessed, and other
// sites do not learn which page linked to them. Pages may send requests to this server and to the origin `connects_to`, if it is not empty.
void protect(Response& response, std::string_view connects_to = {}, Forms forms = Forms::Here);

}  // namespace tavola::http
