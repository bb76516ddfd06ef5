// The result of a command: its texts and its exit code.
#pragma once

#include <cstdint>
#include <string>

#include <tavola/error.h>

namespace tavola::cli {

// The result of a command.
struct Output {
  std::string out{};  // for standard output
  std::string err{};  // for standard error
  int exit_code = 0;
  bool is_for_people = false;  // `out` is a report for people, and may be coloured
};
inline constexpr int kFailed = 1;
inline constexpr int kUsageError = 2;  // also: a parameter that a pattern or an operation cannot take
inline constexpr int kTrouble = 2;     // of commands that compare, whose 1 means a difference: they failed
inline constexpr int kRefused = 3;     // an operation was refused by name

// Makes the error of one parameter or option: the command line is wrong.
Error bad_parameter(const std::string& name, std::string message);

// "1 item", "3 items", "2 batches"
std::string counted(std::uint64_t count, const std::string& one);

// Returns the output of a failed command: exit code 3 for a refusal, 2 for a bad parameter, 1 otherwise.
Output failed(const Error& error);

}  // namespace tavola::cli
