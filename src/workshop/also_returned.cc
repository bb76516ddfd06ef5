#include "workshop/also_returned.h"

#include <algorithm>

namespace tavola::workshop {
namespace {

using design::Design;
using design::Entity;
using design::FieldForm;
using design::FieldForms;
using design::Pattern;
using design::RangeCondition;
using design::Template;

FieldForms forms_of(const Pattern& pattern) {
  return [&pattern](std::string_view name) -> FieldForm {
    const auto found = std::ranges::find(pattern.parameters, name, &design::Parameter::name);
    if (found == pattern.parameters.end()) return {};
    return {found->form.type, found->form.raw};
  };
}

// Whether keys of `range` may begin with what `first` renders.
bool may_begin_with(const Template& range, const FieldForms& forms, const Template& first,
                    const FieldForms& first_forms) {
  if (first.overlaps(range, first_forms, forms)) return true;
  // Whatever follows: a last placeholder takes it, and otherwise one is put behind.
  const bool ends_open = std::holds_alternative<design::Placeholder>(first.parts().back());
  const std::string last = ends_open ? std::get<design::Placeholder>(first.parts().back()).field : "rest";
  const auto open = ends_open ? std::expected<Template, design::TextProblem>(first)
                              : Template::parse(first.text() + "<" + last + ">");
  if (!open) return true;
  const FieldForms open_forms = [&](std::string_view name) -> FieldForm {
    return name == last ? FieldForm{.type = {}, .raw = true} : first_forms(name);
  };
  return open->overlaps(range, open_forms, forms);
}

// Whether a key between the two may be one of `range`, judged by the texts with which they begin.
bool may_lie_between(const Template& range, std::string_view low, std::string_view high) {
  const std::string_view begin = range.prefix();
  const bool above = begin >= low || low.starts_with(begin);
  const bool below = begin <= high || begin.starts_with(high) || high.starts_with(begin);
  return above && below;
}

bool fits(const Template& range, const FieldForms& forms, const Pattern& pattern) {
  if (!pattern.range) return true;
  using Operator = RangeCondition::Operator;
  constexpr std::string_view kLast = "\xF4\x8F\xBF\xBF";
  const RangeCondition& condition = *pattern.range;
  switch (condition.op) {
    case Operator::Equal:
      return condition.first.overlaps(range, forms_of(pattern), forms);
    case Operator::BeginsWith:
      return may_begin_with(range, forms, condition.first, forms_of(pattern));
    case Operator::Less:
    case Operator::LessEqual:
      return may_lie_between(range, "", condition.first.prefix());
    case Operator::Greater:
    case Operator::GreaterEqual:
      return may_lie_between(range, condition.first.prefix(), kLast);
    case Operator::Between:
    case Operator::Through:
      return may_lie_between(range, condition.first.prefix(), condition.second->prefix());
  }
  return true;
}

// The templates that a key of an index may have.
std::vector<const Template*> templates_of(const Entity& entity, const design::KeySource& source) {
  if (source.from) return {&*source.from};
  std::vector<const Template*> templates;
  if (const design::Lifecycle* lifecycle = entity.find_lifecycle(source.lifecycle)) {
    for (const design::State& state : lifecycle->states) {
      if (state.key) templates.push_back(&*state.key);
    }
  }
  return templates;
}

bool is_returned(const Design& design, const Pattern& pattern, const Entity& entity) {
  if (pattern.form == Pattern::Form::Scan) return true;
  if (!pattern.hash) return false;
  const FieldForms forms = entity.forms();
  const auto fits_hash = [&](const Template* hash) {
    return pattern.hash->overlaps(*hash, forms_of(pattern), forms);
  };
  const auto fits_range = [&](const Template* range) { return fits(*range, forms, pattern); };
  if (design.find_index(pattern.via.text) == nullptr) {
    return fits_hash(&entity.hash) && (!entity.range || fits_range(&*entity.range));
  }
  const design::IndexEntry* const entry = entity.find_index(pattern.via.text);
  if (entry == nullptr || !std::ranges::any_of(templates_of(entity, entry->hash), fits_hash)) return false;
  return !entry->range || std::ranges::any_of(templates_of(entity, *entry->range), fits_range);
}

}  // namespace

std::vector<const Entity*> also_returned(const Design& design, const Pattern& pattern) {
  std::vector<const Entity*> others;
  if (pattern.form != Pattern::Form::Query && pattern.form != Pattern::Form::Scan) return others;
  for (const Entity& entity : design.entities) {
    if (entity.name != pattern.entity.text && is_returned(design, pattern, entity)) others.push_back(&entity);
  }
  return others;
}

}  // namespace tavola::workshop
