// Items that may be missing, from one representation to another.
#pragma once

#include <optional>
#include <string_view>

#include <tavola/packed.h>
#include <tavola/value.h>

namespace tavola {

inline std::optional<Item> unpacked(const std::optional<ItemView>& item) {
  return item ? std::optional(item->unpack()) : std::nullopt;
}

inline std::optional<Item> unpacked(const std::optional<PackedItem>& item) {
  return item ? std::optional(item->unpack()) : std::nullopt;
}

// Borrows the item.
inline std::optional<ItemView> view_of(const std::optional<PackedItem>& item) {
  return item ? std::optional(item->view()) : std::nullopt;
}

// Borrows the bytes, which must be a packed item.
inline std::optional<ItemView> view_of(const std::optional<std::string_view>& stored) {
  return stored ? std::optional(ItemView(*stored)) : std::nullopt;
}

}  // namespace tavola
