// A line on standard error that tells how far a long command is; nothing where no person looks.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace tavola::cli {

// "reading  [#######-------------]  35%  42000": without an end that is known, the number alone.
std::string progress_line(std::string_view doing, std::uint64_t done, std::uint64_t expected);

// Its line is gone when it ends.
class ProgressBar {
 public:
  ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;
  ~ProgressBar();

  // Standard error is a terminal.
  static bool is_seen_by_people();

  // Drawn a few times a second at most, however often it is called.
  void show(std::string_view doing, std::uint64_t done, std::uint64_t expected);

 private:
  const bool is_seen_;
  bool is_drawn_ = false;
  std::chrono::steady_clock::time_point drawn_at_{};
};

}  // namespace tavola::cli
