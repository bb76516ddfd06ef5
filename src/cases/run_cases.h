// Runs cases, each on a database of its own.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cases/case_database.h"
#include "cases/case_file.h"
#include "cases/compare.h"

namespace tavola::cases {

struct Failure {
  std::uint32_t line = 0;               // of the step
  std::string step;                     // check getProduct {"shopId":"s1"}
  std::vector<Difference> differences;  // at least one
};

struct CaseResult {
  const Case* which = nullptr;
  bool is_skipped = false;
  std::optional<Failure> failure{};
  std::chrono::steady_clock::duration time{};
};

// The results of a file, in the order of its cases.
struct FileResult {
  const CaseFile* file = nullptr;
  std::vector<CaseResult> cases{};

  std::size_t failed() const;
  std::size_t skipped() const;
  std::chrono::steady_clock::duration time() const;  // of all its cases, which may have run at once
};

struct RunOptions {
  OpenDatabase open;
  unsigned threads = 1;
  std::string filter{};       // only cases whose name contains this, or that cover it; empty: all
  bool knows_callers = true;  // false: cases with `as` are skipped
};

// The results borrow `files`.
std::vector<FileResult> run_cases(std::span<const CaseFile> files, const RunOptions& options);

}  // namespace tavola::cases
