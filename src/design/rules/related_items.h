// The fields of an item that depend on other items: counters that they maintain, snapshots taken of them, references to them.
#pragma once

#include <string>
#include <vector>

#include <tavola/error.h>
#include <tavola/packed.h>
#include <tavola/value.h>

#include "design/rules/entity_change.h"
#include "design/rules/table_lookup.h"

namespace tavola::design {

// An item that must exist for another to be there.
struct Reference {
  PackedItem key;
  Error missing;  // if it does not exist
};

// The client's values of fields that counters maintain.
struct SentCounters {
  Item values;
  std::string message;  // the error if they are not the final counts
};

// Keeps the fields of counters as they were, and returns what the client sent instead.
SentCounters reset_counters(EntityChange& change);

// Takes snapshots of other entities if the item is new, unless the client wrote the values. Returns false if an item was not read yet.
Result<bool> take_snapshots(EntityChange& change, const TableLookup& lookup);

// Returns the targets of new and changed references.
std::vector<Reference> references_of(const EntityChange& change);

}  // namespace tavola::design
