#include "design/lint/overlapping_entities.h"

#include <algorithm>

#include "design/model/key_templates.h"

namespace tavola::design {
namespace {

constexpr std::string_view kAnything = "anything";

// Returns whether a key of `range` may equal or begin with a text that `begin` renders.
bool may_begin(const Pattern& pattern, const Template& begin, const Entity& entity, const Template& range) {
  if (begin.overlaps(range, pattern.forms(), entity.forms())) return true;
  // Any text may follow: the last placeholder takes it, and otherwise one is appended.
  const auto* const last = std::get_if<Placeholder>(&begin.parts().back());
  const std::string taker = last != nullptr ? last->field : std::string(kAnything);
  const auto longer = Template::parse(last != nullptr ? begin.text() : begin.text() + "<" + taker + ">");
  if (!longer) return true;
  const FieldForms forms = [&pattern, &taker](std::string_view name) {
    FieldForm form = pattern.forms()(name);
    form.raw = form.raw || name == taker;
    return form;
  };
  return longer->overlaps(range, forms, entity.forms());
}

// Returns the greatest text that a template renders to, judged by the text before its placeholders; with
// placeholders, a text greater than everything that begins with it.
std::string greatest(const Template& of) {
  return std::string(of.prefix()) + (of.is_literal() ? "" : "\xFF");
}

// Returns whether the sort key condition may accept a key of `range`.
bool may_pass(const Pattern& pattern, const Entity& entity, const Template& range) {
  using Operator = RangeCondition::Operator;
  if (!pattern.range) return true;
  const RangeCondition& condition = *pattern.range;
  const Template& end = condition.second ? *condition.second : condition.first;
  const std::string_view least = range.prefix();
  const std::string most = greatest(range);
  switch (condition.op) {
    case Operator::Equal:
      return condition.first.overlaps(range, pattern.forms(), entity.forms());
    case Operator::BeginsWith:
      return may_begin(pattern, condition.first, entity, range);
    case Operator::Less:
      return least < greatest(condition.first);
    case Operator::LessEqual:
      return least <= greatest(condition.first);
    case Operator::Greater:
      return most > condition.first.prefix();
    case Operator::GreaterEqual:
      return most >= condition.first.prefix();
    case Operator::Between:
      return most >= condition.first.prefix() && least <= greatest(end);
    case Operator::Through:
      return most >= condition.first.prefix() && least <= greatest(end) + "\xFF";
  }
  return true;
}

bool is_read(const Design& design, const Pattern& pattern, const Entity& entity) {
  if (pattern.form == Pattern::Form::Scan)
    return design.find_index(pattern.via.text) == nullptr || entity.find_index(pattern.via.text) != nullptr;
  if (pattern.form != Pattern::Form::Query || !pattern.hash) return false;
  const KeyTemplates keys = keys_in(design, entity, pattern.via.text);
  const bool has_hash = std::ranges::any_of(keys.hash, [&](const Template& hash) {
    return pattern.hash->overlaps(hash, pattern.forms(), entity.forms());
  });
  return has_hash && (keys.range.empty() || std::ranges::any_of(keys.range, [&](const Template& range) {
                        return may_pass(pattern, entity, range);
                      }));
}

}  // namespace

std::vector<const Entity*> also_read(const Design& design, const Pattern& pattern) {
  std::vector<const Entity*> others;
  for (const Entity& entity : design.entities) {
    if (entity.name != pattern.entity.text && is_read(design, pattern, entity)) others.push_back(&entity);
  }
  return others;
}

}  // namespace tavola::design
