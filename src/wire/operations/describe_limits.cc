#include "json/writer.h"
#include "wire/codec/operations.h"

namespace tavola::wire {

// AWS's default quotas of an account and a table.
Result<std::string> describe_limits(const Call&) {
  constexpr std::int64_t kAccountUnits = 80'000;
  constexpr std::int64_t kTableUnits = 40'000;
  std::string out;
  json::Writer json(out);
  json.begin_object();
  json.name("AccountMaxReadCapacityUnits").integer(kAccountUnits);
  json.name("AccountMaxWriteCapacityUnits").integer(kAccountUnits);
  json.name("TableMaxReadCapacityUnits").integer(kTableUnits);
  json.name("TableMaxWriteCapacityUnits").integer(kTableUnits);
  json.end_object();
  return out;
}

}  // namespace tavola::wire
