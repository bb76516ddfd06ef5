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
    Unique,  // the guard of a unique field
  };
  Kind kind = Kind::Field;
  std::string name;  // the name of the field, the attribute or the copy
  FieldNames from;
};

// Returns everything that depends on the entity's fields. `known` may hold states: then only their keys
// count.
std::vector<Derived> derived_of(const Design& design, const Entity& entity, const Item& known);

// Returns the values affected by a change of the fields `changed`, in an order in which they can be computed.
std::vector<Derived> affected_by(const FieldNames& changed, std::vector<Derived> derived);

// Returns the fields a rule reads, without `others`: names that are not fields of the entity.
FieldNames fields_read(const Rule& rule);

}  // namespace tavola::design
