// SHA-256 and HMAC, in hexadecimal, and the ids of changes.
#pragma once

#include <string>
#include <string_view>

namespace crawler {

std::string sha256_hex(std::string_view text);
std::string hmac_sha256_hex(std::string_view key, std::string_view text);

// A change of a product, by its hashes, and the end of the last scrape before it.
struct ChangeOfProduct {
  std::string_view url;
  std::string_view before;
  std::string_view after;
  std::string_view since;
};

// Returns the id of a change. One that is reported again after a crash has the same id; the same change in a later scrape has another one:
// a product may be sold out, in stock, and sold out again.
std::string id_of_change(const ChangeOfProduct& change);

}  // namespace crawler
