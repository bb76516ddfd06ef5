#include "drift/drift_neighbours.h"

#include <algorithm>

#include "base/overloaded.h"
#include "design/items/entity_item.h"
#include "design/items/references.h"
#include "design/model/secrets.h"
#include "drift/shown_value.h"

namespace tavola::drift {
namespace {

using design::Attribute;
using design::Copy;
using design::DependentWrite;
using design::Entity;
using Outcome = Mending::Outcome;

constexpr std::size_t kKnownMax = 100'000;
constexpr std::string_view kGuard = "$unique#";

// Returns the differences of two items of an entity for people: "name is "A", should be "B"".
std::string differences(const Entity* entity, const Item& is, const Item& should_be) {
  std::string text;
  const auto add = [&](const std::string& name, const Value* a, const Value* b) {
    const Attribute* const field = entity == nullptr ? nullptr : entity->find_field(name);
    text += text.empty() ? "" : "; ";
    if (field != nullptr && design::holds_secret(*field)) {
      text += name + " is not what it should be";
    } else {
      text += name + " is " + shown_value(field, a) + ", should be " + shown_value(field, b);
    }
  };
  for (const auto& [name, value] : should_be) {
    const auto stored = is.find(name);
    if (stored == is.end()) {
      add(name, nullptr, &value);
    } else if (stored->second != value) {
      add(name, &stored->second, &value);
    }
  }
  for (const auto& [name, value] : is) {
    if (!should_be.contains(name)) add(name, &value, nullptr);
  }
  return text;
}

std::string packed_key(const Item& key) {
  const Result<PackedItem> packed = pack(key);
  return packed ? packed->bytes() : to_json(key);
}

// Returns the values that a field refers by: itself, or each element of a list.
std::vector<Value> elements_of(const Value& value) {
  std::vector<Value> all;
  std::visit(Overloaded{[&](const List& list) { all = list; },
                        [&](const StringSet& set) { all.assign(set.begin(), set.end()); },
                        [&](const NumberSet& set) { all.assign(set.begin(), set.end()); },
                        [&](const auto&) { all.push_back(value); }},
             value.variant());
  return all;
}

}  // namespace

template <class Write>
Result<void> DriftNeighbours::settle(Occurrence one, Found& found, Write write) const {
  one.can_be_computed = one.why_left.empty();
  if (parts_.repair && one.can_be_computed) {
    TAVOLA_TRY(const Mending mending, write());
    if (mending.outcome == Outcome::Changed) {
      found.changed = true;
      return {};
    }
    one.settle(mending);
  }
  found.occurrences.push_back(std::move(one));
  return {};
}

Result<bool> DriftNeighbours::is_unchanged(const Seen& seen) const {
  TAVOLA_TRY(const std::optional<Item> now, parts_.writes.read(seen.key));
  return now == seen.item;
}

Result<bool> DriftNeighbours::expects(const Item& item, const Item& key, const std::string& of) const {
  const Inspection inspection = inspect(parts_.design, item);
  if (inspection.entity == nullptr) return false;
  const auto dependent_writes = parts_.design.expected_with(*inspection.entity, inspection.fields);
  if (!dependent_writes)
    return true;  // values that cannot be computed are reported elsewhere; they make no orphans
  return std::ranges::any_of(*dependent_writes, [&](const DependentWrite& dependent) {
    return dependent.key == key && dependent.kind != DependentWrite::Kind::Add &&
           (of.empty() || dependent.of == of);
  });
}

Result<DriftNeighbours::Found> DriftNeighbours::of_entity(const Item& item, const Inspection& inspection) {
  Found found;
  const Entity& entity = *inspection.entity;
  if (parts_.design.is_copy(entity)) {
    TAVOLA_CHECK(check_source(item, inspection, found));
  } else {
    TAVOLA_CHECK(check_references(item, inspection, found));
  }
  const auto dependent_writes = parts_.design.expected_with(entity, inspection.fields);
  if (!dependent_writes) {
    Occurrence one{.rule = DriftRule::Field,
                   .about = entity.name,
                   .sample = {parts_.writes.key_of(item),
                              "its copies cannot be computed: " + dependent_writes.error().message()}};
    if (inspection.problems.empty()) found.occurrences.push_back(std::move(one));
    return found;
  }
  for (const DependentWrite& dependent : *dependent_writes) {
    if (dependent.kind == DependentWrite::Kind::Put) {
      TAVOLA_CHECK(check_copy(item, inspection, dependent, found));
    }
    if (dependent.kind == DependentWrite::Kind::Claim) TAVOLA_CHECK(check_guard(item, dependent, found));
    if (found.changed) break;
  }
  return found;
}

// ---- Copies ----

// Fields that do not come from the source keep their stored value; in a new copy they have the design's
// defaults.
Item DriftNeighbours::completed_copy(const DependentWrite& copy, const std::optional<Item>& stored) const {
  const auto& unreported = parts_.design.unreported(copy.of);
  if (unreported.empty()) return copy.item;
  design::Decoded decoded = design::decode(parts_.design.computed(), copy.item);
  if (decoded.entity == nullptr) return copy.item;
  Item others = stored.value_or(Item());
  if (!stored) {
    const Entity& to = parts_.design.said(*decoded.entity);
    const auto whole = design::complete(to, decoded.fields, design::Occasion::Creation, parts_.ambient);
    if (whole) others = *whole;
  }
  for (const std::string& name : unreported) {
    const auto value = others.find(name);
    decoded.fields.erase(name);
    if (value != others.end()) decoded.fields.insert(*value);
  }
  const auto item = design::to_item(parts_.design.computed(), *decoded.entity, decoded.fields);
  return item ? *item : copy.item;
}

Result<void> DriftNeighbours::check_copy(const Item& item, const Inspection& inspection,
                                         const DependentWrite& copy, Found& found) {
  TAVOLA_TRY(const std::optional<Item> stored, parts_.writes.read(copy.key));
  const Item right = completed_copy(copy, stored);
  if (stored == right) return {};
  const Seen source{parts_.writes.key_of(item), item};
  TAVOLA_TRY(const bool unchanged, is_unchanged(source));
  if (!unchanged) {
    found.changed = true;
    return {};
  }
  Occurrence one{.rule = stored ? DriftRule::CopyDifferent : DriftRule::CopyMissing,
                 .about = copy.of,
                 .sample = {copy.key, stored ? differences(design::decode(parts_.design.said(), right).entity,
                                                           *stored, right)
                                             : "missing; its source is " + to_json(source.key)}};
  // An item that breaks the design is not copied: people decide first what is right.
  if (!std::ranges::all_of(inspection.problems, &ItemProblem::can_be_computed))
    one.why_left = "its source breaks the design";
  return settle(std::move(one), found,
                [&] { return parts_.writes.put(right, Seen{copy.key, stored}, source); });
}

Result<DriftNeighbours::Source> DriftNeighbours::source_of(const Item& item, const Inspection& inspection,
                                                           bool& readable) {
  Source source;
  const Item key = parts_.writes.key_of(item);
  for (const Copy* copy : parts_.design.copies_to(*inspection.entity)) {
    const std::optional<Item> from = parts_.design.source_key(*copy, inspection.fields);
    if (!from) {
      readable = false;
      notes_.insert("items of the copy " + copy->name +
                    " do not identify their source, so orphans among them were not searched for");
      continue;
    }
    source.seen.key = *from;
    TAVOLA_TRY(source.seen.item, parts_.writes.read(*from));
    if (!source.seen.item) continue;
    TAVOLA_TRY(source.has_copy, expects(*source.seen.item, key, copy->name));
    if (source.has_copy) return source;
  }
  return source;
}

Result<void> DriftNeighbours::check_source(const Item& item, const Inspection& inspection, Found& found) {
  bool readable = true;
  TAVOLA_TRY(const Source source, source_of(item, inspection, readable));
  if (source.has_copy || !readable) return {};
  const Seen there{parts_.writes.key_of(item), item};
  TAVOLA_TRY(const bool unchanged, is_unchanged(there));
  if (!unchanged) {
    found.changed = true;
    return {};
  }
  const std::vector<const Copy*> copies = parts_.design.copies_to(*inspection.entity);
  Occurrence one{
      .rule = DriftRule::CopyOrphaned,
      .about = copies.front()->name,
      .sample = {there.key, (source.seen.item ? "its source has no such copy: " : "its source is missing: ") +
                                to_json(source.seen.key)}};
  // One condition covers one source only.
  if (copies.size() > 1) one.why_left = "such items hold several copies";
  return settle(std::move(one), found, [&] { return parts_.writes.remove(there, source.seen); });
}

// ---- Unique guards ----

Result<void> DriftNeighbours::check_guard(const Item& item, const DependentWrite& guard, Found& found) {
  TAVOLA_TRY(const std::optional<Item> stored, parts_.writes.read(guard.key));
  const Item holder = parts_.writes.key_of(item);
  const auto named = stored ? stored->find("of") : Item::const_iterator();
  const bool names_somebody = stored && named != stored->end() && named->second.type() == Type::Map;
  if (names_somebody && named->second.map() == holder) return {};
  const Seen source{holder, item};
  TAVOLA_TRY(const bool unchanged, is_unchanged(source));
  if (!unchanged) {
    found.changed = true;
    return {};
  }
  std::optional<Item> other;
  if (names_somebody) {
    TAVOLA_TRY(other, parts_.writes.read(named->second.map()));
  }
  bool is_taken = false;
  if (other) {
    TAVOLA_TRY(is_taken, expects(*other, guard.key, guard.of));
  }
  Occurrence one{.about = guard.of, .sample = {holder, ""}};
  const std::string packed = packed_key(guard.key);
  const auto wanted = unguarded_.find(packed);
  if (is_taken || (wanted != unguarded_.end() && wanted->second != holder)) {
    one.rule = DriftRule::NotUnique;
    one.sample.text = "has the value of " + to_json(is_taken ? parts_.writes.key_of(*other) : wanted->second);
    found.occurrences.push_back(std::move(one));
    return {};
  }
  if (unguarded_.size() < kKnownMax) unguarded_.emplace(packed, holder);
  one.rule = DriftRule::GuardMissing;
  one.sample.text = stored ? "its guard " + to_json(shown_key(parts_.design.said(), guard.key)) +
                                 " belongs to another item, which does not have the value"
                           : "its guard is missing: " + to_json(shown_key(parts_.design.said(), guard.key));
  return settle(std::move(one), found,
                [&] { return parts_.writes.put(guard.item, Seen{guard.key, stored}, source); });
}

Result<DriftNeighbours::Found> DriftNeighbours::of_record(const Item& record) {
  Found found;
  const Item key = parts_.writes.key_of(record);
  const std::string& hash = record.at(parts_.design.said().table.hash.name).string();
  if (!hash.starts_with(kGuard)) return found;  // the record of an operation that is done once
  const std::string of = hash.substr(kGuard.size(), hash.find('#', kGuard.size()) - kGuard.size());
  const Entity* const entity = parts_.design.said().find_entity(of.substr(0, of.find('.')));
  const Attribute* const field =
      entity == nullptr ? nullptr : entity->find_field(of.substr(std::min(of.find('.') + 1, of.size())));
  Occurrence one{
      .rule = DriftRule::GuardOrphaned, .about = of, .sample = {shown_key(parts_.design.said(), key), ""}};
  if (field == nullptr || !field->unique) {
    one.sample.text = "the design has no unique field of this name";
    one.why_left = parts_.repair ? "it may belong to another design" : "";
    found.occurrences.push_back(std::move(one));
    return found;
  }
  const auto named = record.find("of");
  if (named == record.end() || named->second.type() != Type::Map) {
    one.sample.text = "it does not name its holder";
    one.why_left = parts_.repair ? "its holder is unknown" : "";
    found.occurrences.push_back(std::move(one));
    return found;
  }
  Seen holder{named->second.map(), {}};
  TAVOLA_TRY(holder.item, parts_.writes.read(holder.key));
  bool is_wanted = false;
  if (holder.item) {
    TAVOLA_TRY(is_wanted, expects(*holder.item, key, of));
  }
  if (is_wanted) return found;
  const Seen there{key, record};
  TAVOLA_TRY(const bool unchanged, is_unchanged(there));
  found.changed = !unchanged;
  if (found.changed) return found;
  one.sample.text =
      (holder.item ? "its holder has another value: " : "its holder is missing: ") + to_json(holder.key);
  TAVOLA_CHECK(settle(std::move(one), found, [&] { return parts_.writes.remove(there, holder); }));
  return found;
}

// ---- References ----

Result<bool> DriftNeighbours::is_there(const Item& key) {
  const std::string packed = packed_key(key);
  if (known_there_.contains(packed)) return true;
  TAVOLA_TRY(const std::optional<Item> item, parts_.writes.read(key));
  if (!item) return false;
  if (known_there_.size() >= kKnownMax) known_there_.clear();
  known_there_.insert(packed);
  return true;
}

namespace {

// Returns why a reference to a missing item is left, and what the design wants of such an item.
std::string why_dangling(const design::Design& design, const Entity& entity, const Attribute& field) {
  std::string why = "the missing item cannot be computed";
  const Entity* const target = design.find_entity(field.ref);
  const auto cascade = std::ranges::find_if(target->on_delete, [&](const design::Cascade& one) {
    return one.entity.text == entity.name && one.field.text == field.name;
  });
  if (cascade == target->on_delete.end()) return why;
  if (cascade->action == design::Cascade::Action::Delete)
    why += "; with `on_delete: cascade` this item may be deleted";
  if (cascade->action == design::Cascade::Action::Detach)
    why += "; with `on_delete: detach` the field may be removed";
  return why;
}

}  // namespace

Result<void> DriftNeighbours::check_reference(const Item& item, const Inspection& inspection,
                                              const Attribute& field, Found& found) {
  const auto value = inspection.fields.find(field.name);
  if (value == inspection.fields.end()) return {};
  for (const Value& one : elements_of(value->second)) {
    const std::optional<Item> key =
        design::referenced_key(parts_.design.computed(), *inspection.entity, field, one, inspection.fields);
    const std::string about = inspection.entity->name + "." + field.name;
    if (!key) {
      notes_.insert(about + " does not give the whole key of " + field.ref + ", so it was not checked");
      continue;
    }
    TAVOLA_TRY(const bool there, is_there(*key));
    if (there) continue;
    found.occurrences.push_back(
        {.rule = DriftRule::Reference,
         .about = about,
         .sample = {parts_.writes.key_of(item),
                    "there is no " + field.ref +
                        (design::holds_secret(field) ? " of that key" : " " + to_json(*key))},
         .why_left = parts_.repair ? why_dangling(parts_.design.computed(), *inspection.entity, field) : ""});
  }
  return {};
}

Result<void> DriftNeighbours::check_references(const Item& item, const Inspection& inspection, Found& found) {
  for (const Attribute& field : inspection.entity->fields) {
    if (!field.ref.empty()) TAVOLA_CHECK(check_reference(item, inspection, field, found));
  }
  return {};
}

}  // namespace tavola::drift
