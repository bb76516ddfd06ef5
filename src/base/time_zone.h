// Time zones of the IANA database, by their names: Europe/Berlin. They are read from the files of the system (the package tzdata), in the format
// TZif (RFC 9636). UTC needs no file.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tavola/error.h>

#include "base/clock.h"

namespace tavola {

// Thread safety: immutable.
class TimeZone {
 public:
  // Returns the zone of this name, which stays known until the process ends. Fails with Validation if there is none, or if the system has no
  // time zones: then the message names the package.
  static Result<std::shared_ptr<const TimeZone>> find(std::string_view name);
  // Reads a zone from another folder than the system's.
  static Result<TimeZone> read(const std::filesystem::path& folder, std::string_view name);
  // Reads the contents of a file.
  static Result<TimeZone> parse(std::string_view bytes);

  TimeZone() = default;  // UTC

  // Returns the difference between local time and UTC at a time.
  std::chrono::seconds offset_at(WallTime time) const;
  // Returns the day in this zone.
  std::chrono::sys_days day_at(WallTime time) const;
  // Returns the first moment of a day. It is not midnight if the clocks are put forward then.
  WallTime start_of(std::chrono::sys_days day) const;

  // A day of the year on which the clocks change, as POSIX writes it in TZ.
  struct Change {
    enum class Kind : std::uint8_t { Julian, DayOfYear, Weekday };
    Kind kind = Kind::Weekday;
    int day = 0;  // Julian: from 1, without 29 February. DayOfYear: from 0. Weekday: 0 is Sunday
    int month = 0;
    int week = 0;                          // 5 is the last
    std::chrono::seconds at{2 * 60 * 60};  // of the local time before the change
  };

 private:
  struct Transition {
    std::int64_t at = 0;  // seconds since 1970
    std::chrono::seconds offset{};
  };
  // The rule for times after the last transition.
  struct Rule {
    std::chrono::seconds standard{};
    std::chrono::seconds summer{};
    std::optional<Change> begins{};  // of summer time; nullopt: there is none
    std::optional<Change> ends{};
    std::chrono::seconds offset_at(std::int64_t time) const;
  };
  friend class TimeZoneReader;

  std::chrono::seconds first_{};  // before the first transition
  std::vector<Transition> transitions_;
  std::optional<Rule> rule_;
};

}  // namespace tavola
