// The fields of entities that operations take from parameters unless a step gives them a value.
#pragma once

#include <map>
#include <vector>

#include "design/model/model.h"

namespace tavola::design {

struct TakenFields {
  std::vector<const Attribute*> by_put;  // every field that has no other source of its value
  std::vector<const Attribute*> by_all;  // `take: all` of an update: every field that an update may change
};

// Finds them once for each entity, since operations can have very many steps. Borrows the design, whose entities, copies
// and retention have been read.
class FieldsToTake {
 public:
  explicit FieldsToTake(const Design& design) : design_(design) {}

  const TakenFields& of(const Entity& entity);

 private:
  const Design& design_;
  std::map<const Entity*, TakenFields> found_;
};

}  // namespace tavola::design
