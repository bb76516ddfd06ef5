// The config file of a command.
#include <filesystem>
#include <fstream>

#include "cli/command/parse.h"
#include "design/model/nearest.h"

namespace tavola::cli {
namespace {

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r";
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

// The values of a line, divided by blanks; one in quotes may hold blanks itself.
std::vector<std::string> values_in(std::string_view text) {
  std::vector<std::string> values;
  while (!(text = trimmed(text)).empty()) {
    const bool is_quoted = text.front() == '"' || text.front() == '\'';
    const std::size_t end = is_quoted ? text.find(text.front(), 1) : text.find_first_of(" \t");
    values.emplace_back(text.substr(is_quoted ? 1 : 0, is_quoted ? end - 1 : end));
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return values;
}

Result<void> read_line(std::string_view line, const CommandSpec& command, std::vector<Given>& all) {
  if (line.starts_with('['))
    return fail(Error::validation("has a section " + std::string(line) + "; sections are not used"));
  const std::size_t equals = line.find('=');
  const std::string name(trimmed(line.substr(0, equals)));
  const Option* const option = find_option(command.options, "--" + name);
  if (option == nullptr || option->name == "--config") {
    std::vector<std::string> known;
    for (const Option& one : command.options) known.push_back(one.name.substr(2));
    return fail(Error::validation("has an option that does not exist: " + name + ". " +
                                  design::did_you_mean(name, known)));
  }
  const std::vector<std::string> values =
      equals == std::string_view::npos ? std::vector<std::string>() : values_in(line.substr(equals + 1));
  if (values.empty() || (values.size() > 1 && !option->repeats)) {
    return fail(
        Error::validation("must give one value for " + name + ", and comments need lines of their own"));
  }
  for (const std::string& value : values) all.push_back({option, value});
  return {};
}

}  // namespace

Result<std::vector<Given>> read_config(const std::string& file, const CommandSpec& command) {
  std::error_code ignored;  // a path that cannot be examined cannot be opened either
  if (std::filesystem::is_directory(file, ignored))
    return fail(Error::validation("the config file " + file + " is a directory; name a file in it"));
  std::ifstream in(file);
  if (!in) return fail(Error::validation("the config file " + file + " cannot be read"));
  std::vector<Given> all;
  std::string line;
  for (int number = 1; std::getline(in, line); ++number) {
    const std::string_view text = trimmed(line);
    if (text.empty() || text.front() == '#' || text.front() == ';') continue;
    if (const Result<void> read = read_line(text, command, all); !read) {
      return fail(Error::validation(file + ":" + std::to_string(number) + " " + read.error().message()));
    }
  }
  if (in.bad()) return fail(Error::validation("the config file " + file + " cannot be read to its end"));
  return all;
}

}  // namespace tavola::cli
