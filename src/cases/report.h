// Results of cases as text for people, as JSON for programs, and as JUnit XML for CI.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "cases/run_cases.h"

namespace tavola::cases {

struct Counts {
  std::size_t passed = 0;
  std::size_t failed = 0;
  std::size_t skipped = 0;
};
Counts counts(std::span<const FileResult> results);

// Each failure names the file and the line of the failing step; `-` is expected, `+` was found.
std::string to_text(std::span<const FileResult> results);
std::string to_json(std::span<const FileResult> results);
std::string to_junit(std::span<const FileResult> results);

}  // namespace tavola::cases
