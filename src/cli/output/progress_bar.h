// A line on standard error that shows the progress of a long command; nothing if standard error is not a terminal.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace tavola::cli {

struct Progress {
  std::string_view doing;           // "copying music"
  std::string_view unit = "items";  // or "bytes", shown as KB, MB and GB
  std::uint64_t done = 0;
  std::uint64_t expected = 0;    // 0: unknown
  std::uint64_t per_second = 0;  // 0: not yet known
};

// "copying music  [#######-------------]  35%  42000 of 120000 items  12000 items/s  7 s left"; parts that are unknown are left
// out.
std::string progress_line(const Progress& progress);

// Removes its line when it ends.
class ProgressBar {
 public:
  explicit ProgressBar(std::string_view unit = "items");
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;
  ~ProgressBar();

  // Returns whether standard error is a terminal.
  static bool is_seen_by_people();

  // Draws the line, a few times a second at most. The rate is that since the first call, or since `done` began anew.
  void show(std::string_view doing, std::uint64_t done, std::uint64_t expected);

 private:
  using Time = std::chrono::steady_clock::time_point;

  const std::string unit_;
  const bool is_seen_;
  bool is_drawn_ = false;
  Time drawn_at_{};
  Time began_at_{};
  std::uint64_t first_ = 0;  // done when the rate was first measured: work of an earlier run is not ours
  std::uint64_t latest_ = 0;
};

}  // namespace tavola::cli
