// Document paths with their names bound: following them through an item, comparing and printing them.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <tavola/packed.h>

#include "expr/language/ast.h"

namespace tavola::expr {

// Borrows the name from the tree or from the request.
struct BoundElement {
  std::string_view name;    // empty for an index
  std::uint32_t index = 0;  // 0 for a name
  bool is_index = false;
  friend bool operator==(const BoundElement&, const BoundElement&) = default;
  // Orders names by bytes, as maps store them, and indexes by number.
  friend auto operator<=>(const BoundElement& a, const BoundElement& b) {
    if (const auto order = a.is_index <=> b.is_index; order != 0) return order;
    if (const auto order = a.name <=> b.name; order != 0) return order;
    return a.index <=> b.index;
  }
};
using BoundPath = std::vector<BoundElement>;

// `names` are the request's names by slot. Every placeholder of the path must have one.
std::string_view element_name(const ast::PathElement& element, std::span<const std::string_view> names);
BoundElement bind_element(const ast::PathElement& element, std::span<const std::string_view> names);
BoundPath bind_path(const ast::Path& path, std::span<const std::string_view> names);
bool same_path(const ast::Path& a, const ast::Path& b, std::span<const std::string_view> names);

// Returns the value at the path in `item`; nullopt if a step is missing or leads into another type.
std::optional<ValueView> follow(const ItemView& item, const ast::Path& path,
                                std::span<const std::string_view> names);

// "[a, b, [0]]", as AWS writes paths in messages.
std::string path_text(std::span<const BoundElement> path);

// How two paths of one update or projection clash.
enum class PathClash : std::uint8_t {
  None,
  Overlap,   // they are equal, or one leads into the other
  Conflict,  // they use the same attribute as a map and as a list
};
PathClash clash(std::span<const BoundElement> a, std::span<const BoundElement> b);

}  // namespace tavola::expr
