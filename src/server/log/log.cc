#include "server/log/log.h"

#include <array>
#include <cstdio>
#include <ctime>
#include <unistd.h>

#include "json/writer.h"

namespace tavola::server {
namespace {

std::string_view level_name(LogLevel level) {
  switch (level) {
    case LogLevel::Info:
      return "info";
    case LogLevel::Warning:
      return "warn";
    case LogLevel::Error:
      break;
  }
  return "error";
}

std::string time_text(WallTime time) {
  const auto milliseconds = time.time_since_epoch().count();
  const std::time_t seconds = milliseconds / 1000;
  std::tm utc{};
  ::gmtime_r(&seconds, &utc);
  std::array<char, 40> text{};
  const std::size_t length = std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%S", &utc);
  std::array<char, 8> fraction{};
  std::snprintf(fraction.data(), fraction.size(), ".%03dZ", static_cast<int>(milliseconds % 1000));
  return std::string(text.data(), length) + fraction.data();
}

// "2026-11-15T09:30:00.125Z warn  …": the word behind the time.
void color_level(std::string& line, LogLevel level) {
  const std::size_t at = line.find(' ') + 1;
  line.insert(at + level_name(level).size(), "\x1b[0m");
  line.insert(at, level == LogLevel::Error ? "\x1b[31m" : "\x1b[33m");
}

bool needs_quotes(std::string_view value) {
  return value.empty() || value.find_first_of(" \"=\n\r\t") != std::string_view::npos;
}

}  // namespace

std::string log_line(LogFormat format, WallTime time, LogLevel level, std::string_view event,
                     LogFields fields) {
  std::string line;
  if (format == LogFormat::Json) {
    json::Writer json(line);
    json.begin_object();
    json.name("time").text(time_text(time));
    json.name("level").text(level_name(level));
    json.name("event").text(event);
    for (const auto& [name, value] : fields) json.name(name).text(value);
    json.end_object();
    return line + "\n";
  }
  line = time_text(time) + " ";
  line += level_name(level);
  line.append(6 - level_name(level).size(), ' ');
  line += event;
  for (const auto& [name, value] : fields) {
    line.append(" ").append(name).append("=");
    if (needs_quotes(value)) {
      json::append_text(line, value);
    } else {
      line.append(value);
    }
  }
  return line + "\n";
}

Log::Log(LogFormat format, LogColors colors, const Clock& clock)
    : format_(format),
      colors_(colors),
      clock_(clock),
      writer_({.descriptor = STDERR_FILENO, .dropped_line = [format, &clock](std::uint64_t count) {
                 return log_line(format, clock.now(), LogLevel::Warning, "log lines dropped",
                                 {{"count", std::to_string(count)}, {"why", "nobody read the log"}});
               }}) {}

void Log::write(LogLevel level, std::string_view event, LogFields fields) {
  std::string line = log_line(format_, clock_.now(), level, event, fields);
  if (colors_ == LogColors::On && format_ == LogFormat::Text && level != LogLevel::Info)
    color_level(line, level);
  writer_.write(line);
}

}  // namespace tavola::server
