// Parameters of queries and forms (application/x-www-form-urlencoded), in both directions.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tavola::systems {

using Parameters = std::vector<std::pair<std::string, std::string>>;

// Returns nullopt if the text is not encoded so, or has a name twice, which OAuth forbids (RFC 6749, section 3.1).
std::optional<Parameters> read_parameters(std::string_view text);
std::string write_parameters(const Parameters& parameters);

// Returns the value of a parameter; empty if it is missing.
std::string_view value_of(const Parameters& parameters, std::string_view name);

// Returns the URL with further parameters in its query.
std::string with_parameters(std::string_view url, const Parameters& parameters);

}  // namespace tavola::systems
