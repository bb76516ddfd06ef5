// The writes that put drift right: each on the condition that what it was computed from is still as it was seen.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <tavola/database.h>

#include "design/model/model.h"
#include "drift/drift_item.h"

namespace tavola::drift {

// What became of a write.
struct Mending {
  enum class Outcome : std::uint8_t {
    Done,
    Changed,  // something is not as it was seen any more: look again
    Refused,  // it cannot be written
  };
  Outcome outcome = Outcome::Done;
  std::string reason{};
};

// An item as it was seen: its attributes, or that it was not there.
struct Seen {
  Item key{};
  std::optional<Item> item{};
};

class DriftWrites {
 public:
  DriftWrites(Database& database, const design::Design& design) : database_(database), design_(design) {}

  Result<std::optional<Item>> read(const Item& key) const;
  Item key_of(const Item& item) const;

  // Sets and removes attributes of an item; others that came meanwhile stay.
  Result<Mending> correct(const Item& seen, const Corrections& corrections) const;
  // Puts `item` where `there` was seen, as long as `source` is as it was seen.
  Result<Mending> put(const Item& item, const Seen& there, const Seen& source) const;
  Result<Mending> remove(const Seen& there, const Seen& source) const;

 private:
  Database& database_;
  const design::Design& design_;
};

}  // namespace tavola::drift
