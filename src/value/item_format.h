// Constants and errors shared by the writer, the views and the checker of packed items.
#pragma once

#include <string_view>
#include <utility>

#include <tavola/error.h>
#include <tavola/value.h>

namespace tavola {

// The first byte of every packed item. A larger one was written by a newer Tavola.
inline constexpr char kItemFormatVersion = 1;
// No version will be larger: such a first byte belongs to another format, most likely text.
inline constexpr char kItemFormatVersionMax = 31;

// A version and the count of attributes, 0.
inline constexpr std::string_view kEmptyItem{"\x01\x00", 2};
static_assert(kEmptyItem[0] == kItemFormatVersion);

// The numbers of the types are part of every stored item.
static_assert(std::to_underlying(Type::Null) == 1 && std::to_underlying(Type::Bool) == 2 &&
              std::to_underlying(Type::Number) == 3 && std::to_underlying(Type::String) == 4 &&
              std::to_underlying(Type::Binary) == 5 && std::to_underlying(Type::List) == 6 &&
              std::to_underlying(Type::Map) == 7 && std::to_underlying(Type::StringSet) == 8 &&
              std::to_underlying(Type::NumberSet) == 9 && std::to_underlying(Type::BinarySet) == 10);

// The refusal of a value with more than 32 levels, in AWS's words.
Error nesting_too_deep();

}  // namespace tavola
