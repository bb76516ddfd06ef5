// The result of a command: its texts and its exit code.
#pragma once

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

// Returns the output of a failed command: exit code 3 for a refusal, 2 for a bad parameter, 1 otherwise.
Output failed(const Error& error);

}  // namespace tavola::cli
