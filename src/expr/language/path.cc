#include "expr/language/path.h"

#include <algorithm>

namespace tavola::expr {

namespace {

std::optional<ValueView> step(ValueView from, const ast::PathElement& element,
                              std::span<const std::string_view> names) {
  if (element.kind == ast::PathElement::Kind::Index) {
    if (from.type() != Type::List) return std::nullopt;
    return from.list().at(element.number);
  }
  if (from.type() != Type::Map) return std::nullopt;
  return from.map().find(element_name(element, names));
}

}  // namespace

std::string_view element_name(const ast::PathElement& element, std::span<const std::string_view> names) {
  return element.kind == ast::PathElement::Kind::Placeholder ? names[element.number] : element.name;
}

BoundElement bind_element(const ast::PathElement& element, std::span<const std::string_view> names) {
  if (element.kind == ast::PathElement::Kind::Index) return {{}, element.number, true};
  return {element_name(element, names), 0, false};
}

BoundPath bind_path(const ast::Path& path, std::span<const std::string_view> names) {
  BoundPath bound;
  bound.reserve(path.elements.size());
  for (const ast::PathElement& element : path.elements) bound.push_back(bind_element(element, names));
  return bound;
}

bool same_path(const ast::Path& a, const ast::Path& b, std::span<const std::string_view> names) {
  return std::ranges::equal(a.elements, b.elements, [&](const auto& x, const auto& y) {
    return bind_element(x, names) == bind_element(y, names);
  });
}

std::optional<ValueView> follow(const ItemView& item, const ast::Path& path,
                                std::span<const std::string_view> names) {
  std::optional<ValueView> value = item.find(element_name(path.elements.front(), names));
  for (std::size_t i = 1; value && i < path.elements.size(); ++i)
    value = step(*value, path.elements[i], names);
  return value;
}

std::string path_text(std::span<const BoundElement> path) {
  std::string text = "[";
  for (const BoundElement& element : path) {
    if (text.size() > 1) text += ", ";
    if (element.is_index) {
      text += '[' + std::to_string(element.index) + ']';
    } else {
      text += element.name;
    }
  }
  return text + ']';
}

PathClash clash(std::span<const BoundElement> a, std::span<const BoundElement> b) {
  const auto [in_a, in_b] = std::ranges::mismatch(a, b);
  if (in_a == a.end() || in_b == b.end()) return PathClash::Overlap;
  return in_a->is_index != in_b->is_index ? PathClash::Conflict : PathClash::None;
}

}  // namespace tavola::expr
