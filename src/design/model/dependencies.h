// Dependencies between fields: a change writes what it must and reads no more than it needs.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "design/model/model.h"

namespace tavola::design {

using FieldNames = std::set<std::string, std::less<>>;

// A value that is computed from fields.
struct Derived {
  enum class Kind : std::uint8_t {
    Field,         // `value` or `derive`
    Presence,      // the presence of a field with `when`
    KeyAttribute,  // a key attribute of an index
    Copy,
    Unique,       // the guard of a unique field
    Rule,         // whether the item keeps a rule of the entity
    Consequence,  // an item that follows from a change
  };
  Kind kind = Kind::Field;
  std::string name;  // the name of the field, the attribute, the copy or the rule
  FieldNames from;
};

// Returns whether it is held by another item.
constexpr bool is_elsewhere(Derived::Kind kind) {
  return kind == Derived::Kind::Copy || kind == Derived::Kind::Unique || kind == Derived::Kind::Consequence;
}

// Returns everything that depends on the entity's fields. `known` may hold states: then only their keys
// count.
std::vector<Derived> derived_of(const Design& design, const Entity& entity, const Item& known);

// Returns the values affected by a change of the fields `changed`, in an order in which they can be computed.
std::vector<Derived> affected_by(const FieldNames& changed, std::vector<Derived> derived);

// Returns the fields a rule reads, without `others`: names that are not fields of the entity.
FieldNames fields_read(const Rule& rule);

// Returns the fields of a changed item that decide whether the consequence follows: those in its `when`. Empty: every field does.
FieldNames deciding_fields(const Consequence& consequence);
// Returns all fields of a changed item of the entity that the consequence reads, the deciding ones included.
FieldNames fields_read(const Consequence& consequence, const Entity& entity);
bool is_of(const Consequence& consequence, const Entity& entity);
// Returns whether its `when` uses the items that it reads: then they are read first.
bool decides_by_reads(const Consequence& consequence);
// Returns whether a rule of a consequence uses `before` or `after` as a whole: then it sees them without sensitive values.
bool uses_whole_image(const Rule& rule);

}  // namespace tavola::design
