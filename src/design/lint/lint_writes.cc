// Lints about writes: computed values, items that leave an index, steps of operations.
#include <algorithm>

#include "base/ascii.h"
#include "base/random.h"
#include "design/lint/lints.h"

namespace tavola::design {
namespace {

using Kind = AttributeType::Kind;

// Returns a usual value of a field: its example, one of its values, or one of its type.
std::optional<Value> usual_value(const Attribute& field) {
  if (field.example) return field.example;
  if (!field.values.empty()) return Value(field.values.front());
  switch (field.type.kind) {
    case Kind::Number:
    case Kind::Integer:
    case Kind::TimestampMs:
    case Kind::TimestampS:
      return Value(1'700'000'000);
    case Kind::Boolean:
      return Value(true);
    case Kind::TimestampIso:
      return Value("2024-01-31T12:00:00Z");
    case Kind::Date:
      return Value("2024-01-31");
    case Kind::Url:
      return Value("https://www.example.com/");
    case Kind::String:
    case Kind::Uuid:
    case Kind::Ulid:
    case Kind::Email:
    case Kind::Phone:
    case Kind::Sha256:
    case Kind::Md5:
    case Kind::Enum:
      return Value("12");
    default:
      return std::nullopt;
  }
}

Item usual_fields(const Entity& entity) {
  Item fields;
  for (const Attribute& field : entity.fields) {
    if (auto value = usual_value(field)) fields.emplace(field.name, *std::move(value));
  }
  return fields;
}

std::string_view type_word(Type type) {
  switch (type) {
    case Type::String:
      return "a text";
    case Type::Number:
      return "a number";
    case Type::Bool:
      return "true or false";
    case Type::Binary:
      return "bytes";
    case Type::List:
      return "a list";
    case Type::Map:
      return "a map";
    case Type::Null:
      return "null";
    default:
      return "a set";
  }
}

// Computes every derived value once, from usual values. Times are converted when they are stored.
void lint_derived(Lints& lints, const Entity& entity) {
  const Item fields = usual_fields(entity);
  for (const Attribute& field : entity.fields) {
    if (!field.derive || field.type.is_timestamp()) continue;
    const std::optional<Value> value =
        field.derive->value({.fields = &fields, .random = &Random::system()}).value_or(std::nullopt);
    const std::optional<Type> wanted = stored_type(field.type);
    if (!value || !wanted || value->type() == *wanted) continue;
    lints.add("derive-type", field.value_at, {&field.notes, &entity.notes},
              "`" + field.derive->text() + "` gives " + std::string(type_word(value->type())) + ", and " +
                  entity.name + "." + field.name + " is " + std::string(type_word(*wanted)),
              "Change the type, or convert the value with text() or number().");
  }
}

// Returns whether every item of the entity has the field.
bool is_always_there(const Attribute& field) {
  return field.required || !field.stored || field.otherwise || field.generate != Attribute::Generate::No ||
         field.automatic == Attribute::Auto::Create || (field.value && field.value->is_literal());
}

void lint_sparse_entries(Lints& lints, const Entity& entity) {
  for (const IndexEntry& entry : entity.indexes) {
    if (entry.when) continue;  // says itself which items are in the index
    const Index* const index = lints.design().find_index(entry.index);
    const KeySource* const sources[] = {&entry.hash, entry.range ? &*entry.range : nullptr};
    for (const KeySource* source : sources) {
      if (source == nullptr || !source->from || index == nullptr) continue;
      for (const std::string& name : source->from->fields()) {
        const Attribute* const field = entity.find_field(name);
        if (field == nullptr || is_always_there(*field)) continue;
        lints.add("sparse-index", source->at, {&field->notes, &entity.notes, &index->notes},
                  "a " + entity.name + " without `" + name + "` is not in " + entry.index,
                  "Make the field required, give it a default, say `when: exists(" + name +
                      ")`, or accept the lint with the reason.");
      }
    }
  }
}

// A new item has no stored fields, so a condition on one fails always, or holds always.
void lint_conditions_of_new_items(Lints& lints, const Operation& operation) {
  for (const Step& step : operation.steps) {
    const Entity* const entity = lints.design().find_entity(step.entity.text);
    if (step.kind != Step::Kind::Put || step.exists != false || entity == nullptr) continue;
    for (const Requirement& requirement : step.require) {
      const auto path = std::ranges::find_if(requirement.that.paths(), [&](const auto& names) {
        return names.size() == 1 && entity->find_field(names.front()) != nullptr;
      });
      if (path == requirement.that.paths().end()) continue;
      lints.add("require-of-new-item", requirement.at, {&operation.notes},
                "`" + requirement.that.text() + "` reads `" + path->front() + "` of a " + entity->name +
                    " that must not exist",
                "Compare the parameter (:" + path->front() + "), or a `rules` entry of the entity.");
    }
  }
}

void lint_generated_ids(Lints& lints, const Operation& operation) {
  for (const Step& step : operation.steps) {
    const Entity* const entity = lints.design().find_entity(step.entity.text);
    const bool is_returned =
        operation.steps.size() == 1 || (!step.as.empty() && step.as == operation.returns);
    if (step.kind != Step::Kind::Put || entity == nullptr || is_returned) continue;
    for (const std::string& name : entity->key_fields()) {
      const Attribute* const field = entity->find_field(name);
      const bool is_generated = field != nullptr && field->generate != Attribute::Generate::No;
      const bool is_set = std::ranges::any_of(step.set, [&](const Assignment& one) {
        return one.field == name && one.value.text() != ":" + name;
      });
      if (!is_generated || is_set) continue;
      lints.add("generated-id-lost", step.at, {&operation.notes},
                operation.name + " generates `" + name + "` of " + entity->name + " and does not return it",
                "Name the step (`as: created`) and return it (`returns: created`).");
    }
  }
}

// A name such as `comment` should hold a Comment.
void lint_alias(Lints& lints, const Operation& operation, std::string_view alias, std::string_view holds,
                Span at) {
  const auto named = std::ranges::find_if(
      lints.design().entities, [&](const Entity& entity) { return same_text(entity.name, alias); });
  if (alias.empty() || named == lints.design().entities.end() || named->name == holds) return;
  lints.add("misleading-alias", at, {&operation.notes},
            "`" + std::string(alias) + "` holds a " + std::string(holds) + ", and " + named->name +
                " is another entity",
            "Give it another name.");
}

void lint_aliases(Lints& lints, const Operation& operation) {
  for (const ReadFirst& read : operation.reads)
    lint_alias(lints, operation, read.name, read.entity.text, read.at);
  for (const Step& step : operation.steps) {
    lint_alias(lints, operation, step.as, step.entity.text, step.at);
    if (const Pattern* const pattern = lints.design().find_pattern(step.each.text))
      lint_alias(lints, operation, step.element, pattern->entity.text, step.each.at);
  }
}

}  // namespace

void lint_writes(Lints& lints) {
  for (const Entity& entity : lints.design().entities) {
    lint_derived(lints, entity);
    lint_sparse_entries(lints, entity);
  }
  for (const Operation& operation : lints.design().operations) {
    lint_conditions_of_new_items(lints, operation);
    lint_generated_ids(lints, operation);
    lint_aliases(lints, operation);
  }
}

}  // namespace tavola::design
