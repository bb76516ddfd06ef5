// The command line: commands, their options, and the help that is written from them.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <tavola/error.h>

namespace crawler {

struct OptionSpec {
  std::string_view name;      // "--country"
  std::string_view argument;  // "CC"; empty: the option is a switch
  std::string_view help;
  enum class Times : std::uint8_t { Once, Often } times = Times::Once;
};

struct CommandSpec {
  std::string_view name;
  std::string_view arguments;  // "DOMAIN…"; empty: none
  std::string_view title;      // one line
  std::string_view help;       // what it does, in full
  std::vector<std::span<const OptionSpec>> options;
};

// The words of a command line, read by a CommandSpec.
class GivenOptions {
 public:
  // Fails with Validation, in words for people: an unknown option, a missing value, an argument too many.
  static tavola::Result<GivenOptions> read(const CommandSpec& command, std::span<const std::string> words);

  bool has(std::string_view option) const { return values_.contains(option); }
  std::string text(std::string_view option, std::string_view otherwise = {}) const;
  std::vector<std::string> texts(std::string_view option) const;
  const std::vector<std::string>& arguments() const { return arguments_; }
  // Numbers, durations ("10s") and sizes ("8MB") fail with Validation if they are none.
  tavola::Result<std::uint64_t> number(std::string_view option, std::uint64_t otherwise) const;
  tavola::Result<std::int64_t> milliseconds(std::string_view option, std::string_view otherwise) const;
  tavola::Result<std::uint64_t> bytes(std::string_view option, std::string_view otherwise) const;

 private:
  std::map<std::string, std::vector<std::string>, std::less<>> values_;
  std::vector<std::string> arguments_;
};

std::string program_help(std::span<const CommandSpec> commands);
std::string command_help(const CommandSpec& command);

}  // namespace crawler
