#include "server/log/repeated_event.h"

#include <algorithm>

namespace tavola::server {
namespace {

constexpr std::chrono::seconds kQuietPeriod(1);
constexpr std::size_t kKindsMax = 8;

}  // namespace

RepeatedEvent::RepeatedEvent(Log& log, LogLevel level, std::string event, Later later)
    : log_(log), level_(level), event_(std::move(event)), later_(std::move(later)) {}

void RepeatedEvent::happened(LogFields fields) {
  const MutexLock lock(mutex_);
  Fields these(fields.begin(), fields.end());
  const auto known = std::ranges::find(kinds_, these, &Kind::fields);
  if (known != kinds_.end()) {
    ++known->count;
  } else if (kinds_.size() < kKindsMax) {
    kinds_.push_back({std::move(these), 1});
  } else {
    ++others_;
  }
  if (is_line_due_) return;
  const Moment now = std::chrono::steady_clock::now();
  if (now >= quiet_until_) return write_lines();
  is_line_due_ = true;
  later_(std::chrono::ceil<std::chrono::milliseconds>(quiet_until_ - now), [this] { end_period(); });
}

void RepeatedEvent::end_period() {
  const MutexLock lock(mutex_);
  is_line_due_ = false;
  write_lines();
}

void RepeatedEvent::write_lines() {
  for (const Kind& kind : kinds_) {
    const std::string times = std::to_string(kind.count);
    std::vector<LogField> fields(kind.fields.begin(), kind.fields.end());
    if (kind.count > 1) fields.emplace_back("times", times);
    log_.write(level_, event_, LogFields(fields));
  }
  if (others_ > 0) log_.write(level_, event_, {{"others", std::to_string(others_)}});
  kinds_.clear();
  others_ = 0;
  quiet_until_ = std::chrono::steady_clock::now() + kQuietPeriod;
}

}  // namespace tavola::server
