// The text that a signature covers: "canonical", so that both sides write it alike (AWS Signature Version 4).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "http/message.h"

namespace tavola::access {

// Returns the decoded parameters of a query, in their order. A parameter without '=' has an empty value.
std::vector<std::pair<std::string, std::string>> query_parameters(std::string_view query);

// How often a path is percent-encoded: Amazon S3 encodes its keys once and signs that, other services encode it again.
enum class PathEncoding : std::uint8_t { Once, Twice };

// method, path, query, signed headers with their values, their names, and the hash of the body.
// `signed_headers` is a list separated by ';'. The parameter X-Amz-Signature is left out.
std::string canonical_request(const http::Request& request, std::string_view signed_headers,
                              std::string_view payload_hash, PathEncoding encoding = PathEncoding::Twice);

}  // namespace tavola::access
