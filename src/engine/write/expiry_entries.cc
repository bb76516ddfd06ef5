#include "engine/write/expiry_entries.h"

#include <limits>
#include <string>

#include "base/assert.h"
#include "engine/records/keys.h"

namespace tavola::engine {
namespace {

// Returns the number rounded up, so that an item with a fraction expires once it is certainly due. Returns nullopt for
// times before 1970 or beyond 2^63.
std::optional<std::uint64_t> whole_seconds(const Number& number) {
  if (number.is_negative()) return std::nullopt;
  if (const auto exact = number.to_int64()) return static_cast<std::uint64_t>(*exact);
  if (number.is_integer()) return std::nullopt;
  Number::Digits whole = number.digits();
  for (int exponent = number.exponent(); exponent < 0 && whole != 0; ++exponent) whole /= 10;
  if (whole >= std::numeric_limits<std::int64_t>::max()) return std::nullopt;
  return static_cast<std::uint64_t>(whole) + 1;
}

}  // namespace

std::optional<std::uint64_t> expiry_of(const TableSchema& table, const std::optional<ItemView>& item) {
  const std::optional<std::string>& attribute = table.description.time_to_live_attribute;
  TAVOLA_ASSERT(attribute.has_value());
  const auto value = item ? item->find(*attribute) : std::nullopt;
  if (!value || value->type() != Type::Number) return std::nullopt;
  return whole_seconds(value->number());
}

void change_expiry(const TableSchema& table, std::string_view item_key, const std::optional<ItemView>& before,
                   const std::optional<ItemView>& after, std::vector<store::Write>& writes) {
  const auto old_expiry = expiry_of(table, before);
  const auto new_expiry = expiry_of(table, after);
  if (old_expiry == new_expiry) return;
  if (old_expiry) writes.push_back(store::Write::erase(expiry_key(*old_expiry, item_key)));
  if (new_expiry) writes.push_back(store::Write::put(expiry_key(*new_expiry, item_key), ""));
}

}  // namespace tavola::engine
