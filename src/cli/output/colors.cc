#include "cli/output/colors.h"

#include <cstdlib>
#include <unistd.h>

namespace tavola::cli {
namespace {

constexpr std::string_view kRed = "\x1b[31m";
constexpr std::string_view kYellow = "\x1b[33m";
constexpr std::string_view kPlain = "\x1b[0m";

struct Mark {
  std::string_view before;  // stands before the word, anywhere in the line; empty: the word begins the line
  std::string_view word;
  std::string_view color;
};
constexpr Mark kMarks[] = {{"", "tavola:", kRed},  {"", "refused:", kRed},     {"", "damaged:", kRed},
                           {"", "breaks ", kRed},  {": ", "error:", kRed},     {": ", "lint:", kYellow},
                           {"", "note:", kYellow}, {"", "backfill ", kYellow}, {": ", "failed:", kRed}};

// Only a diagnostic has its mark in the middle of a line: behind file:line:column.
std::size_t place_of(const Mark& mark, std::string_view line) {
  if (mark.before.empty()) return line.starts_with(mark.word) ? 0 : std::string_view::npos;
  const std::size_t at = line.find(std::string(mark.before) + std::string(mark.word));
  if (line.starts_with(' ') || at == std::string_view::npos) return std::string_view::npos;
  return at + mark.before.size();
}

std::string colored_line(std::string_view line) {
  for (const Mark& mark : kMarks) {
    const std::size_t at = place_of(mark, line);
    if (at == std::string_view::npos) continue;
    std::string out(line.substr(0, at));
    out.append(mark.color).append(mark.word).append(kPlain).append(line.substr(at + mark.word.size()));
    return out;
  }
  return std::string(line);
}

}  // namespace

bool is_colored(ColorMode mode, int descriptor) {
  if (mode != ColorMode::Auto) return mode == ColorMode::Always;
  const char* const no_color = std::getenv("NO_COLOR");
  const char* const terminal = std::getenv("TERM");
  const bool is_unwanted = (no_color != nullptr && *no_color != '\0') ||
                           (terminal != nullptr && std::string_view(terminal) == "dumb");
  return !is_unwanted && ::isatty(descriptor) == 1;
}

std::string colored(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    out += colored_line(text.substr(0, end));
    if (end == std::string_view::npos) break;
    out += '\n';
    text.remove_prefix(end + 1);
  }
  return out;
}

}  // namespace tavola::cli
