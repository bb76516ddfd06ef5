#include "server/fixed_clock.h"

#include <fstream>

#include "design/model/timestamps.h"

namespace tavola::server {
namespace {

class FixedClock final : public Clock {
 public:
  explicit FixedClock(WallTime moment) : moment_(moment) {}
  WallTime now() const override { return moment_; }

 private:
  WallTime moment_;
};

std::optional<WallTime> moment_in(const std::string& file) {
  std::ifstream in(file);
  std::string word;
  in >> word;
  return design::parse_iso8601(word);
}

class FileClock final : public Clock {
 public:
  explicit FileClock(std::string file) : file_(std::move(file)) {}
  // A file that is being replaced may be missing for a moment; it held one at the start.
  WallTime now() const override { return moment_in(file_).value_or(WallTime()); }

 private:
  std::string file_;
};

}  // namespace

Result<std::shared_ptr<const Clock>> clock_of(const std::string& said) {
  // The machine's clock lives as long as the program: nobody owns it.
  if (said.empty()) return std::shared_ptr<const Clock>(std::shared_ptr<void>(), &Clock::system());
  if (const auto moment = design::parse_iso8601(said)) return std::make_shared<FixedClock>(*moment);
  if (moment_in(said)) return std::make_shared<FileClock>(said);
  return fail(Error::validation(
      "--clock must be a time like 2026-01-15T10:00:00Z, or a file that holds one (was " + said + ")"));
}

}  // namespace tavola::server
