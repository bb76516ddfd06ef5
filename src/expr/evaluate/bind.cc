#include "expr/evaluate/bind.h"

#include <algorithm>

#include "expr/language/lexer.h"
#include "value/attribute_name.h"
#include "value/limits.h"

namespace tavola::expr {

namespace {

// Returns the keys of `all` that are not in `used`, as "#a, #b".
template <class Keys>
std::string unused(const Keys& all, std::vector<std::string_view> used) {
  std::ranges::sort(used);
  std::string keys;
  for (const auto& [key, value] : all) {
    if (std::ranges::binary_search(used, std::string_view(key))) continue;
    if (!keys.empty()) keys += ", ";
    keys += key;
  }
  return keys;
}

std::vector<BoundPath> bind_paths(const std::vector<ast::Path>& paths,
                                  std::span<const std::string_view> names) {
  std::vector<BoundPath> bound;
  bound.reserve(paths.size());
  for (const ast::Path& path : paths) bound.push_back(bind_path(path, names));
  return bound;
}

}  // namespace

Bindings Scope::resolve(const ast::Placeholders& placeholders) {
  Bindings bindings;
  bindings.names.reserve(placeholders.names.size());
  for (const std::string& placeholder : placeholders.names) {
    const auto found = names_.find(placeholder);
    if (found == names_.end()) {
      bindings.names.emplace_back();
      continue;
    }
    bindings.names.emplace_back(found->second);
    used_names_.emplace_back(found->first);
  }
  bindings.values.reserve(placeholders.values.size());
  for (const std::string& placeholder : placeholders.values) {
    const std::optional<ValueView> found = values_.find(placeholder);
    bindings.values.push_back(found.value_or(ValueView(std::string_view())));
    if (found) used_values_.emplace_back(placeholder);
  }
  return bindings;
}

Result<void> Scope::check_all_used() const {
  if (const std::string keys = unused(names_, used_names_); !keys.empty())
    return fail(messages::unused_names(keys));
  if (const std::string keys = unused(values_, used_values_); !keys.empty()) {
    return fail(messages::unused_values(keys));
  }
  return {};
}

Result<void> Scope::check_keys() const {
  for (const auto& [key, name] : names_) {
    if (key.size() > limits::kPlaceholderBytesMax) return fail(messages::name_key_too_long(key.size()));
    if (!is_placeholder(key, '#')) return fail(messages::malformed_name_key(key));
    if (name.empty()) return fail(messages::empty_name(key));
    TAVOLA_CHECK(check_attribute_name(name));
  }
  for (const auto& [key, value] : values_) {
    if (key.size() > limits::kPlaceholderBytesMax) return fail(messages::value_key_too_long());
    if (!is_placeholder(key, ':')) return fail(messages::malformed_value_key(key));
  }
  return {};
}

std::optional<std::string> undefined_name(const ast::Path& path, const ast::Placeholders& placeholders,
                                          const Bindings& bindings) {
  for (const ast::PathElement& element : path.elements) {
    if (element.kind != ast::PathElement::Kind::Placeholder) continue;
    if (bindings.names[element.number].empty()) {
      return messages::undefined_name(placeholders.names[element.number]);
    }
  }
  return std::nullopt;
}

std::optional<std::string> undefined_placeholder(const ast::Operand& operand,
                                                 const ast::Placeholders& placeholders,
                                                 const Bindings& bindings) {
  if (const auto* path = std::get_if<ast::Path>(&operand.form))
    return undefined_name(*path, placeholders, bindings);
  if (const auto* value = std::get_if<ast::ValueSlot>(&operand.form)) {
    if (!bindings.values[value->slot].bytes().empty()) return std::nullopt;
    return messages::undefined_value(placeholders.values[value->slot]);
  }
  for (const ast::Operand& argument : std::get<ast::Call>(operand.form).operands) {
    if (auto detail = undefined_placeholder(argument, placeholders, bindings)) return detail;
  }
  return std::nullopt;
}

std::optional<std::string> too_deep(const ast::Path& path) {
  if (path.elements.size() <= limits::kNestingLevelsMax) return std::nullopt;
  return messages::path_too_deep(path.elements.size());
}

// Compares each path with all before it, in the order of the text.
Result<void> check_clashes(const std::vector<BoundPath>& paths, ExpressionKind kind) {
  std::optional<std::string> conflict;
  for (std::size_t two = 1; two < paths.size(); ++two) {
    for (std::size_t one = 0; one < two; ++one) {
      const PathClash found = clash(paths[one], paths[two]);
      if (found == PathClash::None) continue;
      const std::string first = path_text(paths[one]);
      const std::string second = path_text(paths[two]);
      if (found == PathClash::Overlap)
        return fail(messages::invalid(kind, messages::paths_overlap(first, second)));
      if (!conflict) conflict = messages::paths_conflict(first, second);
    }
  }
  if (conflict) return fail(messages::invalid(kind, *conflict));
  return {};
}

Result<void> bind_projection(const ast::Projection& tree, Bindings& bindings) {
  constexpr ExpressionKind kKind = ExpressionKind::Projection;
  for (const ast::Path& path : tree.paths) {
    if (const auto detail = undefined_name(path, tree.placeholders, bindings)) {
      return fail(messages::invalid(kKind, *detail));
    }
    if (const auto detail = too_deep(path)) return fail(messages::invalid(kKind, *detail));
  }
  bindings.paths = bind_paths(tree.paths, bindings.names);
  std::ranges::sort(bindings.paths);
  const bool clashing = std::ranges::adjacent_find(bindings.paths, clashes) != bindings.paths.end();
  if (clashing) return check_clashes(bind_paths(tree.paths, bindings.names), kKind);
  return {};
}

}  // namespace tavola::expr
