#include "design/language/validate.h"

#include "base/joined.h"
#include "design/language/reading.h"
#include "design/language/validate_references.h"
#include "design/model/arguments.h"
#include "design/model/nearest.h"

namespace tavola::design {

void validate(const Design& design, Problems& problems) {
  validate_names(design, problems);
  validate_table(design, problems);
  validate_fields(design, problems);
  validate_keys(design, problems);
  validate_lifecycles(design, problems);
  validate_copies(design, problems);
  validate_consequences(design, problems);
  validate_patterns(design, problems);
  validate_operations(design, problems);
  validate_plans(design, problems);
  // Examples are computed, and that needs a consistent design.
  if (problems.empty() && !problems.is_stored()) validate_examples(design, problems);
}

void refuse_unknown(std::string_view code, const Word& word, std::string_view what,
                    const std::vector<std::string>& known, Problems& problems) {
  if (problems.is_full()) return;
  const std::string otherwise = known.empty() ? "Declare it, or remove its name; the design has none yet."
                                              : "There is " + joined(known) + ".";
  problems.error(code, word.at, std::string(what) + " `" + word.text + "` does not exist",
                 did_you_mean(word.text, known, otherwise));
}

const Entity* require_entity(const Design& design, const Word& name, Problems& problems) {
  const Entity* entity = design.find_entity(name.text);
  if (entity == nullptr)
    refuse_unknown("unknown-entity", name, "the entity", names_of(design.entities), problems);
  return entity;
}

bool require_field(const Entity& entity, const Word& name, Problems& problems) {
  if (has_field(entity, name.text)) return true;
  if (problems.is_full()) return false;
  problems.error(
      "unknown-field", name.at, "`" + entity.name + "` has no field `" + name.text + "`",
      did_you_mean(name.text, field_names(entity), "Its fields are " + joined(field_names(entity)) + "."));
  return false;
}

void require_suitable(const Entity& entity, const Assignment& constant, Problems& problems) {
  const Attribute* const field = entity.find_field(constant.field);
  // A time or a new id differs each time.
  if (field == nullptr || !constant.value.is_constant() || constant.value.gives_moment()) return;
  const std::string& text = constant.value.text();
  if (text.contains("uuid(") || text.contains("ulid(")) return;
  const Result<std::optional<Value>> computed = constant.value.value({});
  const std::optional<Value> value = computed.value_or(std::nullopt);
  if (computed && !value) return;
  const auto accept = [&] {
    return accept_computed(problems.is_stored() ? as_once_checked(*field) : *field, constant.value, *value);
  };
  const Result<Value> accepted = value ? accept() : Result<Value>(fail(computed.error()));
  if (!accepted) {
    problems.error("bad-value", constant.at, accepted.error().message(),
                   "Write a value that the field can have, or change the field.");
  }
}

// A day in a key does not give the time back, so the time must be stored beside it.
static void require_day(const Attribute& field, const Span& at, Problems& problems) {
  if (!field.type.is_timestamp() && field.type.kind != AttributeType::Kind::Date) {
    problems.error("bad-template", at,
                   "`" + field.name + "` has no day: it is neither a timestamp nor a date",
                   "Leave out `:date`, or name a field with a time.");
  } else if (!field.stored) {
    problems.error("bad-template", at,
                   "the key holds only the day of `" + field.name + "`, and nothing else holds the rest",
                   "Declare it under `attributes`.");
  }
}

void require_fields(const Entity& entity, const Template& text, const Span& at, Problems& problems) {
  for (const Template::Part& part : text.parts()) {
    const auto* placeholder = std::get_if<Placeholder>(&part);
    if (placeholder == nullptr) continue;
    if (problems.is_full()) return;
    const Span place = span_within(at, text.text(), placeholder->offset + 1, placeholder->field.size());
    if (const Attribute* const field = entity.find_field(placeholder->field)) {
      if (placeholder->format == Placeholder::Format::Date) require_day(*field, place, problems);
      continue;
    }
    problems.error("unknown-field", place, "`" + entity.name + "` has no field `" + placeholder->field + "`",
                   did_you_mean(placeholder->field, field_names(entity),
                                "Add it to `ids` if only the key holds it, to `attributes` otherwise."));
  }
}

void require_key_fields(const Entity& entity, const Template& key, const Span& at, Problems& problems) {
  require_fields(entity, key, at, problems);
  for (const Template::Part& part : key.parts()) {
    const auto* const placeholder = std::get_if<Placeholder>(&part);
    const Attribute* const field = placeholder == nullptr ? nullptr : entity.find_field(placeholder->field);
    if (field == nullptr || !field->sensitive) continue;
    problems.error("sensitive-key",
                   span_within(at, key.text(), placeholder->offset + 1, placeholder->field.size()),
                   "`" + field->name + "` is sensitive, and part of a key",
                   "Put an id, or a hash of the value, into the key.");
  }
}

void require_lowered(const Rule& rule, const Span& at, Problems& problems) {
  const std::optional<expr::RuleProblem> why = rule.why_not_lowered();
  if (!why) return;
  problems.error("not-lowered", span_within(at, rule.text(), why->offset, why->length), why->message,
                 why->advice.empty() ? "Write it in a form that DynamoDB can compute." : why->advice);
}

}  // namespace tavola::design
