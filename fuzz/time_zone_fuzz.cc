// Files of time zones with any bytes: one that is accepted has an offset of less than 27 hours at every time, and every day has a beginning.
#include <chrono>
#include <cstdint>
#include <string_view>

#include "base/assert.h"
#include "base/time_zone.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace std::chrono;
  const auto zone = tavola::TimeZone::parse({reinterpret_cast<const char*>(data), size});
  if (!zone) return 0;
  for (int year_number = 1900; year_number <= 2100; year_number += 7) {
    const sys_days day(year(year_number) / March / 31);
    const tavola::WallTime time{day};
    TAVOLA_ASSERT(abs(zone->offset_at(time)) < hours(27));
    TAVOLA_ASSERT(abs(zone->start_of(day) - time) < hours(54));
  }
  return 0;
}
