#include "design/lint/lint.h"

#include <algorithm>
#include <array>

#include "design/lint/lints.h"

namespace tavola::design {
namespace {

constexpr std::array kKinds{
    LintKind{"between-on-hash", "DynamoDB finds a partition by equality alone."},
    LintKind{"dead-end", "What fails or waits there stays there for ever, and no operation can help it."},
    LintKind{"duplicate-index", "Both are written, stored and paid for, and answer the same questions."},
    LintKind{
        "hot-partition",
        "All items with one value share a partition, which takes 1,000 writes and 3,000 reads a second."},
    LintKind{"item-size", "DynamoDB refuses an item of more than 400 KB, when the data is already there."},
    LintKind{"key-length",
             "DynamoDB refuses a hash key of more than 2048 and a range key of more than 1024 bytes."},
    LintKind{"mixed-timestamps", "Texts and numbers sort differently, so the keys are in no order of time."},
    LintKind{"overlap", "The query reads, counts and pays for items that were not asked for."},
    LintKind{"range-cut",
             "A bound sorts before every longer key that begins with it, so its own end is lost."},
    LintKind{"read-without-write", "What nothing writes is never found."},
    LintKind{"reserved-word",
             "Expressions cannot name the field, because the word means something else there."},
    LintKind{"scan", "It reads the whole table, costs more with every item, and takes longer with each."},
    LintKind{"soft-delete-listed", "What people deleted shows up again."},
    LintKind{"stale-copy", "Between the two writes, and after a crash, readers see a copy that is wrong."},
    LintKind{"stuck-unwatched", "Nobody learns that something is stuck."},
    LintKind{"unbounded-collection",
             "A partition that only grows becomes slow to read and hard to clean up."},
    LintKind{"unserved-pattern", "The question is written down and nothing answers it."},
    LintKind{"unused-index", "Every write pays for it, and nothing reads it."},
    LintKind{"write-without-read", "It is stored and paid for, and nobody can ask for it."},
};
static_assert(std::ranges::is_sorted(kKinds, {}, &LintKind::code));

}  // namespace

std::span<const LintKind> lint_kinds() { return kKinds; }

void Lints::add(std::string_view code, const Span& at, std::initializer_list<const Notes*> parts,
                std::string message, std::string advice) {
  const auto accepts = [code](const Notes* notes) { return notes->accept.contains(code); };
  if (accepts(&design_.notes) || std::ranges::any_of(parts, accepts)) return;
  const auto* kind = std::ranges::find(kKinds, code, &LintKind::code);
  found_.push_back({.severity = Severity::Lint,
                    .code = std::string(code),
                    .message = shortened(std::move(message)),
                    .why = std::string(kind->why),
                    .advice = shortened(std::move(advice)),
                    .file = design_.file,
                    .span = at});
}

std::vector<Diagnostic> lint(const Design& design) {
  Lints lints(design);
  lint_queries(lints);
  lint_keys(lints);
  lint_patterns(lints);
  lint_indexes(lints);
  lint_operations(lints);
  lint_lifecycles(lints);
  lint_entities(lints);
  std::vector<Diagnostic> found = lints.take();
  sort_by_place(found);
  return found;
}

}  // namespace tavola::design
