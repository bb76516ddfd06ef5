#include "options.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "work/times.h"

namespace crawler {
namespace {

using tavola::Error;
using tavola::Result;

constexpr std::size_t kLineMax = 100;
constexpr std::size_t kHelpColumn = 27;

const OptionSpec* find_option(const CommandSpec& command, std::string_view name) {
  for (const std::span<const OptionSpec> group : command.options) {
    const auto found = std::ranges::find(group, name, &OptionSpec::name);
    if (found != group.end()) return &*found;
  }
  return nullptr;
}

Error usage(const CommandSpec& command, const std::string& problem) {
  return Error::validation(problem + ". `tavola-crawler " + std::string(command.name) +
                           " --help` lists the options.");
}

// Breaks a text into lines, all but the first of which begin at a column.
std::string wrapped(std::string_view text, std::size_t column) {
  std::string out;
  std::size_t at = column;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    if (at > column && at + end + 1 > kLineMax) {
      out += "\n" + std::string(column, ' ');
      at = column;
    } else if (at > column) {
      out += ' ';
      ++at;
    }
    out += text.substr(0, end);
    at += end;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

}  // namespace

Result<GivenOptions> GivenOptions::read(const CommandSpec& command, std::span<const std::string> words) {
  GivenOptions given;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (!word.starts_with("--")) {
      given.arguments_.push_back(word);
      continue;
    }
    const std::size_t equals = word.find('=');
    const std::string name = word.substr(0, equals);
    const OptionSpec* const option = find_option(command, name);
    if (option == nullptr)
      return tavola::fail(usage(command, name + " is not an option of " + std::string(command.name)));
    std::string value;
    if (equals != std::string::npos) {
      if (option->argument.empty()) return tavola::fail(usage(command, name + " takes no value"));
      value = word.substr(equals + 1);
    } else if (!option->argument.empty()) {
      if (++i == words.size() || words[i].starts_with("--"))
        return tavola::fail(usage(command, name + " needs a value: " + std::string(option->argument)));
      value = words[i];
    }
    std::vector<std::string>& values = given.values_[name];
    if (!values.empty() && option->times == OptionSpec::Times::Once)
      return tavola::fail(usage(command, name + " is given twice"));
    values.push_back(std::move(value));
  }
  if (command.arguments.empty() && !given.arguments_.empty()) {
    return tavola::fail(usage(command, std::string(command.name) + " takes no arguments, but \"" +
                                           given.arguments_.front() + "\" is given"));
  }
  return given;
}

std::string GivenOptions::text(std::string_view option, std::string_view otherwise) const {
  const auto found = values_.find(option);
  return found == values_.end() ? std::string(otherwise) : found->second.front();
}

std::vector<std::string> GivenOptions::texts(std::string_view option) const {
  const auto found = values_.find(option);
  return found == values_.end() ? std::vector<std::string>() : found->second;
}

Result<std::uint64_t> GivenOptions::number(std::string_view option, std::uint64_t otherwise) const {
  if (!has(option)) return otherwise;
  const std::string value = text(option);
  std::uint64_t number = 0;
  const auto [end, problem] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (problem == std::errc() && end == value.data() + value.size()) return number;
  return tavola::fail(
      Error::validation(std::string(option) + " must be a whole number (was \"" + value + "\")"));
}

Result<std::int64_t> GivenOptions::milliseconds(std::string_view option, std::string_view otherwise) const {
  const std::string value = text(option, otherwise);
  if (const auto duration = read_duration(value)) return duration->count();
  return tavola::fail(Error::validation(std::string(option) +
                                        " must be a time with its unit: 500ms, 30s, 10m, 2h or 7d (was \"" +
                                        value + "\")"));
}

Result<std::uint64_t> GivenOptions::bytes(std::string_view option, std::string_view otherwise) const {
  const std::string value = text(option, otherwise);
  std::uint64_t number = 0;
  const char* const end = value.data() + value.size();
  const auto [unit, problem] = std::from_chars(value.data(), end, number);
  constexpr std::array<std::pair<std::string_view, unsigned>, 4> kUnits = {
      {{"", 0}, {"KB", 10}, {"MB", 20}, {"GB", 30}}};
  for (const auto& [name, shift] : kUnits) {
    if (problem == std::errc() && std::string_view(unit, end) == name && number < (std::uint64_t{1} << 32U))
      return number << shift;
  }
  return tavola::fail(Error::validation(
      std::string(option) + " must be a number of bytes: 65536, 512KB, 8MB or 2GB (was \"" + value + "\")"));
}

std::string program_help(std::span<const CommandSpec> commands) {
  std::string out =
      "tavola-crawler keeps a registry of shops, crawls them for product pages and reports what changes "
      "there.\n\n"
      "Usage: tavola-crawler COMMAND [OPTIONS]\n\nCommands:\n";
  for (const CommandSpec& command : commands) {
    out += "  " + std::string(command.name) + std::string(14 - command.name.size(), ' ') +
           std::string(command.title) + "\n";
  }
  out += "\n`tavola-crawler COMMAND --help` says what a command does and lists its options.\n";
  return out;
}

std::string command_help(const CommandSpec& command) {
  std::string out = "Usage: tavola-crawler " + std::string(command.name) + " [OPTIONS]";
  if (!command.arguments.empty()) out += " " + std::string(command.arguments);
  out += "\n\n" + wrapped(command.help, 0) + "\n\nOptions:\n";
  for (const std::span<const OptionSpec> group : command.options) {
    for (const OptionSpec& option : group) {
      std::string left = "  " + std::string(option.name);
      if (!option.argument.empty()) left += " " + std::string(option.argument);
      left += left.size() + 1 < kHelpColumn ? std::string(kHelpColumn - left.size(), ' ')
                                            : "\n" + std::string(kHelpColumn, ' ');
      out += left + wrapped(option.help, kHelpColumn) + "\n";
    }
  }
  return out + "  --help                   this text\n";
}

}  // namespace crawler
