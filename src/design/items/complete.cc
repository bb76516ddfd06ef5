// The computed fields of an entity. Each field is settled after the fields it is made of.
#include <algorithm>
#include <set>

#include "design/items/entity_item.h"
#include "design/model/arguments.h"
#include "design/model/field_value.h"
#include "design/model/plain_json.h"
#include "design/model/secrets.h"

namespace tavola::design {
namespace {

using Auto = Attribute::Auto;
using Names = FieldNames;

Error invalid(std::string message) { return Error::validation(std::move(message)); }

// Returns why this caller may not write this value into a field that has `only`; nullopt if they may.
std::optional<std::string> why_not_only(const Attribute& field, const Value& value, const Ambient& ambient) {
  if (!field.only || ambient.caller == nullptr) return std::nullopt;
  const std::optional<Value> right = field.only->value(ambient.with({})).value_or(std::nullopt);
  if (right == value) return std::nullopt;
  return field.name + " is " + field.only->text() + ", " +
         (right ? "which is " + to_plain_json(*right) : "and nobody is logged in") + was(field, value) +
         "; leave it out";
}

// Returns the names that a field's `value`, `derive` and `when` read.
Names made_of(const Attribute& field) {
  Names names;
  if (field.value) {
    for (std::string& name : field.value->fields()) names.insert(std::move(name));
  }
  for (const std::optional<Rule>* rule : {&field.derive, &field.when}) {
    if (!*rule) continue;
    for (const auto& path : (*rule)->paths()) names.insert(path.front());
  }
  return names;
}

class Completion {
 public:
  Completion(const Entity& entity, Item fields, Occasion occasion, const Ambient& ambient,
             const FieldNames& moments)
      : entity_(entity),
        fields_(std::move(fields)),
        occasion_(occasion),
        ambient_(ambient),
        moments_(moments) {}

  Result<Item> run() && {
    settle_states();
    for (const Attribute& field : entity_.fields) TAVOLA_CHECK(settle(field));
    for (const std::string& name : entity_.key_fields()) {
      if (!fields_.contains(name)) return fail(invalid(name + " is required: it is part of the key"));
    }
    for (const Lifecycle& lifecycle : entity_.lifecycles) TAVOLA_CHECK(check_state(lifecycle));
    return std::move(fields_);
  }

 private:
  // States that an index key holds are not attributes: they are given, or initial.
  void settle_states() {
    for (const Lifecycle& lifecycle : entity_.lifecycles) {
      if (!lifecycle.attribute.empty() || occasion_ != Occasion::Creation) continue;
      fields_.try_emplace(lifecycle.name, lifecycle.initial().name);
    }
  }

  Result<void> check_state(const Lifecycle& lifecycle) const {
    const std::string& name = lifecycle.attribute.empty() ? lifecycle.name : lifecycle.attribute;
    const auto state = fields_.find(name);
    if (state == fields_.end()) return {};
    if (state->second.is_string() && lifecycle.find_state(state->second.string()) != nullptr) return {};
    return fail(
        invalid(name + " must be a state of " + lifecycle.name + " (was " + to_json(state->second) + ")"));
  }

  Result<void> settle(const Attribute& field) {
    if (settled_.contains(field.name)) return {};
    if (!begun_.insert(field.name).second) return fail(invalid(field.name + " depends on itself"));
    for (const std::string& name : made_of(field)) {
      const Attribute* const other = name == field.name ? nullptr : entity_.find_field(name);
      if (other != nullptr) TAVOLA_CHECK(settle(*other));
    }
    TAVOLA_CHECK(settle_alone(field));
    settled_.insert(field.name);
    return {};
  }

  // Settles a field whose sources are all settled.
  Result<void> settle_alone(const Attribute& field) {
    if (field.when) {
      const Result<bool> holds = field.when->holds(inputs());
      if (!holds) return fail(not_computed(field, holds.error()));
      if (!*holds) return leave_out(field, *field.when);
    }
    if (field.is_computed()) {
      const Result<void> done = compute(field);
      if (!done) return fail(not_computed(field, done.error()));
    } else {
      TAVOLA_CHECK(take(field));
    }
    const auto found = fields_.find(field.name);
    if (found == fields_.end()) {
      if (field.required) return fail(invalid(field.name + " is required"));
      if (field.when) return fail(invalid(field.name + " is required when " + field.when->text()));
      return {};
    }
    if (auto why = why_not_named(field, found->second)) return fail(invalid(*std::move(why)));
    return {};
  }

  // Returns the error, unless it may quote a sensitive value that the field is made of.
  Error not_computed(const Attribute& field, const Error& error) const {
    const Names names = made_of(field);
    const bool is_secret = std::ranges::any_of(names, [this](const std::string& name) {
      const Attribute* const source = entity_.find_field(name);
      return source != nullptr && holds_secret(*source);
    });
    return is_secret ? invalid(field.name + " cannot be computed from these values") : error;
  }

  Result<void> leave_out(const Attribute& field, const Rule& when) {
    if (fields_.erase(field.name) > 0 && !field.is_computed()) {
      return fail(invalid(field.name + " is only allowed when " + when.text()));
    }
    return {};
  }

  // Takes the given value, or the default of a new item. Null in JSON means that there is none.
  Result<void> take(const Attribute& field) {
    const auto given = fields_.find(field.name);
    if (given != fields_.end()) {
      if (given->second.is_null() && field.type.kind != AttributeType::Kind::Any) {
        fields_.erase(given);
      } else {
        TAVOLA_TRY(given->second, from_plain(field, given->second));
        return occasion_ == Occasion::Creation ? check_only(field, given->second) : Result<void>();
      }
    }
    if (occasion_ != Occasion::Creation) return {};
    if (field.only) {
      TAVOLA_TRY(auto value, from_rule(field, *field.only));
      if (value) fields_[field.name] = *std::move(value);
    } else if (auto value = initial_value(field)) {
      fields_[field.name] = *std::move(value);
    }
    return {};
  }

  Result<void> check_only(const Attribute& field, const Value& given) const {
    if (auto why = why_not_only(field, given, ambient_)) return fail(invalid(*std::move(why)));
    return {};
  }

  std::optional<Value> initial_value(const Attribute& field) const {
    Random& random = ambient_.random == nullptr ? Random::system() : *ambient_.random;
    if (field.generate == Attribute::Generate::Uuid) return make_uuid(random);
    if (field.generate == Attribute::Generate::Ulid) return make_ulid(ambient_.now, random);
    if (field.otherwise) return field.otherwise;
    for (const Lifecycle& lifecycle : entity_.lifecycles) {
      if (lifecycle.attribute == field.name) return lifecycle.initial().name;
    }
    return std::nullopt;
  }

  Result<void> compute(const Attribute& field) {
    if (field.automatic != Auto::No) {
      if (is_its_moment(field.automatic) && !moments_.contains(field.name))
        fields_[field.name] = write_moment(moment_type(field.type), ambient_.now);
      return {};
    }
    TAVOLA_TRY(auto value, computed(field));
    if (value) {
      fields_[field.name] = *std::move(value);
    } else {
      fields_.erase(field.name);
    }
    return {};
  }

  bool is_its_moment(Auto automatic) const {
    switch (occasion_) {
      case Occasion::Creation:
        return true;
      case Occasion::Change:
        return automatic == Auto::Update;
      case Occasion::Transition:
        return automatic != Auto::Create;
    }
    return false;
  }

  Result<std::optional<Value>> computed(const Attribute& field) const {
    if (field.value) return from_template(field, *field.value);
    if (field.derive) return from_rule(field, *field.derive);
    return std::nullopt;
  }

  Result<std::optional<Value>> from_template(const Attribute& field, const Template& value) const {
    const Type stored = stored_type(field.type).value_or(Type::String);
    if (stored != Type::String && value.is_literal()) {
      TAVOLA_TRY(Value literal, from_text(field, value.text()));
      return std::optional(std::move(literal));
    }
    return value.render(fields_, entity_.forms(), stored);
  }

  Result<std::optional<Value>> from_rule(const Attribute& field, const Rule& derive) const {
    TAVOLA_TRY(std::optional<Value> value, derive.value(inputs()));
    if (!value) return std::nullopt;
    TAVOLA_TRY(Value accepted, accept_computed(field, derive, *value));
    return std::optional(std::move(accepted));
  }

  expr::RuleInputs inputs() const { return ambient_.with({.fields = &fields_}); }

  const Entity& entity_;
  Item fields_;
  Occasion occasion_;
  const Ambient& ambient_;
  const FieldNames& moments_;  // those that keep the given value
  Names begun_;
  Names settled_;
};

}  // namespace

Result<void> check_only(const Design& design, const std::optional<Item>& before, const Item& after,
                        const Ambient& ambient) {
  const Decoded now = decode(design, after);
  if (now.entity == nullptr) return {};
  const Decoded then = before ? decode(design, *before) : Decoded();
  for (const Attribute& field : now.entity->fields) {
    const auto value = now.fields.find(field.name);
    if (!field.only || value == now.fields.end()) continue;
    const auto old = then.fields.find(field.name);
    if (then.entity == now.entity && old != then.fields.end() && old->second == value->second) continue;
    const auto why = why_not_only(field, value->second, ambient);
    if (!why) continue;
    return fail(invalid("Tavola: " + now.entity->name + "." + *why + " [" + design.file + ":" +
                        std::to_string(field.at.begin.line) + "]"));
  }
  return {};
}

Result<Item> complete(const Entity& entity, Item fields, Occasion occasion, const Ambient& ambient,
                      const FieldNames& settled) {
  return Completion(entity, std::move(fields), occasion, ambient, settled).run();
}

}  // namespace tavola::design
