// Names of domains and the Public Suffix List (publicsuffix.org), as libpsl has it built in: the same list, and so the
// same answer, as long as the library stays.
#pragma once

#include <string>
#include <string_view>

namespace tavola::expr {

// The name before the public suffix, in lower case: "www.example.co.uk" → "example". What has none is its own core: an
// IP address, a public suffix, a single label. A dot at the end is dropped.
std::string core_domain(std::string_view domain);

}  // namespace tavola::expr
