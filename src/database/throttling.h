// Reasons why a request was throttled: AWS's ThrottlingReasons ("Diagnosing throttling", Developer Guide).
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <tavola/error.h>

namespace tavola {

struct Throttled {
  enum class Kind : std::uint8_t { Read, Write };
  std::string table{};
  std::string index{};  // empty: the table itself
  Kind kind = Kind::Read;
  bool is_on_demand = false;  // by its OnDemandThroughput, not by its provisioned throughput
  friend bool operator==(const Throttled&, const Throttled&) = default;
};

// The detail of ProvisionedThroughputExceeded and Throttling errors.
struct ThrottlingDetail : ErrorDetail {
  explicit ThrottlingDetail(std::vector<Throttled> r) : reasons(std::move(r)) {}
  std::vector<Throttled> reasons{};
};

// "IndexWriteProvisionedThroughputExceeded"
inline std::string reason_name(const Throttled& throttled) {
  return std::string(throttled.index.empty() ? "Table" : "Index") +
         (throttled.kind == Throttled::Kind::Read ? "Read" : "Write") +
         (throttled.is_on_demand ? "MaxOnDemandThroughputExceeded" : "ProvisionedThroughputExceeded");
}

}  // namespace tavola
