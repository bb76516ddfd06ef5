// Availability and price of the product that a page is about.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "page/price.h"
#include "page/structured_data.h"

namespace crawler {

// AH17. Its texts are what the hash of AH13 is made of: do not change them.
enum class Availability : std::uint8_t { Available, Listed, Reserved, Sold, Removed, Unknown };
std::string_view name_of(Availability availability);  // "available"

// Maps schema.org's ItemAvailability ("https://schema.org/InStock", "InStock"), and the words of Open Graph ("in stock", "oos").
Availability availability_of(std::string_view text);

struct Offer {
  Availability availability = Availability::Unknown;
  std::optional<Price> price{};
};

// Returns the offer of a page's product. Of several offers (variants, sellers) the best availability and, among the offers that have it,
// the lowest price count. Nullopt if the page has no product.
std::optional<Offer> read_offer(const StructuredData& data);

}  // namespace crawler
