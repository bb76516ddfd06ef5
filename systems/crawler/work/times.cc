#include "work/times.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <ctime>
#include <utility>

#include "web/sitemap.h"

namespace crawler {

std::string to_text(tavola::WallTime time) {
  const std::time_t seconds = std::chrono::floor<std::chrono::seconds>(time).time_since_epoch().count();
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  std::array<char, 32> text{};
  return {text.data(), std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts)};
}

std::chrono::steady_clock::duration pause_between_looks(std::chrono::steady_clock::duration least,
                                                        std::chrono::steady_clock::duration taken) {
  constexpr int kShare = 20;
  return std::max(least, kShare * taken);
}

tavola::WallTime now() {
  return std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
}

std::optional<tavola::WallTime> read_time(std::string_view text) { return latest_moment_of(text); }

std::optional<std::chrono::milliseconds> read_duration(std::string_view text) {
  std::uint32_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [unit_begin, problem] = std::from_chars(text.data(), end, number);
  if (problem != std::errc()) return std::nullopt;
  constexpr std::array<std::pair<std::string_view, std::int64_t>, 5> kUnits = {
      {{"ms", 1}, {"s", 1000}, {"m", 60'000}, {"h", 3'600'000}, {"d", 86'400'000}}};
  for (const auto& [unit, milliseconds] : kUnits) {
    if (std::string_view(unit_begin, end) == unit) return std::chrono::milliseconds(number * milliseconds);
  }
  return std::nullopt;
}

}  // namespace crawler
