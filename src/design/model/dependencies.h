// What follows from which fields: so that a change writes what it must and reads no more than it needs.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "design/model/model.h"

namespace tavola::design {

using FieldNames = std::set<std::string, std::less<>>;

// Something that is computed from fields.
struct Derived {
  enum class Kind : std::uint8_t {
    Field,         // `value` or `derive`
    Presence,      // of a field with `when`
    KeyAttribute,  // of an index
    Copy,
    Unique,  // the guard of a unique field
  };
  Kind kind = Kind::Field;
  std::string name;  // of the field, the attribute or the copy
  FieldNames from;
};

// Everything that follows from the entity's fields. `known` may hold states: then only their keys count.
std::vector<Derived> derived_of(const Design& design, const Entity& entity, const Item& known);

// What is affected when the fields `changed` change, in an order in which it can be computed.
std::vector<Derived> affected_by(const FieldNames& changed, std::vector<Derived> derived);

// The fields a rule reads, `others` left out: names that are no fields of the entity.
FieldNames fields_read(const Rule& rule);

}  // namespace tavola::design
