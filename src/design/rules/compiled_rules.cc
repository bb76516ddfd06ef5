#include "design/rules/compiled_rules.h"

#include <algorithm>
#include <deque>

#include "base/assert.h"
#include "design/items/entity_mark.h"
#include "design/model/arguments.h"
#include "design/model/field_value.h"
#include "design/model/placeholder_text.h"
#include "design/rules/compiled_entity.h"
#include "design/rules/govern.h"

namespace tavola::design {
namespace {

using Auto = Attribute::Auto;
using Bytes = std::string_view;  // of a packed value; empty: there is none

bool is_text(Bytes value) { return !value.empty() && ValueView(value).type() == Type::String; }
std::string_view text_of(Bytes value) { return ValueView(value).string(); }

// The compiled rule of one change of one item. A method that returns bool returns false when govern() must decide.
class CompiledItemRule {
 public:
  CompiledItemRule(const CompiledEntity& plan, const std::optional<ItemView>& before, const ItemView& after,
                   const Ambient& ambient)
      : plan_(plan),
        is_new_(!before),
        ambient_(ambient),
        new_names_(plan.names.size()),
        old_names_(plan.names.size()),
        fields_(plan.fields.size()),
        keys_(plan.names.size()) {
    look_at(after, new_names_, new_others_);
    if (before) look_at(*before, old_names_, old_others_);
  }
  bool run(const Table& table);
  // Returns the item that run() decided.
  PackedItem final_item() const;
  // Returns when the item, as it was given, will be stuck. Nothing when that is not certain.
  std::optional<std::optional<std::int64_t>> stuck(const Table& table);

 private:
  // Keeps bytes as long as this object lives.
  Bytes keep(std::string bytes) { return made_.emplace_back(std::move(bytes)); }
  bool keep(const Value& value, Bytes& out);

  // ---- Reading
  // Attributes and names come in the same order.
  void look_at(const ItemView& item, std::vector<Bytes>& names, std::vector<MapView::Entry>& others) const;
  bool read_keys(const Table& table);
  bool read_key(const KeyPlan& plan, Bytes key);
  bool read_part(const KeyPlan::Part& part, std::string_view text);
  static bool may_stand(const KeyPlan::Part& part, std::string_view text);
  // Takes the attributes that are fields; they may not contradict the key. A field that only an index key holds needs the long way.
  bool take_fields(const std::vector<Bytes>& names, std::vector<Bytes>& fields) const;
  static bool has_all(const KeyPlan& key, const std::vector<Bytes>& fields);
  bool is_changed(std::size_t field) const { return fields_[field] != old_[field]; }

  // ---- States
  bool take_states();
  bool take_state(const StatePlan& plan);
  // Returns whether the states have a transition that sets nothing and requires nothing, and no other.
  static bool is_plain_transition(const Lifecycle& lifecycle, std::string_view from, std::string_view to);

  // ---- Fields
  bool check_given() const;
  static bool is_accepted(const FieldPlan& plan, ValueView value);
  // Settles which automatic times are set now. Those that the client sent anew and those that this change does not set stay.
  void settle_moments();
  // Returns whether nothing changed besides the fields that the design computes.
  bool is_silent() const;
  bool complete();
  bool compute(std::size_t i);
  Item inputs_of(const RulePlan& plan) const { return unpacked(plan.fields, fields_); }

  Item unpacked(const std::vector<std::size_t>& wanted, const std::vector<Bytes>& fields) const;
  bool derive(const RulePlan& plan, const Attribute& field, Bytes& out);
  // Leaves `out` empty when a part is missing.
  bool render(const KeyPlan& plan, Bytes& out);
  bool append_part(const KeyPlan::Part& part, std::string& key) const;
  // Checks that computed fields that the client sent have the computed values.
  bool check_sent() const;

  // ---- Keys of indexes
  bool make_index_keys();
  bool make_keys(const IndexPlan& index);
  bool is_as_sent(std::size_t name) const;

  // ---- The result
  bool touches_nothing_else() const;
  // Returns the value of an attribute; an index key comes before a field of the same name.
  Bytes final_value(std::size_t name) const;

  const CompiledEntity& plan_;
  const bool is_new_;
  const Ambient& ambient_;
  std::vector<Bytes> new_names_;  // the values of plan_.names in the item
  std::vector<Bytes> old_names_;
  std::vector<MapView::Entry> new_others_;  // the item's other attributes
  std::vector<MapView::Entry> old_others_;
  std::vector<Bytes> fields_;  // by their numbers
  std::vector<Bytes> old_;
  std::vector<Bytes> sent_;
  std::vector<bool> is_now_;      // automatic fields that are set to this moment
  std::vector<Bytes> keys_;       // of indexes, by plan_.names
  std::deque<std::string> made_;  // bytes that are in neither item
  bool moved_ = false;            // a lifecycle went on
};

bool CompiledItemRule::run(const Table& table) {
  if (!read_keys(table)) return false;
  old_ = is_new_ ? std::vector<Bytes>(fields_.size()) : fields_;
  if (!take_fields(new_names_, fields_) || (!is_new_ && !take_fields(old_names_, old_))) return false;
  if (!take_states() || !check_given()) return false;
  sent_ = fields_;
  settle_moments();
  return complete() && check_sent() && make_index_keys() && touches_nothing_else();
}

PackedItem CompiledItemRule::final_item() const {
  ItemWriter writer;
  auto other = new_others_.begin();
  const auto write = [&](std::string_view name, ValueView value) {
    writer.name(name);
    writer.value(value);
  };
  for (std::size_t i = 0; i < plan_.names.size(); ++i) {
    const Bytes value = final_value(i);
    if (value.empty()) continue;
    for (; other != new_others_.end() && other->first < plan_.names[i].name; ++other)
      write(other->first, other->second);
    write(plan_.names[i].name, ValueView(value));
  }
  for (; other != new_others_.end(); ++other) write(other->first, other->second);
  return std::move(writer).finish();
}

std::optional<std::optional<std::int64_t>> CompiledItemRule::stuck(const Table& table) {
  if (!read_keys(table) || !take_fields(new_names_, fields_)) return std::nullopt;
  return stuck_at(*plan_.entity, unpacked(plan_.seen_when_stuck, fields_));
}

bool CompiledItemRule::keep(const Value& value, Bytes& out) {
  std::optional<std::string> bytes = packed_value(value);
  if (!bytes) return false;
  out = keep(*std::move(bytes));
  return true;
}

// ---- Reading

void CompiledItemRule::look_at(const ItemView& item, std::vector<Bytes>& names,
                               std::vector<MapView::Entry>& others) const {
  std::size_t at = 0;
  for (const auto& [name, value] : item) {
    while (at < plan_.names.size() && plan_.names[at].name < name) ++at;
    if (at < plan_.names.size() && plan_.names[at].name == name) {
      names[at++] = value.bytes();
    } else {
      others.emplace_back(name, value);
    }
  }
}

bool CompiledItemRule::read_keys(const Table& table) {
  return read_key(plan_.hash, new_names_[plan_.find_name(table.hash.name)]) &&
         (!plan_.range || !table.range ||
          read_key(*plan_.range, new_names_[plan_.find_name(table.range->name)]));
}

bool CompiledItemRule::read_key(const KeyPlan& plan, Bytes key) {
  if (!is_text(key)) return false;
  std::string_view rest = text_of(key);
  for (const KeyPlan::Part& part : plan.parts) {
    if (part.placeholder == nullptr) {
      if (!rest.starts_with(part.literal)) return false;
      rest.remove_prefix(part.literal.size());
      continue;
    }
    const std::size_t end = part.behind.empty() ? rest.size() : rest.find(part.behind);
    if (end == 0 || end == std::string_view::npos || !read_part(part, rest.substr(0, end))) return false;
    rest.remove_prefix(end);
  }
  return rest.empty();
}

bool CompiledItemRule::read_part(const KeyPlan::Part& part, std::string_view text) {
  if (!may_stand(part, text)) return false;
  Bytes value;
  if (part.is_text()) {
    std::string bytes(1, static_cast<char>(Type::String));
    value = keep(bytes.append(text));
  } else {
    const std::optional<Value> read = read_placeholder(*part.placeholder, part.form, text);
    if (!read || !keep(*read, value)) return false;
  }
  Bytes& field = fields_[part.field];
  if (!field.empty() && field != value) return false;
  field = value;
  return true;
}

bool CompiledItemRule::may_stand(const KeyPlan::Part& part, std::string_view text) {
  return !text.empty() && check_place(*part.placeholder, part.form.raw, text, part.behind);
}

bool CompiledItemRule::take_fields(const std::vector<Bytes>& names, std::vector<Bytes>& fields) const {
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i].empty() || plan_.names[i].field == kNone) continue;
    Bytes& field = fields[plan_.names[i].field];
    if (!field.empty() && field != names[i]) return false;
    field = names[i];
  }
  return std::ranges::all_of(plan_.indexes, [&](const IndexPlan& index) {
    return (names[index.hash_name].empty() || has_all(index.hash, fields)) &&
           (!index.range || names[index.range_name].empty() || has_all(*index.range, fields));
  });
}

bool CompiledItemRule::has_all(const KeyPlan& key, const std::vector<Bytes>& fields) {
  return std::ranges::none_of(key.parts, [&](const KeyPlan::Part& part) {
    return part.placeholder != nullptr && fields[part.field].empty();
  });
}

// ---- States

bool CompiledItemRule::take_states() {
  return std::ranges::all_of(plan_.states, [&](const StatePlan& plan) { return take_state(plan); });
}

bool CompiledItemRule::take_state(const StatePlan& plan) {
  Bytes& state = fields_[plan.field];
  const Bytes old = old_[plan.field];
  const std::string& initial = plan.lifecycle->initial().name;
  if (state.empty()) state = old;
  if (state.empty() && !keep(initial, state)) return false;
  if (!is_text(state) || plan.lifecycle->find_state(text_of(state)) == nullptr) return false;
  if (state == old) return true;
  if (old.empty()) return text_of(state) == initial;
  moved_ = true;
  return is_text(old) && is_plain_transition(*plan.lifecycle, text_of(old), text_of(state));
}

bool CompiledItemRule::is_plain_transition(const Lifecycle& lifecycle, std::string_view from,
                                           std::string_view to) {
  bool found = false;
  for (const Transition& transition : lifecycle.transitions) {
    if (transition.to.text != to ||
        std::ranges::find(transition.from, from, &Word::text) == transition.from.end())
      continue;
    if (!transition.set.empty() || !transition.require.empty()) return false;
    found = true;
  }
  return found;
}

// ---- Fields

bool CompiledItemRule::check_given() const {
  for (std::size_t i = 0; i < fields_.size(); ++i) {
    const FieldPlan& plan = plan_.fields[i];
    const Attribute& field = *plan.attribute;
    const bool stays = field.automatic == Auto::Create && fields_[i].empty();
    if (field.immutable && !old_[i].empty() && is_changed(i) && !stays) return false;
    if (fields_[i].empty() || field.is_computed()) continue;
    if (!is_accepted(plan, ValueView(fields_[i]))) return false;
  }
  return true;
}

bool CompiledItemRule::is_accepted(const FieldPlan& plan, ValueView value) {
  if (plan.is_plain) return suits(*plan.attribute, value);
  const Value given = value.unpack();
  const Result<Value> accepted = from_plain(*plan.attribute, given);
  return accepted && *accepted == given && !given.is_null();
}

void CompiledItemRule::settle_moments() {
  is_now_.assign(fields_.size(), false);
  for (std::size_t i = 0; i < fields_.size(); ++i) {
    const Auto automatic = plan_.fields[i].attribute->automatic;
    if (automatic == Auto::No) continue;
    const bool is_first = automatic == Auto::Create && !old_[i].empty();
    const bool is_sent = !fields_[i].empty() && is_changed(i) && !is_first;
    const bool is_past =
        is_first || (automatic == Auto::Transition && !moved_) || (automatic == Auto::Update && is_silent());
    if (!is_sent && is_past && !old_[i].empty()) fields_[i] = old_[i];
    const bool is_settled = is_sent || (is_past && !old_[i].empty());
    const bool is_its_moment =
        is_new_ || automatic == Auto::Update || (automatic == Auto::Transition && moved_);
    is_now_[i] = is_its_moment && !is_settled;
  }
}

bool CompiledItemRule::is_silent() const {
  if (is_new_) return false;
  for (std::size_t i = 0; i < fields_.size(); ++i) {
    if (!plan_.fields[i].attribute->is_computed() && is_changed(i)) return false;
  }
  return new_others_ == old_others_;
}

bool CompiledItemRule::complete() {
  return std::ranges::all_of(plan_.in_turn, [&](std::size_t i) {
    const FieldPlan& plan = plan_.fields[i];
    const Attribute& field = *plan.attribute;
    const bool is_given = !fields_[i].empty();
    if (field.is_computed()) {
      if (!compute(i)) return false;
    } else if (!is_given && is_new_) {
      if (field.generate != Attribute::Generate::No) return false;
      fields_[i] = plan.otherwise;
    }
    if (fields_[i].empty()) return !field.required;
    const bool is_checked = is_given && !field.is_computed();
    return is_checked || suits(field, ValueView(fields_[i]));
  });
}

bool CompiledItemRule::compute(std::size_t i) {
  const FieldPlan& plan = plan_.fields[i];
  if (plan.attribute->automatic != Auto::No) {
    return !is_now_[i] || keep(write_moment(plan.moment_type, ambient_.now), fields_[i]);
  }
  if (!plan.constant.empty()) {
    fields_[i] = plan.constant;
    return true;
  }
  if (plan.value) return render(*plan.value, fields_[i]);
  TAVOLA_ASSERT(plan.derive.has_value());
  return derive(*plan.derive, *plan.attribute, fields_[i]);
}

Item CompiledItemRule::unpacked(const std::vector<std::size_t>& wanted,
                                const std::vector<Bytes>& fields) const {
  Item item;
  for (const std::size_t i : wanted) {
    if (!fields[i].empty()) item.emplace(plan_.fields[i].attribute->name, ValueView(fields[i]).unpack());
  }
  return item;
}

bool CompiledItemRule::derive(const RulePlan& plan, const Attribute& field, Bytes& out) {
  const Item inputs = inputs_of(plan);
  const Result<std::optional<Value>> computed = plan.rule->value(ambient_.with({.fields = &inputs}));
  if (!computed) return false;
  out = {};
  const std::optional<Value>& value = *computed;
  if (!value) return true;
  const Result<Value> accepted = accept_computed(field, *plan.rule, *value);
  return accepted && keep(*accepted, out);
}

bool CompiledItemRule::render(const KeyPlan& plan, Bytes& out) {
  out = {};
  if (!has_all(plan, fields_)) return true;
  if (plan.type != Type::String) {
    out = fields_[plan.parts.front().field];
    return ValueView(out).type() == plan.type;
  }
  std::string key(1, static_cast<char>(Type::String));
  for (const KeyPlan::Part& part : plan.parts) {
    if (part.placeholder == nullptr) {
      key += part.literal;
    } else if (!append_part(part, key)) {
      return false;
    }
  }
  if (key.size() - 1 > plan.bytes_max) return false;
  out = keep(std::move(key));
  return true;
}

bool CompiledItemRule::append_part(const KeyPlan::Part& part, std::string& key) const {
  const Bytes value = fields_[part.field];
  if (part.is_text()) {
    if (!is_text(value) || !may_stand(part, text_of(value))) return false;
    key += text_of(value);
    return true;
  }
  const Result<std::string> text = write_placeholder(*part.placeholder, part.form, ValueView(value).unpack());
  if (!text || !may_stand(part, *text)) return false;
  key += *text;
  return true;
}

bool CompiledItemRule::check_sent() const {
  for (std::size_t i = 0; i < fields_.size(); ++i) {
    const Attribute& field = *plan_.fields[i].attribute;
    if (!field.value && !field.derive) continue;
    if (!sent_[i].empty() && sent_[i] != old_[i] && sent_[i] != fields_[i]) return false;
  }
  return true;
}

// ---- Keys of indexes

bool CompiledItemRule::make_index_keys() {
  return std::ranges::all_of(plan_.indexes, [&](const IndexPlan& index) { return make_keys(index); }) &&
         std::ranges::all_of(plan_.indexes, [&](const IndexPlan& index) {
           return is_as_sent(index.hash_name) && (!index.range || is_as_sent(index.range_name));
         });
}

bool CompiledItemRule::make_keys(const IndexPlan& index) {
  Bytes hash;
  Bytes range;
  if (!render(index.hash, hash) || (index.range && !render(*index.range, range))) return false;
  if (index.when) {
    const Item inputs = inputs_of(*index.when);
    const Result<bool> is_in = index.when->rule->holds({.fields = &inputs});
    if (!is_in) return false;
    if (!*is_in) return true;
  }
  if (hash.empty() || (index.range && range.empty())) return true;
  keys_[index.hash_name] = hash;
  if (index.range) keys_[index.range_name] = range;
  return true;
}

bool CompiledItemRule::is_as_sent(std::size_t name) const {
  const Bytes sent = new_names_[name];
  return sent.empty() || sent == old_names_[name] || sent == final_value(name);
}

// ---- The result

bool CompiledItemRule::touches_nothing_else() const {
  return std::ranges::none_of(plan_.guarded, [&](std::size_t field) { return is_changed(field); }) &&
         std::ranges::none_of(plan_.references, [&](std::size_t field) {
           return !fields_[field].empty() && is_changed(field);
         });
}

Bytes CompiledItemRule::final_value(std::size_t name) const {
  const NamePlan& plan = plan_.names[name];
  if (plan.is_table_key) return new_names_[name];
  if (!keys_[name].empty()) return keys_[name];
  if (plan.is_stored && !fields_[plan.field].empty()) return fields_[plan.field];
  return plan.is_mark ? Bytes(plan_.packed_mark) : Bytes();
}

}  // namespace

namespace {

bool may_be_stuck(const Entity& entity) {
  return std::ranges::any_of(entity.lifecycles, [](const Lifecycle& lifecycle) {
    return std::ranges::any_of(lifecycle.states,
                               [](const State& state) { return state.stuck_after.has_value(); });
  });
}

}  // namespace

CompiledRules::CompiledRules(const Design& design) : design_(design) {
  for (const Entity& entity : design.entities) {
    plans_.push_back(compile_entity(design, entity));
    marks_.push_back(entity_mark(design, entity));
    can_be_stuck_ = can_be_stuck_ || may_be_stuck(entity);
  }
}

CompiledRules::~CompiledRules() = default;

std::optional<std::optional<std::int64_t>> CompiledRules::stuck_at(const ItemView& item) const {
  const CompiledEntity* const plan = plan_of(item);
  if (plan == nullptr) return std::nullopt;
  if (plan->seen_when_stuck.empty()) return std::optional<std::int64_t>();
  return CompiledItemRule(*plan, std::nullopt, item, {}).stuck(design_.table);
}

const CompiledEntity* CompiledRules::plan_of(const ItemView& item) const {
  const Table& table = design_.table;
  const std::optional<ValueView> hash = item.find(table.hash.name);
  const std::optional<ValueView> range = table.range ? item.find(table.range->name) : std::nullopt;
  if (!hash || !is_text(hash->bytes()) || hash->string().starts_with('$')) return nullptr;
  if (table.range && (!range || !is_text(range->bytes()))) return nullptr;
  const std::optional<ValueView> mark =
      table.entity_attribute.empty() ? std::nullopt : item.find(table.entity_attribute);
  if (mark && !is_text(mark->bytes())) return nullptr;
  const CompiledEntity* found = nullptr;
  std::size_t count = 0;
  for (std::size_t i = 0; i < plans_.size(); ++i) {
    const Entity& entity = design_.entities[i];
    const bool fits =
        mark ? marks_[i] == mark->string()
             : hash->string().starts_with(entity.hash.prefix()) &&
                   (!range || !entity.range || range->string().starts_with(entity.range->prefix()));
    if (!fits) continue;
    found = plans_[i].get();
    ++count;
  }
  return count == 1 ? found : nullptr;
}

std::optional<PackedItem> CompiledRules::decide(const std::optional<ItemView>& before, const ItemView& after,
                                                const Ambient& ambient) const {
  if (before == after) return PackedItem(after);
  const CompiledEntity* const plan = plan_of(after);
  if (plan == nullptr || (before && plan_of(*before) != plan)) return std::nullopt;
  CompiledItemRule rule(*plan, before, after, ambient);
  if (!rule.run(design_.table)) return std::nullopt;
  return rule.final_item();
}

}  // namespace tavola::design
