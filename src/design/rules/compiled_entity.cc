#include "design/rules/compiled_entity.h"

#include <algorithm>
#include <set>

#include "base/utf8.h"
#include "design/items/entity_mark.h"
#include "design/items/entity_rules.h"
#include "design/model/dependencies.h"
#include "design/model/field_value.h"
#include "design/model/timestamps.h"
#include "design/model/vocabulary.h"
#include "design/rules/compiled_counters.h"
#include "value/key_codec.h"
#include "value/limits.h"

namespace tavola::design {
namespace {

using Kind = AttributeType::Kind;

// Returns whether a change of the entity's items changes other items besides counters, or the reverse.
bool has_copies(const Design& design, const Entity& entity) {
  return std::ranges::any_of(design.copies, [&](const Copy& copy) {
    const bool takes_from = copy.from.text == entity.name && copy.kind != Copy::Kind::Snapshot &&
                            copy.kind != Copy::Kind::Counter;
    return takes_from || copy.to.text == entity.name;
  });
}

void plan_bounds(const Attribute& field, FieldPlan& plan) {
  const std::optional<std::string> least = field.min ? packed_value(*field.min) : std::string();
  const std::optional<std::string> most = field.max ? packed_value(*field.max) : std::string();
  plan.is_integer = field.type.kind == Kind::Integer;
  plan.is_bounded_number = (field.type.kind == Kind::Number || plan.is_integer) && field.type.digits == 0 &&
                           field.values.empty() && field.pattern.empty() && !field.format &&
                           field.permits.empty() && least && most;
  const bool has_bounds =
      !field.pattern.empty() || field.format || !field.permits.empty() || field.min_length.has_value();
  plan.is_plain_text = (field.type.kind == Kind::String || field.type.kind == Kind::Enum) &&
                       field.type.text == AttributeType::Text::Any && !has_bounds;
  plan.is_any_moment = field.automatic != Attribute::Auto::No && field.type.is_timestamp() && !has_bounds &&
                       !field.max_length && !field.min && !field.max && field.values.empty();
  plan.is_in_key = field.in_key;
  plan.bytes_surely_fit = field.max_length ? static_cast<std::size_t>(*field.max_length) : kNone;
  plan.least = least.value_or("");
  plan.most = most.value_or("");
}

// Lists the names that are fields, and those that are keys of indexes.
void list_names(const Design& design, CompiledEntity& plan) {
  for (std::size_t i = 0; i < plan.names.size(); ++i) {
    const NamePlan& name = plan.names[i];
    if (name.field != kNone) plan.names_of_fields.emplace_back(i, name.field);
    const bool is_index_key = std::ranges::any_of(design.indexes, [&](const Index& index) {
      return index.hash.name == name.name || (index.range && index.range->name == name.name);
    });
    if (is_index_key) plan.index_keys.push_back(i);
  }
}

class EntityCompiler {
 public:
  EntityCompiler(const Design& design, const Entity& entity) : design_(design), entity_(entity) {}

  std::unique_ptr<const CompiledEntity> run() {
    plan_.entity = &entity_;
    plan_.packed_mark = packed_value(entity_mark(design_, entity_)).value_or("");
    const bool planned = !has_copies(design_, entity_) && plan_table_key() && plan_fields() &&
                         plan_states() && plan_rules() && plan_indexes() && plan_consequences() &&
                         compile_counters(design_, plan_);
    return planned ? std::make_unique<const CompiledEntity>(std::move(plan_)) : nullptr;
  }

 private:
  std::size_t number_of(std::string_view field) const { return design::number_of(entity_, field); }
  std::optional<RulePlan> plan_rule(const Rule& rule) const { return design::plan_rule(entity_, rule); }
  std::optional<KeyPlan> plan_key(const Template& from, Type type, std::size_t bytes_max) const {
    return design::plan_key(entity_, from, {type, bytes_max});
  }

  bool plan_table_key() {
    const Table& table = design_.table;
    if (table.hash.type != Type::String || (table.range && table.range->type != Type::String)) return false;
    auto hash = plan_key(entity_.hash, Type::String, limits::kPartitionKeyBytesMax);
    if (!hash || table.range.has_value() != entity_.range.has_value()) return false;
    plan_.hash = *std::move(hash);
    if (entity_.range) {
      plan_.range = plan_key(*entity_.range, Type::String, limits::kSortKeyBytesMax);
      if (!plan_.range) return false;
    }
    // A key that shows the day of a field must be compared with it.
    const auto shows_day = [](const KeyPlan& key) {
      return std::ranges::any_of(key.parts, [](const KeyPlan::Part& part) {
        return part.placeholder != nullptr && part.placeholder->format == Placeholder::Format::Date;
      });
    };
    if (shows_day(plan_.hash) || (plan_.range && shows_day(*plan_.range))) return false;
    // A key that is computed may come out otherwise than it was sent.
    return std::ranges::none_of(entity_.key_fields(), [&](const std::string& name) {
      return entity_.find_field(name)->is_computed();
    });
  }

  bool plan_fields() {
    for (const Attribute& field : entity_.fields) {
      if (field.when || field.only || (field.unique && !plan_guard(field, *field.unique))) return false;
      if (!field.ref.empty()) plan_.references.push_back(plan_.fields.size());
      FieldPlan plan{.attribute = &field,
                     .automatic = field.automatic,
                     .is_immutable = field.immutable,
                     .is_required = field.required,
                     .is_plain = is_taken_as_it_is(field),
                     .is_computed = field.is_computed()};
      plan_bounds(field, plan);
      if (field.otherwise) {
        const std::optional<std::string> otherwise = packed_value(*field.otherwise);
        if (!otherwise) return false;
        plan.otherwise = *otherwise;
      }
      if (field.automatic != Attribute::Auto::No) plan.moment_type = moment_type(field.type);
      if (field.value && !plan_value(*field.value, plan)) return false;
      if (field.derive) {
        plan.derive = plan_rule(*field.derive);
        if (!plan.derive) return false;
      }
      if (field.automatic != Attribute::Auto::No) plan_.automatic.push_back(plan_.fields.size());
      if (plan.value || plan.derive || !plan.constant.empty())
        plan_.made_of_others.push_back(plan_.fields.size());
      plan_.fields.push_back(std::move(plan));
    }
    begun_.resize(entity_.fields.size());
    for (std::size_t i = 0; i < entity_.fields.size(); ++i) {
      if (!put_in_turn(i)) return false;
    }
    return true;
  }

  bool plan_guard(const Attribute& field, const Unique& unique) {
    plan_.guarded.push_back(number_of(field.name));
    for (const std::string& name : unique.within) plan_.guarded.push_back(number_of(name));
    return std::ranges::find(plan_.guarded, kNone) == plan_.guarded.end();
  }

  bool plan_value(const Template& from, FieldPlan& plan) const {
    const Type stored = stored_type(plan.attribute->type).value_or(Type::String);
    if (stored != Type::String && from.is_literal()) {
      const Result<Value> constant = from_text(*plan.attribute, from.text());
      plan.constant = constant ? packed_value(*constant).value_or("") : "";
      return !plan.constant.empty();
    }
    plan.value = plan_key(from, stored, kNone);
    return plan.value.has_value();
  }

  bool put_in_turn(std::size_t field) {
    if (std::ranges::find(plan_.in_turn, field) != plan_.in_turn.end()) return true;
    if (begun_[field]) return false;  // made of itself
    begun_[field] = true;
    const FieldPlan& plan = plan_.fields[field];
    std::vector<std::size_t> made_of = plan.derive ? plan.derive->fields : std::vector<std::size_t>();
    if (plan.value) {
      for (const KeyPlan::Part& part : plan.value->parts) made_of.push_back(part.field);
    }
    for (const std::size_t other : made_of) {
      if (other != kNone && other != field && !put_in_turn(other)) return false;
    }
    plan_.in_turn.push_back(field);
    return true;
  }

  bool plan_states() {
    std::set<std::size_t> seen;
    for (const Lifecycle& lifecycle : entity_.lifecycles) {
      const std::size_t field = number_of(lifecycle.attribute);
      const bool has_keys =
          std::ranges::any_of(lifecycle.states, [](const State& state) { return state.key.has_value(); });
      if (field == kNone || has_keys || entity_.fields[field].is_computed()) return false;
      plan_.states.push_back({&lifecycle, field});
      if (std::ranges::any_of(lifecycle.states, [](const State& one) { return one.stuck_after.has_value(); }))
        seen.insert(field);
    }
    if (seen.empty()) return true;
    for (std::size_t i = 0; i < entity_.fields.size(); ++i) {
      const Attribute::Auto automatic = entity_.fields[i].automatic;
      if (automatic == Attribute::Auto::Update || automatic == Attribute::Auto::Transition) seen.insert(i);
    }
    plan_.seen_when_stuck.assign(seen.begin(), seen.end());
    return true;
  }

  bool plan_rules() {
    return std::ranges::all_of(entity_.rules, [&](const EntityRule& rule) {
      std::optional<RulePlan> plan = plan_rule(rule.that);
      if (plan) plan_.rules.emplace_back(&rule, *std::move(plan));
      return plan.has_value();
    });
  }

  bool plan_indexes() {
    plan_names();
    for (const IndexEntry& entry : entity_.indexes) {
      const Index& index = *design_.find_index(entry.index);
      if (!entry.hash.from || (entry.range && !entry.range->from)) return false;
      IndexPlan plan;
      plan.hash_name = plan_.find_name(index.hash.name);
      auto hash = plan_index_key(*entry.hash.from, index.hash.type, limits::kPartitionKeyBytesMax);
      if (!hash || index.range.has_value() != entry.range.has_value()) return false;
      plan.hash = *std::move(hash);
      if (index.range && entry.range && entry.range->from) {
        plan.range_name = plan_.find_name(index.range->name);
        plan.range = plan_index_key(*entry.range->from, index.range->type, limits::kSortKeyBytesMax);
        if (!plan.range) return false;
      }
      if (entry.when) {
        plan.when = plan_rule(*entry.when);
        if (!plan.when) return false;
      }
      plan_.indexes.push_back(std::move(plan));
    }
    return true;
  }

  std::optional<KeyPlan> plan_index_key(const Template& from, Type type, std::size_t bytes_max) const {
    std::optional<KeyPlan> key = plan_key(from, type, bytes_max);
    if (!key || type != Type::String || !key->is_text) return key;
    if (from.text() == entity_.hash.text()) key->same_as = plan_.hash_name;
    if (entity_.range && from.text() == entity_.range->text()) key->same_as = plan_.range_name;
    return key;
  }

  bool plan_consequences() {
    for (const Consequence& consequence : design_.consequences) {
      if (!is_of(consequence, entity_)) continue;
      ConsequencePlan plan{.consequence = &consequence, .fields = {}};
      for (const std::string& name : deciding_fields(consequence)) {
        plan.fields.push_back(number_of(name));
        if (plan.fields.back() == kNone) return false;
      }
      plan.is_decidable = !plan.fields.empty() && reads_fields_alone(consequence);
      plan_.consequences.push_back(std::move(plan));
    }
    return true;
  }

  bool reads_fields_alone(const Consequence& consequence) const {
    return std::ranges::all_of(consequence.when->paths(), [this](const auto& path) {
      return path.front() == kBeforeName || path.front() == kAfterName || number_of(path.front()) != kNone;
    });
  }

  // Plans all names: fields, and the others of an entity that does not declare them: keys, and the entity
  // attribute.
  void plan_names() {
    std::set<std::string> names;
    const auto add_keys = [&](const auto& keyed) {
      names.insert(keyed.hash.name);
      if (keyed.range) names.insert(keyed.range->name);
    };
    add_keys(design_.table);
    for (const Index& index : design_.indexes) add_keys(index);
    if (!design_.table.entity_attribute.empty()) names.insert(design_.table.entity_attribute);
    for (const Attribute& field : entity_.fields) names.insert(field.name);
    for (const std::string& name : names) {
      const std::size_t field = number_of(name);
      const Table& table = design_.table;
      plan_.names.push_back(
          {.name = name,
           .field = field,
           .is_table_key = name == table.hash.name || (table.range && name == table.range->name),
           .is_stored = field != kNone && entity_.fields[field].stored,
           .is_mark = name == table.entity_attribute,
           .is_refused = entity_.closed && !is_declared(design_, entity_, name)});
    }
    list_names(design_, plan_);
    plan_.hash_name = plan_.find_name(design_.table.hash.name);
    if (design_.table.range) plan_.range_name = plan_.find_name(design_.table.range->name);
    if (!design_.table.entity_attribute.empty())
      plan_.mark_name = plan_.find_name(design_.table.entity_attribute);
  }

  const Design& design_;
  const Entity& entity_;
  CompiledEntity plan_;
  std::vector<bool> begun_;
};

}  // namespace

std::size_t CompiledEntity::find_name(std::string_view name) const {
  const auto found = std::ranges::lower_bound(names, name, {}, &NamePlan::name);
  return found == names.end() || found->name != name ? kNone
                                                     : static_cast<std::size_t>(found - names.begin());
}

std::size_t number_of(const Entity& entity, std::string_view field) {
  const auto found = std::ranges::find(entity.fields, field, &Attribute::name);
  return found == entity.fields.end() ? kNone : static_cast<std::size_t>(found - entity.fields.begin());
}

std::optional<RulePlan> plan_rule(const Entity& entity, const Rule& rule) {
  RulePlan plan{.rule = &rule, .fields = {}, .numbers = expr::NumberRule::of(rule)};
  for (const auto& path : rule.paths()) {
    const std::size_t field = number_of(entity, path.front());
    if (field == kNone) return std::nullopt;
    if (std::ranges::find(plan.fields, field) == plan.fields.end()) plan.fields.push_back(field);
  }
  return plan;
}

std::optional<KeyPlan> plan_key(const Entity& entity, const Template& from, KeyBounds bounds) {
  KeyPlan key{.parts = {}, .type = bounds.type, .bytes_max = bounds.bytes_max};
  for (std::size_t i = 0; i < from.parts().size(); ++i) {
    const auto* const placeholder = std::get_if<Placeholder>(&from.parts()[i]);
    KeyPlan::Part part;
    if (placeholder == nullptr) {
      part.literal = std::get<std::string>(from.parts()[i]);
    } else {
      part.placeholder = placeholder;
      part.field = number_of(entity, placeholder->field);
      if (part.field == kNone) return std::nullopt;
      part.form = entity.forms()(placeholder->field);
      part.is_text = placeholder->format == Placeholder::Format::Plain &&
                     stored_type(part.form.type).value_or(Type::String) == Type::String;
      key.is_text = key.is_text && part.is_text;
      if (i + 1 < from.parts().size()) part.behind = std::get<std::string>(from.parts()[i + 1]);
    }
    key.parts.push_back(std::move(part));
  }
  return bounds.type == Type::String || from.whole() != nullptr ? std::optional(std::move(key))
                                                                : std::nullopt;
}

bool is_taken_as_it_is(const Attribute& field) {
  switch (field.type.kind) {
    case Kind::List:
    case Kind::Set:
    case Kind::Map:
    case Kind::Any:
    case Kind::Binary:
      return false;
    default:
      return !field.format && field.type.text == AttributeType::Text::Any &&
             !(field.type.kind == Kind::Number && field.type.digits > 0);
  }
}

std::unique_ptr<const CompiledEntity> compile_entity(const Design& design, const Entity& entity) {
  return EntityCompiler(design, entity).run();
}

std::optional<std::string> packed_value(const Value& value) {
  std::string bytes(1, static_cast<char>(value.type()));
  if (value.is_string() && is_utf8(value.string())) return bytes += value.string();
  if (value.is_number()) {
    append_ordered_number(bytes, value.number());
    return bytes;
  }
  const Result<PackedItem> item = pack({{"value", value}});
  const std::optional<ValueView> packed = item ? item->find("value") : std::nullopt;
  return packed ? std::optional(std::string(packed->bytes())) : std::nullopt;
}

}  // namespace tavola::design
