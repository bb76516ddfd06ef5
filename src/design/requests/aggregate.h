// Aggregates: rows computed from the items of a pattern, one for each group. Pure; the runner reads the items.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <tavola/error.h>
#include <tavola/value.h>

#include "design/model/ambient.h"
#include "design/model/model.h"

namespace tavola::design {

// An average has this many digits after the point, unless it is rounded to another number of them.
inline constexpr int kAverageDigits = 10;

// Returns "count", "sum", "min", "max" or "avg".
std::string_view measure_name(Measure::Function function);
// Returns the measure as it is written: "round(avg(stars), 2)".
std::string measure_text(const Measure& measure);

// Sums are exact, and an average is an exact sum, divided and rounded once. The memory is bounded by the number and the
// bytes of the groups.
class Aggregation {
 public:
  static constexpr std::size_t kGroupsMax = 10'000;
  static constexpr std::size_t kItemsMax = 1'000'000;
  static constexpr std::size_t kBytesMax =
      std::size_t{16} * 1024 * 1024;  // of the groups' values, least and greatest ones

  // Borrows both. `parameters` are checked (arguments.h).
  Aggregation(const Pattern& pattern, const Item& parameters, const Ambient& ambient);

  // Adds the item of an entity. A missing value is not counted, summed up or compared, and is a group of its own. Fails with Validation
  // if there are too many items, groups or bytes, or if a value cannot be computed.
  Result<void> add(const Item& fields);

  std::size_t items() const { return items_; }

  // Returns the rows in the pattern's order, the first `limit` of them. Without groups there is always one.
  Result<std::vector<Item>> rows(std::optional<std::int64_t> limit) &&;

 private:
  // The part of a measure that is known so far.
  struct Partial {
    std::size_t count = 0;  // values
    Number sum;
    Number per;
    std::optional<Value> extreme;
  };
  struct Group {
    Item values;
    std::vector<Partial> partials;  // one for each measure
  };

  Result<Group*> group_of(const Item& fields);
  Result<void> add(const Measure& measure, const Item& fields, Partial& partial);
  void keep_extreme(Partial& partial, const Value& value);
  Result<std::optional<Value>> value_of(const Rule& rule, const Item& fields) const;
  bool comes_before(const Item& a, const Item& b) const;

  const Pattern& pattern_;
  const Item& parameters_;
  Ambient ambient_;
  std::map<std::string, Group, std::less<>> groups_;  // by their values, packed
  std::size_t items_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace tavola::design
