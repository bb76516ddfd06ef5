// The server's log: one line per event on standard error, as text for people or JSON for programs.
//
//   log.info("listening", {{"url", "http://127.0.0.1:8000"}});
//   2026-11-15T09:30:00.125Z info  listening url=http://127.0.0.1:8000
//   {"time":"2026-11-15T09:30:00.125Z","level":"info","event":"listening","url":"http://127.0.0.1:8000"}
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/clock.h"
#include "server/log/line_writer.h"

namespace tavola::server {

enum class LogFormat : std::uint8_t { Text, Json };
enum class LogColors : bool { Off, On };  // warnings yellow and errors red, in text
enum class LogLevel : std::uint8_t { Info, Warning, Error };

using LogField = std::pair<std::string_view, std::string_view>;

// The fields of one event: a view, for the duration of a call.
class LogFields {
 public:
  LogFields(std::initializer_list<LogField> fields) : fields_(fields.begin(), fields.size()) {}
  explicit LogFields(std::span<const LogField> fields) : fields_(fields) {}
  auto begin() const { return fields_.begin(); }
  auto end() const { return fields_.end(); }

 private:
  std::span<const LogField> fields_;
};

// The line of an event, with its end.
std::string log_line(LogFormat format, WallTime time, LogLevel level, std::string_view event,
                     LogFields fields);

// Never waits for its reader: lines that cannot be kept are dropped, and a line says how many.
// Thread safety: all methods.
class Log {
 public:
  explicit Log(LogFormat format, LogColors colors = LogColors::Off, const Clock& clock = Clock::system());

  void info(std::string_view event, LogFields fields = {}) { write(LogLevel::Info, event, fields); }
  void warning(std::string_view event, LogFields fields = {}) { write(LogLevel::Warning, event, fields); }
  void error(std::string_view event, LogFields fields = {}) { write(LogLevel::Error, event, fields); }
  void write(LogLevel level, std::string_view event, LogFields fields);
  // Writes a line as it is, with its end, for text that is not an event.
  void say(std::string_view line) { writer_.write(line); }
  // Writes what is left, for a process that ends without destructors.
  void finish() { writer_.finish(); }
  // Lines that nobody took, since the start.
  std::uint64_t dropped_lines() const { return writer_.dropped(); }

 private:
  const LogFormat format_;
  const LogColors colors_;
  const Clock& clock_;
  LineWriter writer_;
};

}  // namespace tavola::server
