// One write of an item of an entity while the long way (govern.h) decides on it: what was stored, what the client wants, and the
// fields as the steps of the rule have made them so far.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <tavola/error.h>
#include <tavola/value.h>

#include "design/model/ambient.h"
#include "design/model/model.h"
#include "design/rules/asked_update.h"

namespace tavola::design {

// Borrows everything but the fields.
struct EntityChange {
  const Design& design;
  const Entity& entity;
  const Ambient& ambient;
  const std::optional<Item>& before;   // the stored item; nothing: there is none
  const Item& after;                   // the item that the client wants
  const AskedUpdate* asked = nullptr;  // the update that makes it; null: a put
  const Item* old_fields;              // those of `before`; null: it was missing, or of another entity
  Item fields;                         // at first those of `after`; each step of the rule completes them

  bool is_new() const { return old_fields == nullptr; }
  // Returns null if the entity is new or did not have the field.
  const Value* old_value(std::string_view field) const;
  bool is_changed(std::string_view field) const;
  // Returns whether the value is the client's: an update assigns it, or it is another than before. A put that repeats a value leaves it.
  bool is_sent(std::string_view field) const;

  Error refusal(const std::string& message, const Span& at) const;
  // Returns the error of one field; the message goes on after the field's name.
  Error refusal(const Attribute& field, const std::string& message) const;
};

// Returns null if the item has no such attribute.
const Value* find_value(const Item& item, std::string_view name);
const Value* find_value(const std::optional<Item>& item, std::string_view name);

// Returns whether both are missing or have equal values.
bool same(const Value* a, const Value* b);

}  // namespace tavola::design
