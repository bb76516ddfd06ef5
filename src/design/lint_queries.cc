#include <algorithm>

#include "design/lints.h"

namespace tavola::design {
namespace {

constexpr std::string_view kAnything = "anything";

FieldForms forms_of(const Pattern& pattern) {
  return [&pattern](std::string_view name) -> FieldForm {
    const auto found = std::ranges::find(pattern.parameters, name, &Parameter::name);
    if (found != pattern.parameters.end()) return {found->form.type, found->form.raw};
    return {{}, name == kAnything};
  };
}

// The same template with anything behind it.
struct OpenEnded {
  Template key;
  std::string raw;  // the placeholder that matches the rest
};
OpenEnded open_ended(const Template& key) {
  if (const auto* last = std::get_if<Placeholder>(&key.parts().back())) return {key, last->field};
  const auto longer = Template::parse(key.text() + "<" + std::string(kAnything) + ">");
  return {longer ? *longer : key, std::string(kAnything)};
}

// Whether a key of `other` may begin with what `begin` renders to, or be it.
bool may_begin(const Pattern& pattern, const Template& begin, const Entity& entity, const Template& other) {
  const OpenEnded open = open_ended(begin);
  const FieldForms inner = forms_of(pattern);
  const FieldForms forms = [&](std::string_view name) {
    FieldForm form = inner(name);
    if (name == open.raw) form.raw = true;
    return form;
  };
  return open.key.overlaps(other, forms, entity.forms()) || begin.overlaps(other, inner, entity.forms());
}

// Whether the range condition may let a key of `other` pass. Of bounds, what stands before the first placeholders is compared.
bool may_pass(const Pattern& pattern, const Entity& entity, const Template& other) {
  using Operator = RangeCondition::Operator;
  if (!pattern.range) return true;
  const RangeCondition& range = *pattern.range;
  if (range.op == Operator::BeginsWith) return may_begin(pattern, range.first, entity, other);
  if (range.op == Operator::Equal) return range.first.overlaps(other, forms_of(pattern), entity.forms());
  const std::string least(other.prefix());
  const std::string most = least + "\xFF";
  const std::string bound(range.first.prefix());
  switch (range.op) {
    case Operator::Less:
    case Operator::LessEqual:
      return least <= bound + "\xFF";
    case Operator::Greater:
    case Operator::GreaterEqual:
      return most >= bound;
    default:
      return most >= bound && least <= std::string(range.second->prefix()) + "\xFF";
  }
}

void lint_overlap(Lints& lints, const Pattern& pattern) {
  for (const Entity& other : lints.design().entities) {
    if (other.name == pattern.entity.text) continue;
    const KeyTemplates keys = keys_in(lints.design(), other, pattern.via.text);
    const bool same_hash = std::ranges::any_of(keys.hash, [&](const Template& hash) {
      return pattern.hash->overlaps(hash, forms_of(pattern), other.forms());
    });
    const auto passes = [&](const Template& range) { return may_pass(pattern, other, range); };
    if (!same_hash || (!keys.range.empty() && std::ranges::none_of(keys.range, passes))) continue;
    lints.add(
        "overlap", pattern.at, {&pattern.notes},
        "the query " + pattern.name + " of " + pattern.entity.text + " also reads " + other.name,
        "Narrow its range, filter what is not asked for, or give the entities keys that begin differently.");
  }
}

// Whether `bound` is the beginning of keys that `key` renders: the same parts, and `key` goes on.
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

void lint_range_cut(Lints& lints, const Pattern& pattern) {
  using Operator = RangeCondition::Operator;
  const RangeCondition& range = *pattern.range;
  const bool has_upper = range.op == Operator::Between || range.op == Operator::LessEqual;
  const Entity* entity = lints.design().find_entity(pattern.entity.text);
  if (!has_upper || entity == nullptr) return;
  const Template& bound = range.op == Operator::Between ? *range.second : range.first;
  for (const Template& key : keys_in(lints.design(), *entity, pattern.via.text).range) {
    if (!goes_on(bound, key)) continue;
    lints.add("range-cut", pattern.range_at, {&pattern.notes},
              "the range of " + pattern.name + " ends with " + bound.text() + ", before the keys " +
                  key.text() + " that begin with it",
              "Write `from " + range.first.text() + " through " + bound.text() +
                  "`, which takes everything that begins with its end.");
    return;
  }
}

void lint_hash(Lints& lints, const Pattern& pattern) {
  const std::string& text = pattern.hash->text();
  constexpr std::string_view kConditions[] = {"between ", "begins_with ", "from ", "< ", "<= ", "> ", ">= "};
  if (std::ranges::none_of(kConditions, [&](std::string_view word) { return text.starts_with(word); }))
    return;
  lints.add("between-on-hash", pattern.hash_at, {&pattern.notes},
            "the hash of " + pattern.name + " is a condition: " + text,
            "Give one value for the hash, and the condition as the range.");
}

}  // namespace

Template with_fixed_values(const Entity& entity, const Template& key) {
  std::string text;
  for (const Template::Part& part : key.parts()) {
    if (const auto* literal = std::get_if<std::string>(&part)) {
      text += *literal;
      continue;
    }
    const auto& placeholder = std::get<Placeholder>(part);
    const Attribute* field = entity.find_field(placeholder.field);
    const bool is_fixed = field != nullptr && field->value &&
                          placeholder.format == Placeholder::Format::Plain &&
                          field->value->text().find("<" + placeholder.field + ">") == std::string::npos;
    text += is_fixed ? field->value->text()
                     : key.text().substr(placeholder.offset,
                                         key.text().find('>', placeholder.offset) + 1 - placeholder.offset);
  }
  const auto fixed = Template::parse(text);
  return fixed ? *fixed : key;
}

KeyTemplates keys_in(const Design& design, const Entity& entity, std::string_view table_or_index) {
  KeyTemplates keys;
  if (design.find_index(table_or_index) == nullptr) {
    keys.hash.push_back(with_fixed_values(entity, entity.hash));
    if (entity.range) keys.range.push_back(with_fixed_values(entity, *entity.range));
    return keys;
  }
  const IndexEntry* entry = entity.find_index(table_or_index);
  if (entry == nullptr) return keys;
  const auto add = [&](const KeySource& source, std::vector<Template>& to) {
    if (source.from) {
      to.push_back(with_fixed_values(entity, *source.from));
    } else if (const Lifecycle* lifecycle = entity.find_lifecycle(source.lifecycle)) {
      for (const State& state : lifecycle->states) {
        if (state.key) to.push_back(*state.key);
      }
    }
  };
  add(entry->hash, keys.hash);
  if (entry->range) add(*entry->range, keys.range);
  return keys;
}

void lint_queries(Lints& lints) {
  for (const Pattern& pattern : lints.design().patterns) {
    if (pattern.form != Pattern::Form::Query || !pattern.hash) continue;
    lint_hash(lints, pattern);
    lint_overlap(lints, pattern);
    if (pattern.range) lint_range_cut(lints, pattern);
  }
}

}  // namespace tavola::design
