#include "cli/progress_bar.h"

#include <algorithm>
#include <cstdio>
#include <unistd.h>

namespace tavola::cli {
namespace {

constexpr std::uint64_t kWidth = 20;
constexpr std::chrono::milliseconds kBetween{100};

}  // namespace

std::string progress_line(std::string_view doing, std::uint64_t done, std::uint64_t expected) {
  std::string line(doing);
  // What is expected may be old (on AWS up to six hours): more may come.
  if (expected > 0 && done <= expected) {
    const double share = static_cast<double>(done) / static_cast<double>(expected);
    const auto full = static_cast<std::size_t>(share * static_cast<double>(kWidth));
    line += "  [" + std::string(full, '#') + std::string(kWidth - full, '-') + "]  " +
            std::to_string(static_cast<int>(share * 100)) + "%";
  }
  return line + "  " + std::to_string(done);
}

bool ProgressBar::is_seen_by_people() { return isatty(STDERR_FILENO) == 1; }

ProgressBar::ProgressBar() : is_seen_(is_seen_by_people()) {}

ProgressBar::~ProgressBar() {
  if (is_drawn_) std::fputs("\r\x1b[K", stderr);
}

void ProgressBar::show(std::string_view doing, std::uint64_t done, std::uint64_t expected) {
  const auto now = std::chrono::steady_clock::now();
  if (!is_seen_ || now - drawn_at_ < kBetween) return;
  drawn_at_ = now;
  is_drawn_ = true;
  std::fprintf(stderr, "\r\x1b[K%s", progress_line(doing, done, expected).c_str());
  std::fflush(stderr);
}

}  // namespace tavola::cli
