// AttributeUpdates, AttributesToGet, and code shared by the legacy parameters.
#include <algorithm>
#include <array>
#include <charconv>
#include <unordered_set>
#include <utility>

#include "expr/evaluate/legacy.h"
#include "expr/language/messages.h"
#include "value/attribute_name.h"

namespace tavola::expr {

namespace {

constexpr std::size_t kSlotDigits = 8;

// Slot numbers as names that sort like the numbers.
std::string slot_name(std::size_t slot) {
  std::string name = std::to_string(slot);
  return std::string(kSlotDigits - name.size(), '0') + name;
}

Result<void> check_update(const AttributeUpdate& update) {
  if (!update.value) {
    if (update.action != UpdateAction::Delete) return fail(messages::legacy_update_without_value());
    return {};
  }
  const Type type = update.value->type();
  if (update.action == UpdateAction::Delete && !is_set(type)) return fail(messages::legacy_delete_type(type));
  const bool addable = is_set(type) || type == Type::Number || type == Type::List;
  if (update.action == UpdateAction::Add && !addable) return fail(messages::legacy_add_type(type));
  return {};
}

ast::Section section(const AttributeUpdate& update) {
  if (!update.value) return ast::Section::Remove;
  switch (update.action) {
    case UpdateAction::Add:
      return ast::Section::Add;
    case UpdateAction::Delete:
      return ast::Section::Delete;
    default:
      return ast::Section::Set;
  }
}

}  // namespace

ast::Operand OperandCollector::add(const Value& value) {
  values_.push_back(&value);
  return {ast::ValueSlot{static_cast<std::uint32_t>(values_.size() - 1)}};
}

Result<std::shared_ptr<Bindings>> OperandCollector::bind() && {
  Item item;
  for (std::size_t slot = 0; slot < values_.size(); ++slot) item.emplace(slot_name(slot), *values_[slot]);
  auto bindings = std::make_shared<Bindings>();
  TAVOLA_TRY(bindings->own_values, pack(item));
  for (const auto& [name, value] : bindings->own_values.view()) bindings->values.push_back(value);
  return bindings;
}

ast::Path attribute_path(std::string_view name) {
  ast::Path path;
  path.elements.push_back({ast::PathElement::Kind::Name, 0, std::string(name)});
  return path;
}

Result<Translated<ast::Projection>> translate(const std::vector<std::string>& attributes_to_get) {
  if (attributes_to_get.empty()) return Translated<ast::Projection>{};
  auto tree = std::make_shared<ast::Projection>();
  std::unordered_set<std::string_view> names;
  for (const std::string& name : attributes_to_get) {
    if (!names.insert(name).second) return fail(messages::legacy_duplicate_attribute(name));
    tree->paths.push_back(attribute_path(name));
  }
  auto bindings = std::make_shared<Bindings>();
  TAVOLA_CHECK(bind_projection(*tree, *bindings));
  return Translated<ast::Projection>{std::move(tree), std::move(bindings)};
}

Result<Translated<ast::Update>> translate(const AttributeUpdates& updates) {
  if (updates.empty()) return Translated<ast::Update>{};
  auto tree = std::make_shared<ast::Update>();
  tree->older_parameters = true;
  OperandCollector collector;
  for (const auto& [name, update] : updates) {
    TAVOLA_CHECK(check_attribute_name(name));
    TAVOLA_CHECK(check_update(update));
    ast::Action action{section(update), attribute_path(name), std::nullopt};
    if (update.value) action.value = collector.add(*update.value);
    tree->actions.push_back(std::move(action));
  }
  TAVOLA_TRY(std::shared_ptr<Bindings> bindings, std::move(collector).bind());
  TAVOLA_CHECK(bind_update(*tree, *bindings));
  return Translated<ast::Update>{std::move(tree), std::move(bindings)};
}

}  // namespace tavola::expr
