#include <algorithm>

#include "design/lint/lints.h"
#include "design/lint/overlapping_entities.h"
#include "design/model/key_templates.h"

namespace tavola::design {
namespace {

void lint_overlap(Lints& lints, const Pattern& pattern) {
  for (const Entity* other : also_read(lints.design(), pattern)) {
    lints.add(
        "overlap", pattern.at, {&pattern.notes},
        "the query " + pattern.name + " of " + pattern.entity.text + " also reads " + other->name,
        "Narrow its range, filter the unwanted items, or give the entities keys that begin differently.");
  }
}

// Returns whether `bound` is a proper beginning of the keys that `key` renders.
bool goes_on(const Template& bound, const Template& key) {
  const auto& ends = bound.parts();
  const auto& parts = key.parts();
  if (ends.size() > parts.size()) return false;
  for (std::size_t i = 0; i < ends.size(); ++i) {
    if (ends[i].index() != parts[i].index()) return false;
    const auto* text = std::get_if<std::string>(&ends[i]);
    if (text == nullptr) continue;
    const auto& other = std::get<std::string>(parts[i]);
    const bool last = i + 1 == ends.size();
    if (last ? !other.starts_with(*text) : other != *text) return false;
    if (last && other.size() > text->size()) return true;
  }
  return parts.size() > ends.size() && std::holds_alternative<Placeholder>(ends.back());
}

void lint_range_cut(Lints& lints, const Pattern& pattern, const RangeCondition& range) {
  using Operator = RangeCondition::Operator;
  const bool has_upper = range.op == Operator::Between || range.op == Operator::LessEqual;
  const Entity* entity = lints.design().find_entity(pattern.entity.text);
  if (!has_upper || entity == nullptr) return;
  const Template& bound = range.second ? *range.second : range.first;
  for (const Template& key : keys_in(lints.design(), *entity, pattern.via.text).range) {
    if (!goes_on(bound, key)) continue;
    lints.add("range-cut", pattern.range_at, {&pattern.notes},
              "the range of " + pattern.name + " ends with " + bound.text() + ", before the keys " +
                  key.text() + " that begin with it",
              "Write `from " + range.first.text() + " through " + bound.text() +
                  "`, which includes every key that begins with its end.");
    return;
  }
}

void lint_hash(Lints& lints, const Pattern& pattern, const std::string& text) {
  constexpr std::string_view kConditions[] = {"between ", "begins_with ", "from ", "< ", "<= ", "> ", ">= "};
  if (std::ranges::none_of(kConditions, [&](std::string_view word) { return text.starts_with(word); }))
    return;
  lints.add("between-on-hash", pattern.hash_at, {&pattern.notes},
            "the partition key of " + pattern.name + " is a condition: " + text,
            "Give one value as `hash`, and the condition as `range`.");
}

}  // namespace

void lint_queries(Lints& lints) {
  for (const Pattern& pattern : lints.design().patterns) {
    if (pattern.form != Pattern::Form::Query || !pattern.hash) continue;
    lint_hash(lints, pattern, pattern.hash->text());
    lint_overlap(lints, pattern);
    if (pattern.range) lint_range_cut(lints, pattern, *pattern.range);
  }
}

}  // namespace tavola::design
