// The responses that the server sends in place of the handler.
#pragma once

#include <cstddef>
#include <string>

#include "http/options.h"

namespace tavola::http {

inline constexpr Refusal kOverloaded = {503, "ServiceUnavailableException",
                                        "The server holds too many requests; try again."};
inline constexpr Refusal kTooManyConnections = {503, "ServiceUnavailableException",
                                                "The server has too many connections; try again."};
inline constexpr Refusal kTimedOut = {408, "RequestTimeoutException", "Reading the request timed out."};
inline constexpr Refusal kBadChunks = {400, "MalformedHttpRequestException",
                                       "The chunks of the body are not valid HTTP."};
// DynamoDB's response to a body that does not decompress: an error of the server.
inline constexpr Refusal kUndecodable = {500, "InternalServerError",
                                         "The body does not have its Content-Encoding."};
inline constexpr Refusal kNoAnswer = {500, "InternalServerError",
                                      "The request has failed for an unknown reason."};

// Its message depends on the limit: "The request is larger than 16 MB."
inline Refusal too_large(const std::string& text) { return {413, "RequestEntityTooLargeException", text}; }
std::string too_large_text(std::size_t body_bytes_max);

}  // namespace tavola::http
