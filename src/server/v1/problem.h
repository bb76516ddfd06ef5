// Problems as in RFC 9457: application/problem+json, extended by the name of a refusal or of a parameter.
//
//   { "type": "urn:tavola:refused", "title": "The operation was refused", "status": 409,
//     "detail": "currentStock >= :quantity does not hold", "refusal": "INSUFFICIENT_STOCK" }
#pragma once

#include <string>
#include <string_view>

#include <tavola/error.h>

#include "http/message.h"

namespace tavola::server {

inline constexpr std::string_view kProblemType = "application/problem+json";
inline constexpr std::string_view kNoTable = "no-table";  // the kind of a problem: the design's table is gone

inline constexpr std::string_view kSignatureChallenge = "AWS4-HMAC-SHA256";
inline constexpr std::string_view kTokenChallenge = "Bearer realm=\"tavola\"";  // RFC 6750, section 3
inline constexpr std::string_view kBadTokenChallenge = "Bearer realm=\"tavola\", error=\"invalid_token\"";

struct Problem {
  std::string_view kind;  // "refused": the last part of its type
  std::string_view title;
  int status = 500;
  std::string detail{};
  std::string refusal{};
  std::string parameter{};
  std::string_view challenge = kSignatureChallenge;  // of a 401: how to authenticate
};

// Returns the problem of an error of a runner, a database or a signature.
Problem problem_of(const Error& error);
// Returns the problem of a refusal: 404 if an item is missing, 422 if the design allows no such item, 409 otherwise.
Problem refused(std::string name, int status);
std::string to_json(const Problem& problem);
http::Response to_response(const Problem& problem);
// 503 with Retry-After: the design takes over its table, and its answers would not be complete.
http::Response not_yet(std::string detail);
http::Response unknown_name(std::string detail);
http::Response unknown_design(std::string_view name);
http::Response wrong_method(std::string_view allowed, std::string detail);

// Returns a problem for the page of a person, who reads `detail`: 401, 403, 404, 429 and so on. A 401 has no challenge, for which browsers
// would ask for a password themselves.
http::Response problem_answer(int status, std::string detail);
http::Response unknown_path(std::string_view path);

}  // namespace tavola::server
