// Texts that have one form in the database, however clients write them: names of hosts and codes of countries.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tavola::design {

// Returns the name of a host in lower case and in ASCII (punycode), without scheme, port, path and final dot: "https://WWW.Müller.de:80/" is
// "www.xn--mller-kva.de". Returns nullopt if the text names no host with a domain: it has one part only, or is an IP address.
std::optional<std::string> normal_domain(std::string_view text);

// Returns the code in capitals: "de" is "DE". Returns nullopt if it is not a country of ISO 3166-1.
std::optional<std::string> normal_country(std::string_view text);

}  // namespace tavola::design
