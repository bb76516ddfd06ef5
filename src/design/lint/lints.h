// The kinds of lints, and their collector.
#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "design/language/diagnostic.h"
#include "design/model/model.h"

namespace tavola::design {

// A kind of lint, with the reason why it matters.
struct LintKind {
  std::string_view code;
  std::string_view why;
};
std::span<const LintKind> lint_kinds();

class Lints {
 public:
  explicit Lints(const Design& design) : design_(design) {}

  const Design& design() const { return design_; }
  // Does nothing if one of `parts`, or the design itself, accepts the code.
  void add(std::string_view code, const Span& at, std::initializer_list<const Notes*> parts,
           std::string message, std::string advice);
  std::vector<Diagnostic> take() { return std::move(found_); }

 private:
  const Design& design_;
  std::vector<Diagnostic> found_;
};

// The lints, one function for each part of a design.
void lint_queries(Lints& lints);  // overlap, range-cut, between-on-hash
void lint_keys(
    Lints& lints);  // hot-partition, key-length, mixed-timestamps, unbounded-aggregate, unbounded-collection
void lint_patterns(Lints& lints);    // unserved-pattern, scan, soft-delete-listed
void lint_indexes(Lints& lints);     // duplicate-index, unused-index
void lint_operations(Lints& lints);  // write-without-read, read-without-write
void lint_lifecycles(Lints& lints);  // dead-end, stuck-unwatched
void lint_entities(Lints& lints);    // item-size, reserved-word, stale-copy
void lint_writes(
    Lints& lints);  // derive-type, generated-id-lost, misleading-alias, require-of-new-item, sparse-index

void lint_times(Lints& lints);    // time-forms
void lint_secrets(Lints& lints);  // sensitive-copy

}  // namespace tavola::design
