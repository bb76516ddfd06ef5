#include "design/lint/lint.h"

#include <algorithm>
#include <array>

#include "design/lint/lints.h"

namespace tavola::design {
namespace {

constexpr std::array kKinds{
    LintKind{"between-on-hash", "DynamoDB finds a partition by equality alone."},
    LintKind{"dead-end",
             "An item that fails or waits there stays there forever, and no operation can move it."},
    LintKind{"derive-type",
             "Every write of the entity would be refused, because the computed value has another type."},
    LintKind{"duplicate-index", "Both are written, stored and paid for, and serve the same queries."},
    LintKind{"generated-id-lost", "Nobody learns the id, so nobody can read the item by its key."},
    LintKind{
        "hot-partition",
        "All items with one value share a partition, which takes 1,000 writes and 3,000 reads a second."},
    LintKind{"item-size", "DynamoDB refuses an item of more than 400 KB, and then the data exists already."},
    LintKind{"key-length",
             "DynamoDB refuses a partition key of more than 2048 and a sort key of more than 1024 bytes."},
    LintKind{"misleading-alias", "Readers take it for an item of the other entity."},
    LintKind{"mixed-timestamps",
             "Texts and numbers sort differently, so the keys are not in the order of time."},
    LintKind{"overlap", "The query reads, counts and pays for unwanted items."},
    LintKind{"range-cut",
             "A bound sorts before every longer key that begins with it, so these keys are excluded."},
    LintKind{"read-without-write", "An entity that no operation writes is never found."},
    LintKind{"require-of-new-item",
             "An item that does not exist has no fields: the condition has always the same result."},
    LintKind{"reserved-word",
             "Expressions cannot use the field, because the word has another meaning there."},
    LintKind{"scan", "It reads the whole table, so its cost and time grow with every item."},
    LintKind{"sensitive-copy", "Messages, logs and reports show the value there."},
    LintKind{"shared-table-name",
             "If the variable is set, the designs share one table, and each refuses the items of the other."},
    LintKind{"soft-delete-listed", "Deleted items appear again."},
    LintKind{"sparse-index",
             "Items without the field drop out of the index, and queries miss them silently."},
    LintKind{"stale-copy", "Between the two writes, and after a crash, readers see an outdated copy."},
    LintKind{"stuck-unwatched", "Stuck items go unnoticed."},
    LintKind{"time-forms", "Such a comparison never holds, or always: the two are in different forms."},
    LintKind{"unbounded-aggregate",
             "It reads every item each time, so its cost and time grow with every item."},
    LintKind{"unbounded-collection",
             "A partition that only grows becomes slow to read and hard to clean up."},
    LintKind{"unserved-pattern", "The pattern is declared, and no request serves it."},
    LintKind{"untested", "Nothing shows that the design accepts and refuses what it should."},
    LintKind{"unused-index", "Every write pays for it, and nothing reads it."},
    LintKind{"write-without-read", "It is stored and paid for, and no pattern can read it."},
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
  lint_writes(lints);
  lint_times(lints);
  lint_secrets(lints);
  std::vector<Diagnostic> found = lints.take();
  sort_by_place(found);
  return found;
}

std::vector<Diagnostic> lint_untested(const Design& design) {
  Lints lints(design);
  const bool has_examples =
      !std::ranges::all_of(design.entities, &std::vector<Example>::empty, &Entity::examples);
  if (!has_examples) {
    lints.add(
        "untested", design.name_at, {}, "the design " + design.name + " has no tests",
        "Give its entities `examples`, or write a file NAME.cases.yaml beside it (docs/DESIGN-TESTS.md).");
  }
  return lints.take();
}

std::vector<Diagnostic> lint_together(std::span<const Design* const> designs) {
  std::vector<Diagnostic> found;
  for (auto one = designs.begin(); one != designs.end(); ++one) {
    const std::string& variable = (*one)->table.name_env;
    const auto other = std::find_if(designs.begin(), one, [&](const Design* earlier) {
      return !variable.empty() && earlier->table.name_env == variable && earlier->name != (*one)->name;
    });
    if (other == one) continue;
    Lints lints(**one);
    lints.add("shared-table-name", (*one)->table.at, {&(*one)->table.notes},
              (*one)->name + " and " + (*other)->name + " take the name of their table from " + variable,
              "Give each its own variable, or serve them by servers of their own.");
    std::ranges::move(lints.take(), std::back_inserter(found));
  }
  return found;
}

}  // namespace tavola::design
