#include "design/language/problems.h"

#include <algorithm>
#include <utility>

#include "base/assert.h"

namespace tavola::design {
namespace {

constexpr std::string_view kYaml = "yaml/";
constexpr std::string_view kWhyYaml =
    "What is not strict YAML can be read in more than one way, or not at all.";

// Sorted by code.
constexpr ErrorKind kErrorKinds[] = {
    {"bad-check", "What is derived would not be what the design promises."},
    {"bad-example", "Examples are tests: one that fails shows that the design or the example is wrong."},
    {"bad-name", "Names become parts of commands, addresses and code."},
    {"bad-range", "A range key is searched by one condition that DynamoDB knows."},
    {"bad-regex",
     "A pattern must be understood, in the same way by the database and by clients, to check values.", true},
    {"bad-rule", "An expression must be understood before it can be computed or sent to the database."},
    {"bad-template", "A key must be made from fields and be read back from the key."},
    {"bad-value", "A value that the field refuses could never be stored."},
    {"circular", "What needs itself can never be computed."},
    {"cascade-form", "What goes with a deleted item is found by a query and deleted by its key."},
    {"copied-groups",
     "Permissions are checked where a person writes them; a copy is written along with another item.", true},
    {"copy-form", "A copy is kept by itself, so it must say which item it is and what it holds."},
    {"dedicated-keys", "The design promises that an index key serves one index and is no data."},
    {"duplicate-name", "One name must mean one thing."},
    {"filter-not-projected",
     "A filter sees only what the index holds: the attribute would always be missing."},
    {"key-type", "A key of another type than the table's is refused by every write."},
    {"lifecycle-place", "A state must be held somewhere, or it is lost."},
    {"local-index", "DynamoDB's local indexes share the table's hash key and need a range key."},
    {"missing-key", "Without it, this part says too little to be used."},
    {"missing-key-template", "Every item has all keys of the table, and of the indexes in which it is."},
    {"never-matches", "No item has such a key: the query would find nothing, always."},
    {"no-owner", "Who may only use their own must be told whose it is."},
    {"not-lowered", "Filters and conditions are sent to the database, which knows its own expressions only."},
    {"overlapping-keys", "An item must tell by its key what it is, and no two may overwrite each other."},
    {"overlapping-states", "A key must tell the state, or transitions could not be checked."},
    {"pattern-form", "A pattern is one request, or says that it is planned."},
    {"policy", "The design keeps to its own limits."},
    {"raw-placeholder", "A value that may hold '#' cannot be told from the text that follows it."},
    {"step-form", "A step writes, changes, removes or checks one item."},
    {"too-large", "A design is read by people, and every server that uses it keeps it in memory."},
    {"too-many-indexes", "DynamoDB has at most 20 global and 5 local indexes for a table."},
    {"transition-key",
     "The key of the new state could not be made, and the item would be lost from its index."},
    {"unknown-entity", "It refers to an entity that the design does not have."},
    {"unknown-field", "It refers to a field that the entity does not have."},
    {"unknown-index", "It refers to an index that the table does not have."},
    {"unknown-key", "A key that means nothing is a mistake more often than not."},
    {"unknown-key-attribute", "Templates are for the key attributes of the table and its indexes."},
    {"unknown-lifecycle", "It refers to a lifecycle that the entity does not have."},
    {"unknown-name", "It refers to a name that nothing here has."},
    {"unknown-pattern", "It refers to a pattern or operation that the design does not have."},
    {"unknown-permission", "It permits nothing that the design has, and what was meant stays forbidden.",
     true},
    {"unknown-role", "It refers to a role that the design does not have."},
    {"unknown-state", "It refers to a state that the lifecycle does not have."},
    {"unknown-transition", "It refers to a transition that the entity does not have."},
    {"unknown-type", "Values are checked and stored by their type."},
    {"unknown-value", "Only these values mean something here."},
    {"wrong-kind", "Something else is expected here."},
};

const ErrorKind& kind_of(std::string_view code) {
  const auto* const found = std::ranges::find(kErrorKinds, code, &ErrorKind::code);
  TAVOLA_ASSERT(found != std::end(kErrorKinds));
  return *found;
}

std::string_view why_of(std::string_view code) {
  return code.starts_with(kYaml) ? kWhyYaml : kind_of(code).why;
}

}  // namespace

std::span<const ErrorKind> error_kinds() { return kErrorKinds; }

bool may_be_stored(const Diagnostic& error) {
  return !error.code.starts_with(kYaml) && kind_of(error.code).may_be_stored;
}

void Problems::error(std::string_view code, const Span& at, std::string message, std::string advice) {
  if (is_full()) return;
  if (!is_limited() || diagnostics_.size() < kShownMax)
    return add(code, at, std::move(message), std::move(advice));
  add("too-large", at, "there are more errors than these " + std::to_string(kShownMax),
      "Correct them first, and check the design again.");
}

bool Problems::too_large(const Span& at, std::string message, std::string advice) {
  if (is_stored()) return false;
  is_cut_ = true;
  error("too-large", at, std::move(message), std::move(advice));
  return true;
}

void Problems::add(std::string_view code, const Span& at, std::string message, std::string advice) {
  diagnostics_.push_back({.severity = Severity::Error,
                          .code = std::string(code),
                          .message = shortened(std::move(message)),
                          .why = std::string(why_of(code)),
                          .advice = shortened(std::move(advice)),
                          .file = file_,
                          .span = at});
  is_refused_ = is_refused_ || !may_be_stored(diagnostics_.back());
}

}  // namespace tavola::design
