// One entity, compiled for compiled_rules.h: fields have numbers instead of names, attributes are in the order of
// packed items.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tavola/packed.h>

#include "design/model/model.h"
#include "design/model/template.h"
#include "expr/rules/number_rule.h"

namespace tavola::design {

inline constexpr std::size_t kNone = static_cast<std::size_t>(-1);

// A template whose placeholders know their fields.
struct KeyPlan {
  struct Part {
    std::string literal;                       // if there is no placeholder
    const Placeholder* placeholder = nullptr;  // of the entity's template
    std::size_t field = kNone;
    FieldForm form;
    std::string_view behind;  // the literal that follows it
    bool is_text = false;     // the value stands in the key as it is
  };
  std::vector<Part> parts;
  Type type = Type::String;
  std::size_t bytes_max = 0;
  bool is_text = true;  // every part is
  // For a key of an index, the key of the table in CompiledEntity::names that has the same template of texts; kNone: none has.
  std::size_t same_as = kNone;
};

// A rule, and the fields it reads.
struct RulePlan {
  const Rule* rule = nullptr;
  std::vector<std::size_t> fields;
  std::optional<expr::NumberRule>
      numbers{};  // the same rule, if it is arithmetic alone; its fields are in the same order
};

struct FieldPlan {
  const Attribute* attribute = nullptr;
  // Copies from the attribute, which is large: the rule reads these of every field of every write.
  Attribute::Auto automatic = Attribute::Auto::No;
  bool is_immutable = false;
  bool is_required = false;
  bool is_plain = false;  // a suitable value is taken unchanged: see from_plain()
  bool is_computed = false;
  // A text that suits if it has at most `bytes_surely_fit` bytes, no '#' if it is in a key, and is one of the values if there are any.
  bool is_plain_text = false;
  bool is_in_key = false;
  std::size_t bytes_surely_fit = kNone;
  // A number between `least` and `most`, if `is_integer` an integer, and nothing else is asked of it.
  bool is_bounded_number = false;
  bool is_integer = false;
  std::string least{};  // packed value bytes, which order as numbers do; empty: no bound
  std::string most{};
  std::string otherwise{};  // the default of a new item, as packed value bytes; empty: none
  std::string constant{};   // a `value` without fields, as packed value bytes
  std::optional<KeyPlan> value{};
  std::optional<RulePlan> derive{};
  AttributeType moment_type{};  // of an automatic timestamp
  bool is_any_moment = false;   // an automatic timestamp without bounds: now suits
};

struct StatePlan {
  const Lifecycle* lifecycle = nullptr;
  std::size_t field = kNone;
};

// The keys of one index.
struct IndexPlan {
  std::size_t hash_name = kNone;  // in CompiledEntity::names
  KeyPlan hash;
  std::size_t range_name = kNone;
  std::optional<KeyPlan> range;
  std::optional<RulePlan> when;
};

// A consequence of changes of the entity.
struct ConsequencePlan {
  const Consequence* consequence = nullptr;
  std::vector<std::size_t> fields;  // that decide whether it follows; empty: all do
  bool is_decidable = false;        // its `when` needs these fields alone
};

// A counter that counts the entity's items.
struct CounterPlan {
  // A field of the key of the item that counts.
  struct KeyField {
    std::size_t to = kNone;  // in the fields of the counting entity
    const Attribute* attribute = nullptr;
    std::size_t copied = kNone;  // the field whose value it has; kNone: the rule computes it
    RulePlan rule;
  };
  struct Counter {
    std::string name;
    std::optional<RulePlan> sum{};  // nothing: it counts items
  };
  const Entity* to = nullptr;  // the entity that counts
  std::string mark_name;       // the entity attribute; empty: the table has none
  std::string packed_mark;
  std::optional<RulePlan> when;
  std::vector<KeyField> key;
  std::string hash_name;
  KeyPlan hash;  // of fields of `to`
  std::string range_name;
  std::optional<KeyPlan> range;
  std::vector<Counter> counters;
  std::vector<std::size_t> fields;  // all fields of the counted items that it reads
};

// An attribute that an item of the entity may have.
struct NamePlan {
  std::string name;
  std::size_t field = kNone;  // it is a field
  bool is_table_key = false;
  bool is_stored = false;   // as the field that it is
  bool is_mark = false;     // the entity attribute: its value if no field gives one
  bool is_refused = false;  // the entity is closed and does not declare it
};

// Borrows its entity.
struct CompiledEntity {
  const Entity* entity = nullptr;
  std::string packed_mark;  // the value of the entity attribute
  KeyPlan hash;
  std::optional<KeyPlan> range;
  std::vector<FieldPlan> fields;            // as in the entity
  std::vector<std::size_t> in_turn;         // the fields, each after those it is made of
  std::vector<std::size_t> automatic;       // fields that are times
  std::vector<std::size_t> made_of_others;  // fields with a value, or derived
  std::vector<StatePlan> states;
  std::vector<std::pair<const EntityRule*, RulePlan>> rules;
  std::vector<IndexPlan> indexes;
  std::vector<NamePlan> names;                                       // ascending
  std::vector<std::pair<std::size_t, std::size_t>> names_of_fields;  // in names and in fields
  std::vector<std::size_t> index_keys;                               // of all indexes, in names
  std::size_t hash_name = kNone;                                     // the table's key, in names
  std::size_t range_name = kNone;
  std::size_t mark_name = kNone;        // the entity attribute, in names; kNone: the table has none
  std::vector<std::size_t> guarded;     // fields that a unique guard is made of
  std::vector<std::size_t> references;  // fields with `ref`
  std::vector<ConsequencePlan> consequences;
  std::vector<CounterPlan> counters;         // that its items change
  std::vector<std::size_t> seen_when_stuck;  // the fields that determine when it is stuck; empty: it never is

  std::size_t find_name(std::string_view name) const;  // kNone: not among them
};

// Null when the entity has something that only govern() knows.
std::unique_ptr<const CompiledEntity> compile_entity(const Design& design, const Entity& entity);

// Returns the number of a field; kNone: there is none of this name.
std::size_t number_of(const Entity& entity, std::string_view field);
// Returns the plan of a rule, or of a key of the entity. Nothing when it reads other fields than the entity's.
std::optional<RulePlan> plan_rule(const Entity& entity, const Rule& rule);
struct KeyBounds {
  Type type = Type::String;
  std::size_t bytes_max = 0;
};
std::optional<KeyPlan> plan_key(const Entity& entity, const Template& from, KeyBounds bounds);
// Returns whether a value is stored as sent; lists, maps, formats and bytes may be sent in another form.
bool is_taken_as_it_is(const Attribute& field);

// Returns tag and payload of one value, as in a packed item; nullopt if no item can have it.
std::optional<std::string> packed_value(const Value& value);

}  // namespace tavola::design
