// The repairs of drift: each write is conditional on its inputs being unchanged.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <tavola/database.h>

#include "design/model/model.h"
#include "drift/drift_item.h"

namespace tavola::drift {

// The outcome of a write.
struct Mending {
  enum class Outcome : std::uint8_t {
    Done,
    Changed,  // an input changed: check again
    Refused,  // it cannot be written
  };
  Outcome outcome = Outcome::Done;
  std::string reason{};
};

// An item as it was read: its attributes, or its absence.
struct Seen {
  Item key{};
  std::optional<Item> item{};
};

class DriftWrites {
 public:
  DriftWrites(Database& database, const design::Design& design) : database_(database), design_(design) {}

  Result<std::optional<Item>> read(const Item& key) const;
  Item key_of(const Item& item) const;

  // Sets and removes attributes of an item; concurrent changes of others are kept.
  Result<Mending> correct(const Item& seen, const Corrections& corrections) const;
  // Puts `item` in place of `there`, if `source` is unchanged.
  Result<Mending> put(const Item& item, const Seen& there, const Seen& source) const;
  Result<Mending> remove(const Seen& there, const Seen& source) const;

 private:
  Database& database_;
  const design::Design& design_;
};

}  // namespace tavola::drift
