// What changed from one design to another, and what it means for the table that exists.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "design/model/model.h"

namespace tavola::workshop {

struct Difference {
  enum class Class : std::uint8_t {
    Change,    // nothing stored is affected
    Backfill,  // what is stored must be written again to agree
    Breaks,    // stored items, or those who ask, do not fit any more
  };
  Class what = Class::Change;
  std::string part;     // "Product.sku", "GSI2", "listProducts"
  std::string message;  // "is new and required"
};

// In the order of the parts: table, indexes, entities, copies, patterns, operations, roles, retention.
std::vector<Difference> diff(const design::Design& before, const design::Design& after);

// A line each: "breaks    Product.sku: is gone". Without differences a line that says so.
std::string to_text(const std::vector<Difference>& differences);
std::string to_json(const std::vector<Difference>& differences);

}  // namespace tavola::workshop
