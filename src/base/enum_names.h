// Enums and their names in a protocol, in the order in which its messages list them.
//
//   template <>
//   struct EnumNames<Colour> {
//     static constexpr EnumName<Colour> kAll[] = {{"RED", Colour::Red}, {"BLUE", Colour::Blue}};
//   };
//   enum_name(Colour::Red);        // "RED"
//   find_enum<Colour>("BLUE");     // Colour::Blue
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/joined.h"

namespace tavola {

template <class E>
using EnumName = std::pair<std::string_view, E>;

template <class E>
struct EnumNames;

// Returns nullopt if `value` is not one of the enum's values: C++ lets a caller cast any number.
template <class E>
constexpr std::optional<std::string_view> find_enum_name(E value) {
  const auto* const found = std::ranges::find(EnumNames<E>::kAll, value, &EnumName<E>::second);
  return found == std::ranges::end(EnumNames<E>::kAll) ? std::nullopt : std::optional(found->first);
}

// Returns an empty text if there is none.
template <class E>
constexpr std::string_view enum_name(E value) {
  return find_enum_name(value).value_or(std::string_view());
}

template <class E>
constexpr std::optional<E> find_enum(std::string_view name) {
  const auto* const found = std::ranges::find(EnumNames<E>::kAll, name, &EnumName<E>::first);
  return found == std::ranges::end(EnumNames<E>::kAll) ? std::nullopt : std::optional(found->second);
}

// "[RED, BLUE]"
template <class E>
std::string listed_enum_names() {
  return bracketed(EnumNames<E>::kAll, &EnumName<E>::first);
}

}  // namespace tavola
