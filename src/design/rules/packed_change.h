// One write of an item of an entity while the short way (compiled_rules.h) decides on it, as EntityChange is for the long way: the
// fields have the numbers of a CompiledEntity, and their values are the bytes of packed items.
#pragma once

#include <array>
#include <cstddef>
#include <cstring>
#include <memory>
#include <memory_resource>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include <tavola/packed.h>
#include <tavola/value.h>

#include "design/model/ambient.h"
#include "design/rules/asked_update.h"
#include "design/rules/compiled_entity.h"

namespace tavola::design {

using Bytes = std::string_view;       // of a packed value; empty: there is none
using FieldBytes = std::span<Bytes>;  // by the numbers of the fields, or of the names
using Entries = std::pmr::vector<MapView::Entry>;

inline bool is_text(Bytes value) { return !value.empty() && ValueView(value).type() == Type::String; }
inline std::string_view text_of(Bytes value) { return ValueView(value).string(); }

// Returns whether the fields have all parts of the key.
bool has_all(const KeyPlan& key, const FieldBytes& fields);

// The memory of one decision, freed as a whole. Most decisions need no more than its first part, which is on the stack.
class Scratch {
 public:
  Scratch() : memory_(first_.data(), first_.size()) {}
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  std::pmr::memory_resource* memory() { return &memory_; }
  char* allocate(std::size_t bytes) { return static_cast<char*>(memory_.allocate(bytes, 1)); }
  // Returns so many empty values. They are made by memset, because a loop takes ten times as long: zeros are an empty
  // string_view (compiled_rules_test.cc).
  FieldBytes values(std::size_t count) {
    static_assert(std::is_trivially_copyable_v<Bytes> && std::is_trivially_destructible_v<Bytes>);
    void* const memory = memory_.allocate(count * sizeof(Bytes), alignof(Bytes));
    return {static_cast<Bytes*>(std::memset(memory, 0, count * sizeof(Bytes))), count};
  }

 private:
  alignas(std::max_align_t) std::array<std::byte, 4096> first_;
  std::pmr::monotonic_buffer_resource memory_;
};

// Borrows the plan, the ambient, the scratch and the items' bytes. A member that returns bool returns false when govern() must
// decide.
struct PackedChange {
  const CompiledEntity& plan;
  const Ambient& ambient;
  const AskedUpdate* const asked;  // null: a put
  Scratch& scratch;
  const bool is_new;
  FieldBytes fields = scratch.values(plan.fields.size());      // each step of the rule completes them
  FieldBytes old_fields = scratch.values(plan.fields.size());  // empty values if the item is new
  Entries others{scratch.memory()};                            // attributes that the plan does not know
  Entries old_others{scratch.memory()};

  bool is_changed(std::size_t field) const { return fields[field] != old_fields[field]; }
  Item unpacked(const std::vector<std::size_t>& wanted) const;
  // Returns the fields as they were, with times in their usual form.
  Item old_unpacked(const std::vector<std::size_t>& wanted) const;

  // Makes a packed value, which lives as long as the scratch.
  Bytes keep_text(std::string_view text);
  Bytes keep_number(const Number& number);
  bool keep(const Value& value, Bytes& out);

  // Takes the fields from a key; they may not contradict those that are known.
  bool read_key(const KeyPlan& key, Bytes value);
  // Makes a key of the fields. Leaves `out` empty when a part is missing.
  bool render_key(const KeyPlan& key, Bytes& out) { return render_key(key, fields, out); }
  // Makes a key of the fields of another entity.
  bool render_key(const KeyPlan& key, const FieldBytes& of, Bytes& out);

 private:
  Bytes kept(std::string_view bytes);
  bool take_part(const KeyPlan::Part& part, std::string_view text);
  bool join_texts(const KeyPlan& key, const FieldBytes& of, Bytes& out);
  bool join_parts(const KeyPlan& key, const FieldBytes& of, Bytes& out);
};

}  // namespace tavola::design
