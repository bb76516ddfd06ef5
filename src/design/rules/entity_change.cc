#include "design/rules/entity_change.h"

#include "design/model/refusal.h"

namespace tavola::design {

const Value* EntityChange::old_value(std::string_view field) const {
  return is_new() ? nullptr : find_value(*old_fields, field);
}

bool EntityChange::is_changed(std::string_view field) const {
  return !same(find_value(fields, field), old_value(field));
}

bool EntityChange::is_sent(std::string_view field) const {
  return find_value(fields, field) != nullptr &&
         (is_changed(field) || (asked != nullptr && asked->assigns(field)));
}

Error EntityChange::refusal(const std::string& message, const Span& at) const {
  return design::refusal(design, message, at);
}

Error EntityChange::refusal(const Attribute& field, const std::string& message) const {
  return refusal(entity.name + "." + field.name + " " + message, field.at);
}

const Value* find_value(const Item& item, std::string_view name) {
  const auto found = item.find(name);
  return found == item.end() ? nullptr : &found->second;
}

const Value* find_value(const std::optional<Item>& item, std::string_view name) {
  return item ? find_value(*item, name) : nullptr;
}

bool same(const Value* a, const Value* b) {
  if (a == nullptr || b == nullptr) return a == b;
  return *a == *b;
}

}  // namespace tavola::design
