// The errors of designs by code, and the collector of errors while a file is read and checked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "design/language/diagnostic.h"

namespace tavola::design {

// A kind of error, with the reason why it matters.
struct ErrorKind {
  std::string_view code;
  std::string_view why;
  // Earlier versions accepted designs with this mistake, so stored ones may have it (load_stored).
  bool may_be_stored = false;
};
std::span<const ErrorKind> error_kinds();
bool may_be_stored(const Diagnostic& error);

// Says which rules a design is checked by. An earlier version accepted a stored design, so rules that are newer do not refuse
// it: it may be larger than too_large() allows, have any number of errors that may be stored, and hold values that fields
// forbid today.
enum class Origin : std::uint8_t { Written, Stored };

// Collects errors and keeps the first ones. One further error stands for all others, so that a file with very many
// mistakes costs neither time nor memory.
class Problems {
 public:
  explicit Problems(std::string file, Origin origin = Origin::Written)
      : file_(std::move(file)), origin_(origin) {}

  // `code` is one of error_kinds(), or of yaml/.
  void error(std::string_view code, const Span& at, std::string message, std::string advice);
  // Reports a part that is larger than a design may have, and returns true: the rest need not be read. Returns false for
  // a stored design, which may have it.
  [[nodiscard]] bool too_large(const Span& at, std::string message, std::string advice);

  bool empty() const { return diagnostics_.empty(); }
  bool is_stored() const { return origin_ == Origin::Stored; }
  // Returns whether too_large() reported something. Then parts of the design were not read, and the checks should stop.
  bool is_cut() const { return is_cut_; }
  // Returns whether a further error would be dropped: then its message need not be built.
  bool is_full() const { return is_limited() && diagnostics_.size() > kShownMax; }
  std::vector<Diagnostic> take() { return std::move(diagnostics_); }

 private:
  static constexpr std::size_t kShownMax = 100;
  // A stored design must be checked to its end unless it is refused already.
  bool is_limited() const { return !is_stored() || is_refused_; }
  void add(std::string_view code, const Span& at, std::string message, std::string advice);

  std::string file_;
  Origin origin_;
  bool is_cut_ = false;
  bool is_refused_ = false;  // by an error that no stored design may have
  std::vector<Diagnostic> diagnostics_;
};

}  // namespace tavola::design
