#include "cli/output/progress_bar.h"

#include <array>
#include <cstdio>
#include <unistd.h>

namespace tavola::cli {
namespace {

constexpr std::uint64_t kWidth = 20;
constexpr std::chrono::milliseconds kBetween{100};
constexpr std::chrono::seconds kMeasured{1};  // before a rate is shown

// "512 bytes", "1.4 MB"
std::string bytes_text(std::uint64_t bytes) {
  constexpr std::array kUnits{"bytes", "KB", "MB", "GB", "TB"};
  auto amount = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; amount >= 1024 && unit + 1 < kUnits.size(); ++unit) amount /= 1024;
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), unit == 0 ? "%.0f %s" : "%.1f %s", amount, kUnits[unit]);
  return text.data();
}

std::string amount_text(std::uint64_t count, std::string_view unit) {
  return unit == "bytes" ? bytes_text(count) : std::to_string(count) + " " + std::string(unit);
}

std::string done_text(const Progress& now, bool has_end) {
  if (!has_end) return amount_text(now.done, now.unit);
  return (now.unit == "bytes" ? bytes_text(now.done) : std::to_string(now.done)) + " of " +
         amount_text(now.expected, now.unit);
}

// "45 s", "12 min", "3 h 5 min"
std::string time_text(std::uint64_t seconds) {
  constexpr std::uint64_t kMinute = 60;
  constexpr std::uint64_t kHour = 60 * kMinute;
  if (seconds < 2 * kMinute) return std::to_string(seconds) + " s";
  if (seconds < 2 * kHour) return std::to_string(seconds / kMinute) + " min";
  return std::to_string(seconds / kHour) + " h " + std::to_string(seconds % kHour / kMinute) + " min";
}

}  // namespace

std::string progress_line(const Progress& now) {
  std::string line(now.doing);
  // The expected number may be old (on AWS up to six hours): there may be more.
  const bool has_end = now.expected > 0 && now.done <= now.expected;
  if (has_end) {
    const double share = static_cast<double>(now.done) / static_cast<double>(now.expected);
    const auto full = static_cast<std::size_t>(share * static_cast<double>(kWidth));
    line += "  [" + std::string(full, '#') + std::string(kWidth - full, '-') + "]  " +
            std::to_string(static_cast<int>(share * 100)) + "%";
  }
  line += "  " + done_text(now, has_end);
  if (now.per_second == 0) return line;
  line += "  " + amount_text(now.per_second, now.unit) + "/s";
  if (has_end) line += "  " + time_text((now.expected - now.done) / now.per_second) + " left";
  return line;
}

bool ProgressBar::is_seen_by_people() { return isatty(STDERR_FILENO) == 1; }

ProgressBar::ProgressBar(std::string_view unit) : unit_(unit), is_seen_(is_seen_by_people()) {}

ProgressBar::~ProgressBar() {
  if (is_drawn_) std::fputs("\r\x1b[K", stderr);
}

void ProgressBar::show(std::string_view doing, std::uint64_t done, std::uint64_t expected) {
  if (!is_seen_) return;
  const Time now = std::chrono::steady_clock::now();
  if (began_at_ == Time() || done < latest_) {
    began_at_ = now;
    first_ = done;
  }
  latest_ = done;
  if (now - drawn_at_ < kBetween) return;
  drawn_at_ = now;
  is_drawn_ = true;
  const std::chrono::duration<double> passed = now - began_at_;
  const double rate = passed < kMeasured ? 0 : static_cast<double>(done - first_) / passed.count();
  const std::string line = progress_line({.doing = doing,
                                          .unit = unit_,
                                          .done = done,
                                          .expected = expected,
                                          .per_second = static_cast<std::uint64_t>(rate)});
  std::fprintf(stderr, "\r\x1b[K%s", line.c_str());
  std::fflush(stderr);
}

}  // namespace tavola::cli
