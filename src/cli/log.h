// The server's log: one line per event on standard error, as text for people or JSON for programs.
//
//   log.info("listening", {{"url", "http://127.0.0.1:8000"}});
//   2026-11-15T09:30:00.125Z info  listening url=http://127.0.0.1:8000
//   {"time":"2026-11-15T09:30:00.125Z","level":"info","event":"listening","url":"http://127.0.0.1:8000"}
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "base/clock.h"
#include "base/locks.h"

namespace tavola::cli {

enum class LogFormat : std::uint8_t { Text, Json };
enum class LogLevel : std::uint8_t { Info, Warning, Error };

using LogFields = std::initializer_list<std::pair<std::string_view, std::string_view>>;

// The line of an event, with its end.
std::string log_line(LogFormat format, WallTime time, LogLevel level, std::string_view event,
                     LogFields fields);

// Thread safety: all methods.
class Log {
 public:
  explicit Log(LogFormat format, LogLevel least = LogLevel::Info, const Clock& clock = Clock::system())
      : format_(format), least_(least), clock_(clock) {}

  void info(std::string_view event, LogFields fields = {}) { write(LogLevel::Info, event, fields); }
  void warning(std::string_view event, LogFields fields = {}) { write(LogLevel::Warning, event, fields); }
  void error(std::string_view event, LogFields fields = {}) { write(LogLevel::Error, event, fields); }

 private:
  void write(LogLevel level, std::string_view event, LogFields fields);

  const LogFormat format_;
  const LogLevel least_;
  const Clock& clock_;
  Mutex mutex_;
};

}  // namespace tavola::cli
