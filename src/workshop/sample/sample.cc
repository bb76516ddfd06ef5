#include "workshop/sample/sample.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "design/items/entity_item.h"
#include "design/items/entity_rules.h"
#include "design/model/timestamps.h"
#include "workshop/sample/believable.h"
#include "workshop/sample/dice.h"
#include "workshop/sample/sample_plan.h"

namespace tavola::workshop {
namespace {

using design::Attribute;
using design::Copy;
using design::Design;
using design::Entity;
using design::Lifecycle;
using design::Occasion;
using design::Transition;
using std::chrono::days;
using std::chrono::milliseconds;

constexpr int kTriesMax = 40;

struct SizeNumbers {
  std::size_t items;
  std::size_t people;
};
SizeNumbers numbers_of(const SampleOptions& options) {
  constexpr std::size_t kItemsOfAPerson = 25;
  if (options.items) return {*options.items, *options.items / kItemsOfAPerson + 1};
  switch (options.size) {
    case Size::Small:
      return {70, 8};
    case Size::Medium:
      return {1'500, 60};
    case Size::Large:
      return {12'000, 400};
  }
  return {70, 8};
}

// One entity, and the time of its creation.
struct Instance {
  Item fields;
  WallTime created;
  WallTime changed;
};
using Instances = std::map<const Entity*, std::vector<Instance>>;

// Returns the result of a rule in the form in which the field stores it: now() is a number until then.
Value stored_form(const Attribute& field, const expr::Rule& rule, Value value) {
  if (!field.type.is_timestamp() || !value.is_number()) return value;
  const bool is_moment = field.type.kind == design::AttributeType::Kind::TimestampIso || rule.paths().empty();
  const auto ms = value.number().to_int64();
  return is_moment && ms ? design::write_moment(field.type, WallTime(milliseconds(*ms))) : value;
}

// Returns the shortest way from the initial state to `wanted`.
std::vector<const Transition*> way_to(const Lifecycle& lifecycle, std::string_view wanted) {
  std::map<std::string_view, std::vector<const Transition*>> ways{{lifecycle.initial().name, {}}};
  std::vector<std::string_view> ahead{lifecycle.initial().name};
  for (std::size_t i = 0; i < ahead.size() && !ways.contains(wanted); ++i) {
    for (const Transition& transition : lifecycle.transitions) {
      const bool leaves = std::ranges::any_of(
          transition.from, [&](const design::Word& from) { return from.text == ahead[i]; });
      if (!leaves || ways.contains(transition.to.text)) continue;
      std::vector<const Transition*> way = ways.at(ahead[i]);
      way.push_back(&transition);
      ways.emplace(transition.to.text, std::move(way));
      ahead.push_back(transition.to.text);
    }
  }
  const auto found = ways.find(wanted);
  return found == ways.end() ? std::vector<const Transition*>{} : found->second;
}

const std::string& state_field(const Lifecycle& lifecycle) {
  return lifecycle.attribute.empty() ? lifecycle.name : lifecycle.attribute;
}

bool is_time(const Attribute& field) {
  return field.type.is_timestamp() || field.type.kind == design::AttributeType::Kind::Date;
}

// Returns whether a rule of the entity compares this time with another one.
bool is_compared(const Entity& entity, const Attribute& time) {
  const auto names = [](const design::EntityRule& rule, const Attribute& field) {
    return std::ranges::any_of(rule.that.paths(),
                               [&](const auto& path) { return path.front() == field.name; });
  };
  return std::ranges::any_of(entity.rules, [&](const design::EntityRule& rule) {
    return names(rule, time) && std::ranges::any_of(entity.fields, [&](const Attribute& other) {
             return &other != &time && is_time(other) && names(rule, other);
           });
  });
}

class Sampler {
 public:
  Sampler(const Design& design, const SampleOptions& options)
      : design_(design),
        options_(options),
        dice_(options.seed),
        believable_(dice_, numbers_of(options).people) {}

  Result<void> run(const SampleSink& sink) {
    const std::vector<EntityPlan> plans = plan_sample(design_, numbers_of(options_).items);
    for (const EntityPlan& plan : plans) TAVOLA_CHECK(make_all(plan));
    TAVOLA_CHECK(write_copies());
    TAVOLA_CHECK(count());
    TAVOLA_CHECK(write_copies());  // copies of counted entities, too
    for (const EntityPlan& plan : plans) TAVOLA_CHECK(give(*plan.entity, sink));
    for (const Entity& entity : design_.entities) {
      if (is_produced(design_, entity)) TAVOLA_CHECK(give(entity, sink));
    }
    return {};
  }

 private:
  Result<void> give(const Entity& entity, const SampleSink& sink) {
    for (const Instance& instance : made_[&entity]) TAVOLA_CHECK(sink(entity, instance.fields));
    return {};
  }

  Result<void> make_all(const EntityPlan& plan);
  Result<Instance> make(const EntityPlan& plan, std::uint64_t serial);
  Result<bool> is_new(const Entity& entity, const Item& fields);

  // The parts of make, in their order.
  void follow_links(const EntityPlan& plan, Instance& instance);
  void take_snapshots(const Entity& entity, Instance& instance);
  void invent_fields(const Entity& entity, std::uint64_t serial, Instance& instance);
  Result<void> respect_when(const Entity& entity, Instance& instance);
  Result<void> live(const Entity& entity, std::uint64_t serial, Instance& instance);
  Result<void> pass(const Entity& entity, const Transition& transition, Instance& instance);

  bool is_invented(const Entity& entity, const Attribute& field) const;
  Value invent(const Entity& entity, const Attribute& field, std::uint64_t serial, const Instance& instance);
  WallTime some_time_after(WallTime moment);
  expr::RuleInputs inputs(const Item& fields, WallTime now) {
    return {.fields = &fields, .parameters = nullptr, .others = nullptr, .now = now, .random = &dice_};
  }

  Result<void> write_copies();
  Result<void> write_copy(const Copy& copy, const Instance& from);
  Result<void> write_one(const Copy& copy, const Instance& from, const Item& seen);
  Result<void> count();
  Result<void> create_counted(const Copy& copy, const Entity& to, const std::vector<Instance>& sources);
  Result<void> count_one(const Copy& copy);
  Result<Item> evaluated(const Entity& to, const std::vector<design::Assignment>& assignments,
                         const Item& seen, WallTime now);

  const Design& design_;
  const SampleOptions& options_;
  Dice dice_;
  Believable believable_;
  Instances made_;
  std::map<std::string_view, const Instance*> picked_;  // by entity, for the instance being made
  std::set<std::string> keys_;
  std::set<std::string> unique_;
};

Result<void> Sampler::make_all(const EntityPlan& plan) {
  std::vector<Instance>& made = made_[plan.entity];
  made.reserve(plan.count);  // others point into it
  int failures = 0;
  Error last = Error::validation("no values could be found for " + plan.entity->name);
  while (made.size() < plan.count && failures < kTriesMax) {
    Result<Instance> instance = make(plan, made.size());
    if (!instance) {
      last = std::move(instance).error();
      ++failures;
      continue;
    }
    TAVOLA_TRY(const bool fresh, is_new(*plan.entity, instance->fields));
    failures = fresh ? 0 : failures + 1;
    if (fresh) made.push_back(*std::move(instance));
  }
  // If few keys are possible, few items are enough.
  if (made.empty()) return fail(std::move(last));
  return {};
}

Result<Instance> Sampler::make(const EntityPlan& plan, std::uint64_t serial) {
  const Entity& entity = *plan.entity;
  picked_.clear();
  Instance instance;
  instance.created =
      options_.now - days(400) + milliseconds(dice_.between(0, milliseconds(days(360)).count()));
  follow_links(plan, instance);
  if (!plan.links.empty()) instance.created = some_time_after(instance.created);
  instance.changed = instance.created;
  for (const Lifecycle& lifecycle : entity.lifecycles) {
    instance.fields.insert_or_assign(state_field(lifecycle), lifecycle.initial().name);
  }
  take_snapshots(entity, instance);
  invent_fields(entity, serial, instance);
  TAVOLA_CHECK(respect_when(entity, instance));
  TAVOLA_TRY(instance.fields, design::complete(entity, std::move(instance.fields), Occasion::Creation,
                                               {.now = instance.created, .random = &dice_}));
  TAVOLA_CHECK(live(entity, serial, instance));
  TAVOLA_CHECK(design::check_rules(design_, entity, instance.fields));
  return instance;
}

Result<bool> Sampler::is_new(const Entity& entity, const Item& fields) {
  TAVOLA_TRY(const Item key, design::key_of(design_, entity, fields));
  std::vector<std::string> marks;
  for (const Attribute& field : entity.fields) {
    const auto value = fields.find(field.name);
    if (!field.unique || value == fields.end()) continue;
    std::string mark = entity.name + "." + field.name + to_json(value->second);
    for (const std::string& scope : field.unique->within) {
      const auto within = fields.find(scope);
      if (within != fields.end()) mark += to_json(within->second);
    }
    if (unique_.contains(mark)) return false;
    marks.push_back(std::move(mark));
  }
  if (!keys_.insert(to_json(key)).second) return false;
  unique_.insert(marks.begin(), marks.end());
  return true;
}

// Deepest first, so that a Sale's shop is the shop of its product.
void Sampler::follow_links(const EntityPlan& plan, Instance& instance) {
  WallTime latest{};
  for (const Link& link : plan.links) {
    const std::vector<Instance>& candidates = made_[link.target];
    if (candidates.empty() || instance.fields.contains(link.field)) continue;
    const Instance& target = dice_.one_of(std::span<const Instance>(candidates));
    picked_.emplace(link.target->name, &target);
    latest = std::max(latest, target.created);
    instance.fields.insert_or_assign(link.field, target.fields.at(link.target_field));
    for (const std::string& shared : link.target->key_fields()) {
      const auto ours = std::ranges::find(plan.links, shared, &Link::field);
      if (shared != link.target_field && ours != plan.links.end()) {
        instance.fields.try_emplace(shared, target.fields.at(shared));
      }
    }
  }
  if (latest != WallTime{}) instance.created = latest;
}

void Sampler::take_snapshots(const Entity& entity, Instance& instance) {
  for (const Copy& copy : design_.copies) {
    const auto from = picked_.find(copy.from.text);
    if (copy.kind != Copy::Kind::Snapshot || copy.to.text != entity.name || from == picked_.end()) continue;
    const Result<Item> taken = evaluated(entity, copy.carry, from->second->fields, instance.created);
    if (!taken) continue;
    for (const auto& [name, value] : *taken) instance.fields.insert_or_assign(name, value);
  }
}

// Returns whether the sample chooses the value: it is not computed, and exists from the beginning.
bool Sampler::is_invented(const Entity& entity, const Attribute& field) const {
  if (field.is_computed() || field.when || field.generate != Attribute::Generate::No) return false;
  for (const Lifecycle& lifecycle : entity.lifecycles) {
    if (state_field(lifecycle) == field.name) return false;
    for (const Transition& transition : lifecycle.transitions) {
      const bool set =
          std::ranges::find(transition.set, field.name, &design::Assignment::field) != transition.set.end();
      const bool needed =
          std::ranges::find(transition.require, field.name, &design::Word::text) != transition.require.end();
      if ((set || needed) && !field.required) return false;
    }
  }
  return std::ranges::none_of(design_.copies, [&](const Copy& copy) {
    if (copy.to.text != entity.name || copy.kind != Copy::Kind::Counter) return false;
    return copy.count == field.name ||
           std::ranges::find(copy.sum, field.name, &design::Assignment::field) != copy.sum.end();
  });
}

void Sampler::invent_fields(const Entity& entity, std::uint64_t serial, Instance& instance) {
  const design::Retention* retention = design_.find_retention(entity.name);
  const std::vector<std::string> keys = entity.key_fields();
  std::vector<const Attribute*> fields;
  fields.reserve(entity.fields.size());
  // Kinds come first: the other fields depend on them.
  for (const bool is_kind : {true, false}) {
    for (const Attribute& field : entity.fields) {
      if (!field.values.empty() == is_kind) fields.push_back(&field);
    }
  }
  for (const Attribute* each : fields) {
    const Attribute& field = *each;
    if (instance.fields.contains(field.name) || !is_invented(entity, field)) continue;
    const bool is_key = std::ranges::find(keys, field.name) != keys.end();
    unsigned percent = 85;
    if (field.otherwise) percent = 60;
    if (retention != nullptr && retention->attribute == field.name) percent = 8;
    if (!is_key && !(field.required && !field.otherwise) && !dice_.chance(percent)) continue;
    instance.fields.insert_or_assign(field.name, invent(entity, field, serial, instance));
  }
}

Value Sampler::invent(const Entity& entity, const Attribute& field, std::uint64_t serial,
                      const Instance& instance) {
  // Times that a rule compares are days apart, so that one of the attempts keeps the rule.
  if (is_time(field) && is_compared(entity, field)) {
    const WallTime moment = instance.created + milliseconds(dice_.between(0, milliseconds(days(14)).count()));
    return field.type.is_timestamp() ? design::write_moment(field.type, moment)
                                     : Value(design::iso8601(moment).substr(0, 10));
  }
  // A required time is the time of creation; an expiry is in the future.
  if (field.type.is_timestamp() && field.required) return design::write_moment(field.type, instance.created);
  if (field.type.is_timestamp() && field.name == design_.table.ttl) {
    return design::write_moment(field.type, options_.now + days(dice_.between(1, 60)));
  }
  // The first items have every value once.
  const std::vector<std::string>& choices = field.values.empty() ? field.suggest : field.values;
  if (stored_type(field.type) == Type::String && serial < choices.size()) return choices[serial];
  return believable_.value(field, {.entity = entity.name,
                                   .fields = &instance.fields,
                                   .begin = instance.changed,
                                   .now = options_.now,
                                   .serial = serial});
}

// Adds fields that must exist by their `when`, and removes those that may not.
Result<void> Sampler::respect_when(const Entity& entity, Instance& instance) {
  for (const Attribute& field : entity.fields) {
    if (!field.when) continue;
    TAVOLA_TRY(const bool present, field.when->holds(inputs(instance.fields, instance.changed)));
    if (!present) {
      instance.fields.erase(field.name);
    } else if (!instance.fields.contains(field.name) && !field.is_computed()) {
      instance.fields.insert_or_assign(field.name, invent(entity, field, kTriesMax, instance));
    }
  }
  return {};
}

// Lifecycles happen in the order of the file: an item that has not begun the first has not begun the second.
Result<void> Sampler::live(const Entity& entity, std::uint64_t serial, Instance& instance) {
  std::uint64_t turn = serial;
  for (const Lifecycle& lifecycle : entity.lifecycles) {
    const design::State& wanted = lifecycle.states[static_cast<std::size_t>(turn % lifecycle.states.size())];
    turn /= lifecycle.states.size();
    const std::vector<const Transition*> way = way_to(lifecycle, wanted.name);
    if (way.empty()) break;
    for (const Transition* transition : way) {
      instance.changed = some_time_after(instance.changed);
      // An item in a watched state has mostly not waited for long.
      if (transition == way.back() && wanted.stuck_after) {
        const milliseconds ago(dice_.between(0, wanted.stuck_after->count() * 3 / 2));
        instance.changed = std::max(instance.changed, options_.now - ago);
      }
      TAVOLA_CHECK(pass(entity, *transition, instance));
      instance.fields.insert_or_assign(state_field(lifecycle), transition->to.text);
      TAVOLA_CHECK(respect_when(entity, instance));
      TAVOLA_TRY(instance.fields, design::complete(entity, std::move(instance.fields), Occasion::Transition,
                                                   {.now = instance.changed, .random = &dice_}));
    }
  }
  return {};
}

Result<void> Sampler::pass(const Entity& entity, const Transition& transition, Instance& instance) {
  for (const design::Assignment& assignment : transition.set) {
    const Attribute* field = entity.find_field(assignment.field);
    if (field == nullptr) continue;
    if (!assignment.value.parameters().empty()) {  // a parameter, chosen here
      instance.fields.insert_or_assign(field->name, invent(entity, *field, kTriesMax, instance));
      continue;
    }
    TAVOLA_TRY(std::optional<Value> value, assignment.value.value(inputs(instance.fields, instance.changed)));
    if (value) {
      instance.fields.insert_or_assign(field->name, stored_form(*field, assignment.value, *std::move(value)));
    } else {
      instance.fields.erase(field->name);
    }
  }
  for (const design::Word& needed : transition.require) {
    const Attribute* field = entity.find_field(needed.text);
    if (field == nullptr || field->is_computed() || instance.fields.contains(field->name)) continue;
    instance.fields.insert_or_assign(field->name, invent(entity, *field, kTriesMax, instance));
  }
  return {};
}

// Returns a time, more often recent than old.
WallTime Sampler::some_time_after(WallTime moment) {
  const std::int64_t span = std::max<std::int64_t>((options_.now - moment).count(), 1);
  const std::int64_t ago = dice_.between(0, span) / 4 + dice_.between(0, dice_.between(0, span) * 3 / 4);
  return options_.now - milliseconds(ago);
}

Result<Item> Sampler::evaluated(const Entity& to, const std::vector<design::Assignment>& assignments,
                                const Item& seen, WallTime now) {
  Item fields;
  for (const design::Assignment& assignment : assignments) {
    TAVOLA_TRY(std::optional<Value> value, assignment.value.value(inputs(seen, now)));
    const Attribute* field = to.find_field(assignment.field);
    if (!value || field == nullptr) continue;
    fields.insert_or_assign(assignment.field, stored_form(*field, assignment.value, *std::move(value)));
  }
  return fields;
}

Result<void> Sampler::write_copies() {
  const auto is_written = [](const Copy& copy) {
    return copy.kind == Copy::Kind::Mirror || copy.kind == Copy::Kind::Fanout;
  };
  for (const Copy& copy : design_.copies) {
    if (is_written(copy)) made_[design_.find_entity(copy.to.text)].clear();
  }
  for (const Copy& copy : design_.copies) {
    if (!is_written(copy)) continue;
    const Entity* from = design_.find_entity(copy.from.text);
    if (from == nullptr) continue;
    for (const Instance& instance : made_[from]) TAVOLA_CHECK(write_copy(copy, instance));
  }
  return {};
}

Result<void> Sampler::write_copy(const Copy& copy, const Instance& from) {
  if (copy.when) {
    TAVOLA_TRY(const bool applies, copy.when->holds(inputs(from.fields, from.changed)));
    if (!applies) return {};
  }
  if (copy.kind == Copy::Kind::Mirror) return write_one(copy, from, from.fields);
  const auto list = from.fields.find(copy.each);
  if (list == from.fields.end()) return {};
  Item seen = from.fields;
  const auto write = [&](Value element) {
    seen.insert_or_assign(copy.element, std::move(element));
    return write_one(copy, from, seen);
  };
  if (list->second.type() == Type::List) {
    for (const Value& element : list->second.list()) TAVOLA_CHECK(write(element));
  } else if (list->second.type() == Type::StringSet) {
    for (const std::string& element : list->second.string_set()) TAVOLA_CHECK(write(element));
  }
  return {};
}

Result<void> Sampler::write_one(const Copy& copy, const Instance& from, const Item& seen) {
  const Entity* to = design_.find_entity(copy.to.text);
  if (to == nullptr) return {};
  TAVOLA_TRY(Item fields, evaluated(*to, copy.carry, seen, from.changed));
  TAVOLA_TRY(Item key, evaluated(*to, copy.key, seen, from.changed));
  fields.merge(std::move(key));
  if (!copy.element.empty() && to->find_field(copy.element) != nullptr) {
    fields.try_emplace(copy.element, seen.at(copy.element));
  }
  TAVOLA_TRY(fields, design::complete(*to, std::move(fields), Occasion::Creation,
                                      {.now = from.changed, .random = &dice_}));
  made_[to].push_back({std::move(fields), from.created, from.changed});
  return {};
}

Result<void> Sampler::count() {
  for (const Copy& copy : design_.copies) {
    if (copy.kind == Copy::Kind::Counter) TAVOLA_CHECK(count_one(copy));
  }
  return {};
}

// Makes the items that a counter creates, with nothing counted yet.
Result<void> Sampler::create_counted(const Copy& copy, const Entity& to,
                                     const std::vector<Instance>& sources) {
  std::set<std::string> known;
  for (const Instance& one : made_[&to]) {
    Item key;
    for (const std::string& field : to.key_fields()) key.emplace(field, one.fields.at(field));
    known.insert(to_json(key));
  }
  for (const Instance& source : sources) {
    if (copy.when) {
      TAVOLA_TRY(const bool applies, copy.when->holds(inputs(source.fields, source.changed)));
      if (!applies) continue;
    }
    TAVOLA_TRY(Item key, evaluated(to, copy.key, source.fields, source.changed));
    if (!known.insert(to_json(key)).second) continue;
    if (!copy.count.empty()) key[copy.count] = Number(0);
    for (const design::Assignment& sum : copy.sum) key[sum.field] = Number(0);
    TAVOLA_TRY(Item fields, design::complete(to, std::move(key), Occasion::Creation,
                                             {.now = source.changed, .random = &dice_}));
    made_[&to].push_back({std::move(fields), source.created, source.changed});
  }
  return {};
}

Result<void> Sampler::count_one(const Copy& copy) {
  const Entity* from = design_.find_entity(copy.from.text);
  const Entity* to = design_.find_entity(copy.to.text);
  if (from == nullptr || to == nullptr) return {};
  if (copy.creates) TAVOLA_CHECK(create_counted(copy, *to, made_[from]));
  std::map<std::string, Instance*> targets;
  for (Instance& instance : made_[to]) {
    Item key;
    for (const std::string& field : to->key_fields()) key.emplace(field, instance.fields.at(field));
    targets.emplace(to_json(key), &instance);
  }
  const auto add = [](Item& fields, const std::string& name, const Number& more) -> Result<void> {
    const auto now = fields.find(name);
    TAVOLA_TRY(const Number sum, (now == fields.end() ? Number(0) : now->second.number()) + more);
    fields.insert_or_assign(name, sum);
    return {};
  };
  for (const Instance& instance : made_[from]) {
    if (copy.when) {
      TAVOLA_TRY(const bool applies, copy.when->holds(inputs(instance.fields, instance.changed)));
      if (!applies) continue;
    }
    TAVOLA_TRY(const Item key, evaluated(*to, copy.key, instance.fields, instance.changed));
    const auto target = targets.find(to_json(key));
    if (target == targets.end()) continue;
    Item& fields = target->second->fields;
    if (!copy.count.empty()) TAVOLA_CHECK(add(fields, copy.count, 1));
    TAVOLA_TRY(const Item sums, evaluated(*to, copy.sum, instance.fields, instance.changed));
    for (const auto& [name, value] : sums) TAVOLA_CHECK(add(fields, name, value.number()));
    WallTime& changed = target->second->changed;
    changed = std::max(changed, instance.changed);
  }
  for (Instance& instance : made_[to]) {
    TAVOLA_TRY(instance.fields, design::complete(*to, std::move(instance.fields), Occasion::Change,
                                                 {.now = instance.changed, .random = &dice_}));
  }
  return {};
}

}  // namespace

std::optional<Size> parse_size(std::string_view text) {
  if (text == "small") return Size::Small;
  if (text == "medium") return Size::Medium;
  if (text == "large") return Size::Large;
  return std::nullopt;
}

Result<void> sample(const Design& design, const SampleOptions& options, const SampleSink& sink) {
  return Sampler(design, options).run(sink);
}

}  // namespace tavola::workshop
