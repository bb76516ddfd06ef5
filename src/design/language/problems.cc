#include "design/language/problems.h"

#include <algorithm>
#include <utility>

#include "base/assert.h"

namespace tavola::design {
namespace {

constexpr std::string_view kYaml = "yaml/";
constexpr std::string_view kWhyYaml =
    "YAML that is not strict can be read in more than one way, or not at all.";

// Sorted by code.
constexpr ErrorKind kErrorKinds[] = {
    {"aggregate-form",
     "An aggregate computes rows from the items of one pattern, which are all of one entity."},
    {"bad-check", "The derived value would differ from the one that the design promises."},
    {"bad-example", "Examples are tests: one that fails shows that the design or the example is wrong."},
    {"bad-name", "Names become parts of commands, addresses and code."},
    {"bad-range", "A query has one condition on the sort key, of a kind that DynamoDB supports."},
    {"bad-regex",
     "A pattern must be understood, in the same way by the database and by clients, to check values.", true},
    {"bad-rule", "An expression must be understood before it can be computed or sent to the database."},
    {"bad-template", "A key must be made from fields and be read back from the key."},
    {"bad-value", "A value that the field refuses could never be stored."},
    {"circular", "A value that depends on itself can never be computed."},
    {"cascade-form",
     "The items that name a deleted item are found by a query, and deleted or changed by key."},
    {"consequence-form",
     "A consequence is an item that the database writes by itself, so the design must say all about it."},
    {"copied-groups", "Permissions are checked when a person writes them; a copy is written by the database.",
     true},
    {"copy-form", "The database maintains a copy, so the design must give its key and its fields."},
    {"dedicated-keys", "The design promises that every index key serves one index and holds no other data."},
    {"duplicate-name", "One name must mean one thing."},
    {"filter-not-projected",
     "A filter sees only the attributes in the index: this one would always be missing."},
    {"follow-form", "A reference is followed by the key of the item that it names, which must be known."},
    {"if-exists", "The item that exists is found by its key before anything else, and is the whole result."},
    {"import-role", "An import stores items as they are, those of everybody: few people may do that."},
    {"key-type", "A key of another type than the table's is refused by every write."},
    {"lifecycle-place", "A state must be held somewhere, or it is lost."},
    {"local-index", "DynamoDB's local indexes share the table's partition key and need a sort key."},
    {"lost-id", "Ids are stored in keys only: the value of this one would be lost.", true},
    {"missing-key", "This part is incomplete without it."},
    {"missing-key-template", "Every item has all keys of the table and of its indexes."},
    {"never-matches", "No item has such a key: the query would never find anything."},
    {"no-owner", "A role that is limited to a person's own items needs a parameter with the owner."},
    {"not-lowered",
     "Filters and conditions are sent to the database, which supports only DynamoDB's expressions."},
    {"overlapping-keys",
     "The key must identify the entity of an item, and no two items may overwrite each other."},
    {"overlapping-states", "The key must identify the state, or transitions could not be checked."},
    {"pattern-form", "A pattern is one request, or is marked as planned."},
    {"policy", "The design must observe its own limits."},
    {"raw-placeholder", "A value that may contain '#' cannot be separated from the text after it."},
    {"sensitive-key", "Keys stand in messages, logs and metrics, which show no sensitive value."},
    {"step-form", "A step writes, changes, removes or checks one item."},
    {"too-large", "A design is read by people, and every server that uses it keeps it in memory."},
    {"too-many-indexes", "DynamoDB has at most 20 global and 5 local indexes for a table."},
    {"transition-key",
     "The key of the new state could not be computed, and the item would disappear from its index."},
    {"unknown-entity", "It refers to an entity that the design does not have."},
    {"unknown-field", "It refers to a field that the entity does not have."},
    {"unknown-index", "It refers to an index that the table does not have."},
    {"unknown-key", "An unknown key is probably a mistake."},
    {"unknown-key-attribute", "Templates are for the key attributes of the table and its indexes."},
    {"unknown-lifecycle", "It refers to a lifecycle that the entity does not have."},
    {"unknown-name", "It refers to a name that is not defined here."},
    {"unknown-pattern", "It refers to a pattern or operation that the design does not have."},
    {"unknown-permission", "It permits nothing in the design, and the intended act stays forbidden.", true},
    {"unknown-role", "It refers to a role that the design does not have."},
    {"unknown-state", "It refers to a state that the lifecycle does not have."},
    {"unknown-transition", "It refers to a transition that the entity does not have."},
    {"unknown-type", "Values are checked and stored by their type."},
    {"unknown-value", "Only these values are allowed here."},
    {"wrong-kind", "The value has the wrong kind here."},
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
