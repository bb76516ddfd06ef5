#include "design/items/entity_item.h"
#include "design/items/entity_rules.h"
#include "design/language/validate.h"
#include "design/language/validate_references.h"
#include "design/model/arguments.h"
#include "design/model/field_value.h"
#include "design/model/plain_json.h"

namespace tavola::design {
namespace {

using TypeKind = AttributeType::Kind;

// Relaxes the form: an example illustrates a value and need not be a real one: `s1` may stand for a UUID and
// `https://...` for an address.
Attribute relaxed(Attribute field) {
  switch (field.type.kind) {
    case TypeKind::Uuid:
    case TypeKind::Ulid:
    case TypeKind::Url:
    case TypeKind::Email:
    case TypeKind::Phone:
    case TypeKind::Sha256:
    case TypeKind::Md5:
      field.type.kind = TypeKind::String;
      return field;
    default:
      return field;
  }
}

class ExampleCheck {
 public:
  ExampleCheck(const Design& design, const Entity& entity, const Example& example, Problems& problems)
      : design_(design), entity_(entity), example_(example), problems_(problems) {}

  void check() {
    Decoded decoded = decode(design_, example_.item);
    if (decoded.entity != &entity_) {
      return wrong(decoded.entity == nullptr ? decoded.why_none
                                             : "by its key, it is a `" + decoded.entity->name + "`");
    }
    fields_ = std::move(decoded.fields);
    check_states();
    check_attributes();
    for (const Attribute& field : entity_.fields) check_field(field);
    check_index_keys();
    for (const EntityRule& rule : entity_.rules) {
      if (!keeps(rule, fields_)) wrong(broken_text(entity_, rule));
    }
  }

 private:
  void wrong(std::string message) {
    problems_.error("bad-example", example_.at, std::move(message), "Change the example or the design.");
  }

  void has_none(const std::string& whole, const std::string& kind, const std::string& part) {
    wrong("`" + whole + "` has no " + kind + " `" + part + "`");
  }

  void check_states() {
    for (const auto& [name, state] : example_.states) {
      const Lifecycle* lifecycle = entity_.find_lifecycle(name);
      if (lifecycle == nullptr) {
        has_none(entity_.name, "lifecycle", name);
      } else if (lifecycle->find_state(state) == nullptr) {
        has_none(name, "state", state);
      } else {
        fields_.insert_or_assign(lifecycle->attribute.empty() ? name : lifecycle->attribute, state);
      }
    }
  }

  bool is_key(std::string_view name) const {
    const Table& table = design_.table;
    return name == table.hash.name || (table.range && name == table.range->name);
  }

  void check_attributes() {
    for (const auto& [name, value] : example_.item) {
      const Attribute* field = entity_.find_field(name);
      const bool known =
          (field != nullptr && field->stored) || is_key(name) || name == design_.table.entity_attribute;
      if (!known) wrong("`" + entity_.name + "` has no attribute `" + name + "`");
    }
  }

  void check_field(const Attribute& field) {
    const auto found = fields_.find(field.name);
    if (found == fields_.end()) {
      if (field.required && !field.when) wrong("`" + field.name + "` is missing");
    } else if (const auto why = why_not(relaxed(field), found->second)) {
      wrong("`" + field.name + "` " + *why);
    }
    check_computed(field, found == fields_.end() ? nullptr : &found->second);
  }

  void check_computed(const Attribute& field, const Value* stored) {
    if (field.when) {
      const Result<bool> holds = field.when->holds({.fields = &fields_});
      if (holds && *holds != (stored != nullptr))
        return wrong("`" + field.name + "` must exist exactly if " + field.when->text());
    }
    const std::optional<Value> computed = computed_value(field);
    if (!computed || (stored != nullptr && *stored == *computed)) return;
    wrong("`" + field.name + "` is " + (stored == nullptr ? "missing" : to_plain_json(*stored)) +
          ", and would be " + to_plain_json(*computed));
  }

  std::optional<Value> computed_value(const Attribute& field) const {
    std::optional<Value> value;
    if (field.value) {
      const Type type = stored_type(field.type).value_or(Type::String);
      value = field.value->render(fields_, entity_.forms(), type).value_or(std::nullopt);
    } else if (field.derive) {
      value = field.derive->value({.fields = &fields_}).value_or(std::nullopt);
      if (!value) return value;
      Result<Value> accepted = accept_computed(field, *field.derive, *value);
      if (accepted) value = *std::move(accepted);
    }
    return value;
  }

  void check_index_keys() {
    const Result<Item> keys = index_keys_of(design_, entity_, fields_);
    if (!keys) return wrong(keys.error().message());
    for (const auto& [name, expected] : example_.index_keys) {
      const auto found = keys->find(name);
      if (found == keys->end()) {
        wrong("it has no index key `" + name + "`");
      } else if (found->second != expected) {
        wrong("`" + name + "` would be " + to_plain_json(found->second) + ", not " + to_plain_json(expected));
      }
    }
  }

  const Design& design_;
  const Entity& entity_;
  const Example& example_;
  Problems& problems_;
  Item fields_;
};

}  // namespace

void validate_examples(const Design& design, Problems& problems) {
  for (const Entity& entity : design.entities) {
    for (const Example& example : entity.examples) ExampleCheck(design, entity, example, problems).check();
  }
}

}  // namespace tavola::design
