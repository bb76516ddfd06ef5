// Answers of an application's own addresses; /v1 has those of server/v1.
#pragma once

#include <string>
#include <string_view>

#include "http/message.h"

namespace tavola::systems {

http::Response json_answer(std::string body);
// A problem as in RFC 9457, whose detail people read. 401, 403, 404, 429 and so on.
http::Response problem(int status, std::string detail);
http::Response unknown_path(std::string_view path);

// Adds what every answer to a browser has: no script, style or frame from anywhere but this server, types are not guessed, and other
// sites do not learn which page linked to them. Pages may send requests to this server and to the origin `connects_to`, if it is not empty.
void protect(http::Response& response, std::string_view connects_to = {});

}  // namespace tavola::systems
