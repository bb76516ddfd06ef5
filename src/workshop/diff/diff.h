// The differences between two designs, and their consequences for an existing table.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "design/model/model.h"

namespace tavola::workshop {

struct Difference {
  enum class Class : std::uint8_t {
    Change,    // stored items are not affected
    Backfill,  // stored items must be written again to agree
    Breaks,    // stored items or clients do not fit any more
  };
  Class what = Class::Change;
  std::string part;     // "Product.sku", "GSI2", "listProducts"
  std::string message;  // "is new and required"
};

// Returns the differences in the order of the parts: design, table, indexes, entities, copies, patterns, operations,
// roles, retention.
std::vector<Difference> diff(const design::Design& before, const design::Design& after);

// "breaks    Product.sku: is gone"
std::string to_text(const Difference& difference);
// Returns a line for each. Without differences, returns a line that says so.
std::string to_text(const std::vector<Difference>& differences);
std::string to_json(const std::vector<Difference>& differences);

}  // namespace tavola::workshop
