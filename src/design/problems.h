// The errors of designs by code, and collecting them while a file is read and checked.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "design/diagnostic.h"

namespace tavola::design {

// Why an error of this code matters: the same for all of its kind.
struct ErrorKind {
  std::string_view code;
  std::string_view why;
};
std::span<const ErrorKind> error_kinds();

class Problems {
 public:
  explicit Problems(std::string file) : file_(std::move(file)) {}

  // `code` is one of error_kinds(), or of yaml/.
  void error(std::string_view code, const Span& at, std::string message, std::string advice);

  bool empty() const { return diagnostics_.empty(); }
  std::vector<Diagnostic> take() { return std::move(diagnostics_); }

 private:
  std::string file_;
  std::vector<Diagnostic> diagnostics_;
};

}  // namespace tavola::design
