#include "design/rules/compiled_rules.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>

#include "design/items/entity_mark.h"
#include "design/items/entity_rules.h"
#include "design/model/vocabulary.h"
#include "design/rules/compiled_entity.h"
#include "design/rules/compiled_fields.h"
#include "design/rules/lifecycle_rule.h"
#include "design/rules/packed_change.h"
#include "value/packed_attributes.h"

namespace tavola::design {
namespace {

template <class Word>
Word word_at(std::string_view text, std::size_t offset) {
  Word word = 0;
  std::memcpy(&word, &text[offset], sizeof(word));
  return word;
}

template <class Word>
bool has_same_ends(std::string_view a, std::string_view b) {
  const std::size_t last = a.size() - sizeof(Word);
  return word_at<Word>(a, 0) == word_at<Word>(b, 0) && word_at<Word>(a, last) == word_at<Word>(b, last);
}

// Compares two names as == does. Two ends of 4 or 8 bytes cover most names, and are compared sooner than memcmp is called.
bool is_same_name(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  if (a.size() < sizeof(std::uint32_t) || a.size() > 2 * sizeof(std::uint64_t)) return a == b;
  return a.size() < sizeof(std::uint64_t) ? has_same_ends<std::uint32_t>(a, b)
                                          : has_same_ends<std::uint64_t>(a, b);
}

// The compiled rule of one change of one item: its attributes become fields, and the decided fields become the final item. A member
// that returns bool returns false when govern() must decide.
class CompiledItemRule {
 public:
  CompiledItemRule(const CompiledEntity& plan, const CompiledRules::Wanted& wanted, const Ambient& ambient)
      : plan_(plan),
        after_(wanted.after),
        change_{.plan = plan,
                .ambient = ambient,
                .asked = wanted.asked,
                .scratch = scratch_,
                .is_new = !wanted.before},
        values_(scratch_.values(4 * plan.names.size())),
        new_names_(of_names(0)),
        old_names_(of_names(1)),
        keys_(of_names(2)),
        finals_(of_names(3)) {
    look_at(wanted.after, new_names_, change_.others);
    if (wanted.before) look_at(*wanted.before, old_names_, change_.old_others);
  }

  // Returns whether the item before had the mark of the entity.
  bool had_mark() const {
    return plan_.mark_name != kNone && old_names_[plan_.mark_name] == plan_.packed_mark;
  }

  bool run() {
    if (!has_keys(new_names_) || (!change_.is_new && !has_keys(old_names_)) || !read_keys()) return false;
    if (!change_.is_new) std::ranges::copy(change_.fields, change_.old_fields.begin());
    return is_declared() && take_fields(new_names_, change_.fields) &&
           (change_.is_new || take_fields(old_names_, change_.old_fields)) && decide_fields(change_) &&
           keeps_rules() && make_index_keys() && take_final_values() && touches_nothing_else() && count();
  }

  // Returns what is added to the items that count this one.
  std::vector<CounterAddition> take_additions() { return std::move(additions_); }

  // Returns the item that run() decided.
  PackedItem final_item() { return has_sizes_as_sent_ ? replaced_in_place() : assembled_item(); }

  // Returns whether the engine need not check the index keys of the final item: each is as the client sent it, or a text or number that
  // was made of the template of its index.
  bool has_checked_index_keys() const {
    for (const std::size_t i : plan_.index_keys) {
      if (finals_[i].empty() || finals_[i] == new_names_[i]) continue;
      if (keys_[i].empty() || ValueView(keys_[i]).type() == Type::Binary) return false;
    }
    return true;
  }

  // Appends the keys of the items that will count the item, as far as it is known as it was given.
  void append_counter_keys(std::vector<PackedItem>& keys) {
    if (!has_keys(new_names_) || !read_keys() || !take_fields(new_names_, change_.fields)) return;
    for (const CounterPlan& counter : plan_.counters) append_counter_key(change_, counter, keys);
  }

  // Returns when the item, as it was given, will be stuck. Nothing when that is not certain.
  std::optional<std::optional<std::int64_t>> stuck() {
    if (!has_keys(new_names_) || !read_keys() || !take_fields(new_names_, change_.fields))
      return std::nullopt;
    return stuck_at(*plan_.entity, change_.unpacked(plan_.seen_when_stuck));
  }

 private:
  // Writes the final values over those that the client sent: all have the same sizes, as when only a time is new.
  PackedItem replaced_in_place() const {
    std::string bytes(after_.bytes());
    for (std::size_t i = 0; i < finals_.size(); ++i) {
      if (finals_[i].empty() || finals_[i].data() == new_names_[i].data()) continue;
      finals_[i].copy(bytes.data() + (new_names_[i].data() - after_.bytes().data()), finals_[i].size());
    }
    return PackedItem(std::move(bytes));
  }

  PackedItem assembled_item() {
    Entries attributes(scratch_.memory());
    attributes.reserve(plan_.names.size() + change_.others.size());
    auto other = change_.others.begin();
    for (std::size_t i = 0; i < plan_.names.size(); ++i) {
      const Bytes value = finals_[i];
      if (value.empty()) continue;
      for (; other != change_.others.end() && other->first < plan_.names[i].name; ++other)
        attributes.push_back(*other);
      attributes.emplace_back(plan_.names[i].name, ValueView(value));
    }
    attributes.insert(attributes.end(), other, change_.others.end());
    return assembled(attributes);
  }

  // Returns one of the lists of values by plan_.names, which are allocated together.
  FieldBytes of_names(std::size_t list) const {
    return values_.subspan(list * plan_.names.size(), plan_.names.size());
  }

  // Attributes and names come in the same order, and most items have most names.
  void look_at(const ItemView& item, FieldBytes& names, Entries& others) const {
    auto plan = plan_.names.begin();
    each_attribute(item, [&](std::string_view name, Bytes value) {
      for (; plan != plan_.names.end(); ++plan) {
        if (is_same_name(plan->name, name)) {
          names[static_cast<std::size_t>(plan - plan_.names.begin())] = value;
          ++plan;
          return;
        }
        if (plan->name > name) break;
      }
      others.emplace_back(name, ValueView(value));
    });
  }

  // Records of the table itself have keys that begin with $, and no entity.
  bool has_keys(const FieldBytes& names) const {
    const Bytes hash = names[plan_.hash_name];
    return is_text(hash) && !text_of(hash).starts_with('$') &&
           (!plan_.range || is_text(names[plan_.range_name]));
  }

  bool read_keys() {
    return change_.read_key(plan_.hash, new_names_[plan_.hash_name]) &&
           (!plan_.range || change_.read_key(*plan_.range, new_names_[plan_.range_name]));
  }

  // Takes the attributes that are fields; they may not contradict the key. A field that only an index key holds needs the long way.
  bool take_fields(const FieldBytes& names, FieldBytes& fields) const {
    for (const auto& [name, number] : plan_.names_of_fields) {
      if (names[name].empty()) continue;
      Bytes& field = fields[number];
      if (!field.empty() && field != names[name]) return false;
      field = names[name];
    }
    return std::ranges::all_of(plan_.indexes, [&](const IndexPlan& index) {
      return (names[index.hash_name].empty() || has_all(index.hash, fields)) &&
             (!index.range || names[index.range_name].empty() || has_all(*index.range, fields));
    });
  }

  // Returns whether the item has no attribute that its closed entity refuses.
  bool is_declared() const {
    if (!plan_.entity->closed) return true;
    for (std::size_t i = 0; i < plan_.names.size(); ++i) {
      if (plan_.names[i].is_refused && !new_names_[i].empty()) return false;
    }
    return change_.others.empty();
  }

  bool keeps_rules() const {
    return std::ranges::all_of(plan_.rules, [&](const auto& rule) {
      return keeps(*rule.first, change_.unpacked(rule.second.fields));
    });
  }

  bool make_index_keys() {
    return std::ranges::all_of(plan_.indexes, [&](const IndexPlan& index) { return make_keys(index); });
  }

  // Makes the value of a key of an index, as PackedChange::render_key() does.
  bool make_key(const KeyPlan& key, Bytes& out) {
    if (key.same_as == kNone) return change_.render_key(key, out);
    out = new_names_[key.same_as];
    return text_of(out).size() <= key.bytes_max;
  }

  bool make_keys(const IndexPlan& index) {
    Bytes hash;
    Bytes range;
    if (!make_key(index.hash, hash) || (index.range && !make_key(*index.range, range))) return false;
    if (index.when) {
      const Item inputs = change_.unpacked(index.when->fields);
      const Result<bool> is_in = index.when->rule->holds({.fields = &inputs});
      if (!is_in) return false;
      if (!*is_in) return true;
    }
    if (hash.empty() || (index.range && range.empty())) return true;
    keys_[index.hash_name] = hash;
    if (index.range) keys_[index.range_name] = range;
    return true;
  }

  // Takes the values of the final item. Returns whether no key of an index was sent anew and is to be another.
  bool take_final_values() {
    for (std::size_t i = 0; i < finals_.size(); ++i) {
      finals_[i] = final_value(i);
      has_sizes_as_sent_ = has_sizes_as_sent_ && finals_[i].size() == new_names_[i].size();
    }
    return std::ranges::all_of(plan_.indexes, [&](const IndexPlan& index) {
      return is_as_sent(index.hash_name) && (!index.range || is_as_sent(index.range_name));
    });
  }

  bool is_as_sent(std::size_t name) const {
    const Bytes sent = new_names_[name];
    return sent.empty() || sent == finals_[name] || sent == old_names_[name];
  }

  // Returns whether the write has the consequence, or may have it.
  bool may_entail(const ConsequencePlan& plan) const {
    const Consequence& consequence = *plan.consequence;
    if (change_.is_new ? !consequence.on_create : !consequence.on_update) return false;
    const auto is_changed = [this](std::size_t field) { return change_.is_changed(field); };
    if (!change_.is_new && !plan.fields.empty() && std::ranges::none_of(plan.fields, is_changed))
      return false;
    if (!plan.is_decidable || !consequence.when) return true;
    const Item fields = change_.unpacked(plan.fields);
    const std::map<std::string, Item, std::less<>> others{
        {std::string(kBeforeName), change_.old_unpacked(plan.fields)}, {std::string(kAfterName), fields}};
    const Result<bool> holds =
        consequence.when->holds(change_.ambient.with({.fields = &fields, .others = &others}));
    return !holds || *holds;
  }

  bool touches_nothing_else() const {
    if (std::ranges::any_of(plan_.consequences,
                            [this](const ConsequencePlan& one) { return may_entail(one); }))
      return false;
    return std::ranges::none_of(plan_.guarded,
                                [&](std::size_t field) { return change_.is_changed(field); }) &&
           std::ranges::none_of(plan_.references, [&](std::size_t field) {
             return !change_.fields[field].empty() && change_.is_changed(field);
           });
  }

  bool count() {
    return std::ranges::all_of(plan_.counters, [this](const CounterPlan& counter) {
      return append_additions(change_, counter, additions_);
    });
  }

  // Returns the value of an attribute; an index key comes before a field of the same name.
  Bytes final_value(std::size_t name) const {
    const NamePlan& plan = plan_.names[name];
    if (plan.is_table_key) return new_names_[name];
    if (!keys_[name].empty()) return keys_[name];
    if (plan.is_stored && !change_.fields[plan.field].empty()) return change_.fields[plan.field];
    return plan.is_mark ? Bytes(plan_.packed_mark) : Bytes();
  }

  const CompiledEntity& plan_;
  const ItemView after_;
  Scratch scratch_;
  PackedChange change_;
  const FieldBytes values_;
  FieldBytes new_names_;  // the values of plan_.names in the item
  FieldBytes old_names_;
  FieldBytes keys_;                // of indexes, by plan_.names
  FieldBytes finals_;              // the values of plan_.names in the final item, if run() returned true
  bool has_sizes_as_sent_ = true;  // all of them
  std::vector<CounterAddition> additions_;
};

bool may_be_stuck(const Entity& entity) {
  return std::ranges::any_of(entity.lifecycles, [](const Lifecycle& lifecycle) {
    return std::ranges::any_of(lifecycle.states,
                               [](const State& state) { return state.stuck_after.has_value(); });
  });
}

}  // namespace

template <class Fits>
const CompiledEntity* CompiledRules::plan_where(Fits fits) const {
  const CompiledEntity* found = nullptr;
  std::size_t count = 0;
  for (std::size_t i = 0; i < plans_.size(); ++i) {
    if (!fits(i)) continue;
    found = plans_[i].get();
    ++count;
  }
  return count == 1 ? found : nullptr;
}

CompiledRules::CompiledRules(const Design& design) : design_(design) {
  for (const Entity& entity : design.entities) {
    plans_.push_back(compile_entity(design, entity));
    marks_.push_back(entity_mark(design, entity));
    can_be_stuck_ = can_be_stuck_ || may_be_stuck(entity);
    has_counters_ = has_counters_ || (plans_.back() && !plans_.back()->counters.empty());
  }
}

CompiledRules::~CompiledRules() = default;

std::optional<std::optional<std::int64_t>> CompiledRules::stuck_at(const ItemView& item) const {
  const CompiledEntity* const plan = plan_of(item);
  if (plan == nullptr) return std::nullopt;
  if (plan->seen_when_stuck.empty()) return std::optional<std::int64_t>();
  return CompiledItemRule(*plan, {std::nullopt, item}, {}).stuck();
}

const CompiledEntity* CompiledRules::plan_of(const ItemView& item) const {
  const Table& table = design_.table;
  const std::optional<ValueView> mark =
      table.entity_attribute.empty() ? std::nullopt : item.find(table.entity_attribute);
  if (mark) {
    if (!is_text(mark->bytes())) return nullptr;
    return plan_where([&](std::size_t i) { return marks_[i] == mark->string(); });
  }
  const std::optional<ValueView> hash = item.find(table.hash.name);
  const std::optional<ValueView> range = table.range ? item.find(table.range->name) : std::nullopt;
  if (!hash || !is_text(hash->bytes()) || (range && !is_text(range->bytes()))) return nullptr;
  return plan_where([&](std::size_t i) {
    const Entity& entity = design_.entities[i];
    return hash->string().starts_with(entity.hash.prefix()) &&
           (!range || !entity.range || range->string().starts_with(entity.range->prefix()));
  });
}

void CompiledRules::append_counter_keys(const ItemView& item, std::vector<PackedItem>& keys) const {
  if (!has_counters_) return;
  const CompiledEntity* const plan = plan_of(item);
  if (plan == nullptr || plan->counters.empty()) return;
  CompiledItemRule(*plan, {std::nullopt, item}, {}).append_counter_keys(keys);
}

std::optional<CompiledRules::Decided> CompiledRules::decide(const Wanted& wanted,
                                                            const Ambient& ambient) const {
  const bool is_same = wanted.before == wanted.after;
  if (is_same && wanted.asked == nullptr) return Decided{PackedItem(wanted.after), true};
  const CompiledEntity* const plan = plan_of(wanted.after);
  if (plan == nullptr) return std::nullopt;
  if (is_same) {
    const bool asks = std::ranges::any_of(plan->states, [&](const StatePlan& state) {
      return wanted.asked->assigns(state.lifecycle->attribute);
    });
    return asks ? std::nullopt : std::optional(Decided{PackedItem(wanted.after), true});
  }
  CompiledItemRule rule(*plan, wanted, ambient);
  if (wanted.before && !rule.had_mark() && plan_of(*wanted.before) != plan) return std::nullopt;
  if (!rule.run()) return std::nullopt;
  return Decided{rule.final_item(), rule.has_checked_index_keys(), rule.take_additions()};
}

}  // namespace tavola::design
