// Domain names and the Public Suffix List (publicsuffix.org) that libpsl was built with: results change only with the
// library.
#pragma once

#include <string>
#include <string_view>

namespace tavola::expr {

// Returns the label before the public suffix, in lower case: "www.example.co.uk" → "example". An IP address, a public
// suffix and a single label are returned whole. A trailing dot is dropped.
std::string core_domain(std::string_view domain);

}  // namespace tavola::expr
