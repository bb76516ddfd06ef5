#include "design/items/dependent_writes.h"

#include "base/overloaded.h"
#include "design/items/references.h"
#include "design/model/arguments.h"
#include "design/model/refusal.h"
#include "design/model/secrets.h"

namespace tavola::design {
namespace {

// Returns the sources of the items that a mirror or a fanout makes of an entity.
std::vector<Item> sources_of(const Copy& copy, const Item& fields) {
  if (copy.kind == Copy::Kind::Mirror) return {fields};
  std::vector<Item> sources;
  const auto list = fields.find(copy.each);
  if (list == fields.end()) return sources;
  List elements;
  std::visit(
      Overloaded{[&](const List& values) { elements = values; },
                 [&](const StringSet& set) { elements.assign(set.begin(), set.end()); },
                 [&](const NumberSet& set) { elements.assign(set.begin(), set.end()); }, [](const auto&) {}},
      list->second.variant());
  for (const Value& element : elements) {
    sources.push_back(fields);
    sources.back()[copy.element] = element;
  }
  return sources;
}

std::string text_of(const Value& value) {
  return value.is_string() ? value.string() : value.is_number() ? value.number().to_string() : to_json(value);
}

using Numbers = std::map<std::string, Number, std::less<>>;

// Adds the counters of an entity that are missing among the numbers, as zeros.
void add_counters_of(const Design& design, const Entity& to, Numbers& numbers) {
  for (const Copy& copy : design.copies) {
    if (copy.kind != Copy::Kind::Counter || copy.to.text != to.name) continue;
    if (!copy.count.empty()) numbers.try_emplace(copy.count);
    for (const Assignment& sum : copy.sum) numbers.try_emplace(sum.field);
  }
}

struct UniqueField {
  const Attribute& field;
  const Unique& unique;  // the field's
};

// Returns "Product.sku#s1#SKU-001"; nullopt if a part is missing, because a missing value is not unique.
std::optional<std::string> guard_name(const Entity& entity, const UniqueField& guarded, const Item* fields) {
  if (fields == nullptr) return std::nullopt;
  const Attribute& field = guarded.field;
  std::string name = entity.name + "." + field.name;
  std::vector<std::string> parts = guarded.unique.within;
  parts.push_back(field.name);
  for (const std::string& part : parts) {
    const auto found = fields->find(part);
    if (found == fields->end()) return std::nullopt;
    name += "#" + record_part(text_of(found->second));
  }
  return name;
}

// One change of one entity.
class DependentWriteFinder {
 public:
  DependentWriteFinder(const Design& design, const Entity& entity, const Ambient& ambient)
      : design_(design), entity_(entity), ambient_(ambient) {}

  Result<std::vector<DependentWrite>> of(const Item* before, const Item* after) {
    for (const Copy& copy : design_.copies) {
      if (copy.from.text != entity_.name || copy.mode != Copy::Mode::Transaction) continue;
      if (copy.kind == Copy::Kind::Mirror || copy.kind == Copy::Kind::Fanout) {
        TAVOLA_CHECK(copy_items(copy, before, after));
      } else if (copy.kind == Copy::Kind::Counter) {
        TAVOLA_CHECK(count(copy, before, after));
      }
    }
    for (const Attribute& field : entity_.fields) {
      if (field.unique) TAVOLA_CHECK(claim({field, *field.unique}, before, after));
    }
    return std::move(found_);
  }

 private:
  struct Target {
    Item key;
    Item item;
  };
  using Targets = std::map<std::string, Target, std::less<>>;  // by the packed key

  // The contribution of an entity to a counter: the numbers, and the attributes and the item they are added
  // to.
  struct Contribution {
    Item key;
    Item key_fields;
    Numbers numbers;
  };

  Result<bool> applies(const Copy& copy, const Item& fields) const {
    if (!copy.when) return true;
    return copy.when->holds(ambient_.with({.fields = &fields}));
  }

  Result<std::optional<Value>> value_of(const Assignment& assignment, const Item& fields) const {
    return assignment.value.value(ambient_.with({.fields = &fields}));
  }

  // Returns the results of the assignments over `fields`, as fields of `to`.
  Result<Item> evaluated(const std::vector<Assignment>& assignments, const Entity& to,
                         const Item& fields) const {
    Item values;
    for (const Assignment& assignment : assignments) {
      TAVOLA_TRY(const std::optional<Value> value, value_of(assignment, fields));
      if (value) TAVOLA_CHECK(assign_computed(to, assignment, *value, values));
    }
    return values;
  }

  // Adds the key alone for an entity that broke the design: it has no valid copy, but a copy that exists is
  // deleted with it.
  void add_key(const Copy& copy, const Item& source, Targets& targets) const {
    const Entity& to = *design_.find_entity(copy.to.text);
    Item fields = evaluated(copy.carry, to, source).value_or(Item());
    fields.merge(evaluated(copy.key, to, source).value_or(Item()));
    Target target;
    if (const Result<Item> key = key_of(design_, to, fields)) target.key = *key;
    const Result<PackedItem> packed = pack(target.key);
    if (packed && !target.key.empty()) targets.insert_or_assign(packed->bytes(), std::move(target));
  }

  Result<void> add_target(const Copy& copy, const Item& source, Targets& targets) const {
    const Entity& to = *design_.find_entity(copy.to.text);
    TAVOLA_TRY(Item fields, evaluated(copy.carry, to, source));
    TAVOLA_TRY(Item key_fields, evaluated(copy.key, to, source));
    fields.merge(key_fields);
    // The copy has its source's values, whichever caller wrote them: no caller is passed.
    const Ambient ambient{ambient_.now, ambient_.random};
    TAVOLA_TRY(fields, complete(to, std::move(fields), Occasion::Creation, ambient));
    Target target;
    TAVOLA_TRY(target.key, key_of(design_, to, fields));
    TAVOLA_TRY(target.item, to_item(design_, to, fields));
    TAVOLA_TRY(const PackedItem packed, pack(target.key));
    targets.insert_or_assign(packed.bytes(), std::move(target));
    return {};
  }

  // Returns the items that a mirror or a fanout has for an entity.
  Result<Targets> targets_of(const Copy& copy, const Item* fields) const {
    Targets targets;
    if (fields == nullptr) return targets;
    TAVOLA_TRY(const bool there, applies(copy, *fields));
    if (!there) return targets;
    for (const Item& source : sources_of(copy, *fields)) TAVOLA_CHECK(add_target(copy, source, targets));
    return targets;
  }

  // Returns the targets of the entity as it was. It may have broken the design while the table was not governed, and
  // must be changeable and deletable nevertheless.
  Targets old_targets_of(const Copy& copy, const Item* fields) const {
    Targets targets;
    if (fields == nullptr || !applies(copy, *fields).value_or(true)) return targets;
    for (const Item& source : sources_of(copy, *fields)) {
      if (!add_target(copy, source, targets)) add_key(copy, source, targets);
    }
    return targets;
  }

  Result<void> copy_items(const Copy& copy, const Item* before, const Item* after) {
    const Targets old_targets = old_targets_of(copy, before);
    TAVOLA_TRY(const Targets new_targets, targets_of(copy, after));
    for (const auto& [key, target] : old_targets) {
      if (!new_targets.contains(key)) {
        found_.push_back(
            {.kind = DependentWrite::Kind::Delete, .key = target.key, .of = copy.name, .at = copy.at});
      }
    }
    for (const auto& [key, target] : new_targets) {
      const auto old_target = old_targets.find(key);
      if (old_target != old_targets.end() && old_target->second.item == target.item) continue;
      found_.push_back({.kind = DependentWrite::Kind::Put,
                        .key = target.key,
                        .item = target.item,
                        .of = copy.name,
                        .at = copy.at});
    }
    return {};
  }

  enum class Time : std::uint8_t { Before, After };
  // Returns the contribution. An old image may have broken the design while the table was not governed: sums that
  // cannot be computed from it are left out.
  Result<std::optional<Contribution>> contribution(const Copy& copy, const Item* fields, Time time) const {
    if (fields == nullptr) return std::optional<Contribution>();
    TAVOLA_TRY(const bool there, applies(copy, *fields));
    if (!there) return std::optional<Contribution>();
    Contribution one;
    const Entity& to = *design_.find_entity(copy.to.text);
    TAVOLA_TRY(one.key_fields, evaluated(copy.key, to, *fields));
    TAVOLA_TRY(one.key, key_of(design_, to, one.key_fields));
    if (!copy.count.empty()) one.numbers[copy.count] = Number(1);
    for (const Assignment& sum : copy.sum) {
      const Result<std::optional<Value>> summand = value_of(sum, *fields);
      if (!summand && time == Time::After) return fail(summand.error());
      const std::optional<Value> value = summand.value_or(std::nullopt);
      if (value && value->is_number()) one.numbers[sum.field] = value->number();
    }
    return std::optional<Contribution>(std::move(one));
  }

  Result<void> count(const Copy& copy, const Item* before, const Item* after) {
    std::optional<Contribution> old_one = contribution(copy, before, Time::Before).value_or(std::nullopt);
    TAVOLA_TRY(std::optional<Contribution> new_one, contribution(copy, after, Time::After));
    if (old_one && new_one && old_one->key == new_one->key) {
      for (const auto& [field, number] : old_one->numbers) {
        TAVOLA_TRY(new_one->numbers[field], new_one->numbers[field] - number);
      }
      old_one.reset();
    }
    // A deleted counter target need not be counted down; a new contribution needs its target.
    if (old_one) {
      for (auto& [field, number] : old_one->numbers) number = -number;
      TAVOLA_CHECK(add_numbers(copy, *std::move(old_one), true));
    }
    if (!new_one) return {};
    const Attribute* const reference = reference_to(copy, new_one->key, *after);
    TAVOLA_CHECK(add_numbers(copy, *std::move(new_one), false));
    if (reference == nullptr || found_.empty() || found_.back().of != copy.name) return {};
    found_.back().field = reference->name;
    found_.back().refusal = kUnknownReference;
    found_.back().reason = missing_target(entity_, *reference, after->find(reference->name)->second);
    found_.back().at = reference->at;
    return {};
  }

  // Returns the field that names the item that counts; null if there is none.
  const Attribute* reference_to(const Copy& copy, const Item& key, const Item& fields) const {
    const auto names_it = [&](const Attribute& field) {
      const auto value = fields.find(field.name);
      return field.ref == copy.to.text && value != fields.end() &&
             referenced_key(design_, entity_, field, value->second, fields) == key;
    };
    const auto found = std::ranges::find_if(entity_.fields, names_it);
    return found == entity_.fields.end() ? nullptr : &*found;
  }

  // Returns the item that a counter creates, without its counters: these are added to zero.
  Result<Item> created_item(const Entity& to, Contribution& one) const {
    add_counters_of(design_, to, one.numbers);
    Item fields = one.key_fields;
    for (const auto& [field, number] : one.numbers) fields[field] = Number(0);
    TAVOLA_TRY(fields, complete(to, std::move(fields), Occasion::Creation, {ambient_.now, ambient_.random}));
    TAVOLA_TRY(Item item, to_item(design_, to, fields));
    for (const auto& [field, number] : one.numbers) item.erase(field);
    return item;
  }

  Result<void> add_numbers(const Copy& copy, Contribution one, bool dispensable) {
    std::erase_if(one.numbers, [](const auto& number) { return number.second.is_zero(); });
    if (one.numbers.empty()) return {};
    Item item;
    if (copy.creates && !dispensable) {
      TAVOLA_TRY(item, created_item(*design_.find_entity(copy.to.text), one));
    }
    std::string reason = "there is no " + copy.to.text + " " + to_json(one.key);
    found_.push_back({.kind = DependentWrite::Kind::Add,
                      .key = std::move(one.key),
                      .item = std::move(item),
                      .numbers = std::move(one.numbers),
                      .of = copy.name,
                      .refusal = "NOT_FOUND",
                      .reason = std::move(reason),
                      .dispensable = dispensable,
                      .creates = copy.creates,
                      .at = copy.at});
    return {};
  }

  Result<void> claim(const UniqueField& guarded, const Item* before, const Item* after) {
    const Attribute& field = guarded.field;
    const std::optional<std::string> old_name = guard_name(entity_, guarded, before);
    const std::optional<std::string> new_name = guard_name(entity_, guarded, after);
    if (old_name == new_name) return {};
    const std::string of = entity_.name + "." + field.name;
    if (old_name) {
      TAVOLA_TRY(const Item holder, key_of(design_, entity_, *before));
      found_.push_back({.kind = DependentWrite::Kind::Delete,
                        .key = record_key(design_.table, "$unique", *old_name),
                        .item = {{"of", Value(Map(holder))}},
                        .of = of,
                        .at = field.at});
    }
    if (!new_name) return {};
    DependentWrite one{
        .kind = DependentWrite::Kind::Claim,
        .key = record_key(design_.table, "$unique", *new_name),
        .of = of,
        .refusal = guarded.unique.otherwise,
        .reason = "another " + entity_.name + " has the " +
                  (holds_secret(field) ? "same " + field.name
                                       : field.name + " " + text_of(after->find(field.name)->second)),
        .at = field.at};
    one.item = one.key;
    TAVOLA_TRY(const Item holder, key_of(design_, entity_, *after));
    one.item["of"] = Value(Map(holder));
    found_.push_back(std::move(one));
    return {};
  }

  const Design& design_;
  const Entity& entity_;
  const Ambient& ambient_;
  std::vector<DependentWrite> found_;
};

// Returns whether the partition key is text that begins so.
bool begins_with(const Table& table, const ItemView& item, std::string_view prefix) {
  const std::optional<ValueView> hash = item.find(table.hash.name);
  return hash && hash->type() == Type::String && hash->string().starts_with(prefix);
}

}  // namespace

std::string record_part(std::string text) {
  for (std::size_t at = 0; (at = text.find_first_of("#%", at)) != std::string::npos; at += 3)
    text.replace(at, 1, text[at] == '#' ? "%23" : "%25");
  return text;
}

Item record_key(const Table& table, std::string_view kind, const std::string& name) {
  Item key{{table.hash.name, std::string(kind) + "#" + name}};
  if (table.range) key[table.range->name] = kind;
  return key;
}

Item counts_key(const Table& table, const Item& key) {
  std::string name;
  for (const auto& [attribute, value] : key) {
    name += (name.empty() ? "" : "#") + (value.is_string() ? value.string() : to_json(value));
  }
  return record_key(table, "$count", name);
}

bool is_record(const Table& table, const Item& item) {
  const auto hash = item.find(table.hash.name);
  return hash != item.end() && hash->second.is_string() && hash->second.string().starts_with('$');
}

bool is_record(const Table& table, const ItemView& item) { return begins_with(table, item, "$"); }

bool is_counts_key(const Table& table, const ItemView& key) { return begins_with(table, key, "$count#"); }

bool is_free_record(const Table& table, const Item& item) {
  return is_record(table, item) && item.at(table.hash.name).string().starts_with("$once#");
}

Result<std::vector<DependentWrite>> dependent_writes_of(const Design& design, const Entity& entity,
                                                        const Item* before, const Item* after,
                                                        const Ambient& ambient) {
  return DependentWriteFinder(design, entity, ambient).of(before, after);
}

}  // namespace tavola::design
