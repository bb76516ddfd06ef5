// Prices as shops write them, as exact decimals: no price passes through a double.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <tavola/number.h>

namespace crawler {

struct Price {
  tavola::Number amount{};                  // of a range, the lower end
  std::optional<tavola::Number> highest{};  // of a range
  std::string currency{};                   // a code of ISO 4217; empty if unknown
  friend bool operator==(const Price&, const Price&) = default;
};

// Reads a price for people: "1.299,00 €", "EUR 12", "from $1,299.50", "10 – 20 €", "CHF 1'299.–". A single separator before three
// digits groups thousands. Nullopt if there is no number.
std::optional<Price> read_price(std::string_view text);

// Reads a price for programs (schema.org's `price`): digits with a point, "1299.00". Other text is read as one for people, because shops
// write that, too.
std::optional<Price> read_exact_price(std::string_view text);

// Returns the code of ISO 4217 for a code or a symbol ("€", "US$", "eur"); empty if it is none, or could be several ("kr").
std::string currency_of(std::string_view text);

}  // namespace crawler
