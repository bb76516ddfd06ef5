// One write of an item of an entity while the short way (compiled_rules.h) decides on it, as EntityChange is for the long way: the
// fields have the numbers of a CompiledEntity, and their values are the bytes of packed items.
#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tavola/packed.h>
#include <tavola/value.h>

#include "design/model/ambient.h"
#include "design/rules/asked_update.h"
#include "design/rules/compiled_entity.h"

namespace tavola::design {

using Bytes = std::string_view;         // of a packed value; empty: there is none
using FieldBytes = std::vector<Bytes>;  // by the numbers of the fields

inline bool is_text(Bytes value) { return !value.empty() && ValueView(value).type() == Type::String; }
inline std::string_view text_of(Bytes value) { return ValueView(value).string(); }

// Returns whether the fields have all parts of the key.
bool has_all(const KeyPlan& key, const FieldBytes& fields);

// Borrows the plan, the ambient and the items' bytes. A member that returns bool returns false when govern() must decide.
struct PackedChange {
  const CompiledEntity& plan;
  const Ambient& ambient;
  const AskedUpdate* const asked;  // null: a put
  const bool is_new;
  FieldBytes fields;                     // each step of the rule completes them
  FieldBytes old_fields;                 // empty values if the item is new
  std::vector<MapView::Entry> others{};  // attributes that the plan does not know
  std::vector<MapView::Entry> old_others{};
  std::deque<std::string> made{};  // bytes that are in neither item

  bool is_changed(std::size_t field) const { return fields[field] != old_fields[field]; }
  Item unpacked(const std::vector<std::size_t>& wanted) const;
  // Returns the fields as they were, with times in their usual form.
  Item old_unpacked(const std::vector<std::size_t>& wanted) const;

  // Keeps bytes as long as this object lives.
  Bytes keep(std::string bytes) { return made.emplace_back(std::move(bytes)); }
  bool keep(const Value& value, Bytes& out);

  // Takes the fields from a key; they may not contradict those that are known.
  bool read_key(const KeyPlan& key, Bytes value);
  // Makes a key of the fields. Leaves `out` empty when a part is missing.
  bool render_key(const KeyPlan& key, Bytes& out);
};

}  // namespace tavola::design
