#include <set>

#include "base/joined.h"
#include "design/model/plain_json.h"
#include "workshop/diff/diff_parts.h"

namespace tavola::workshop {
namespace {

using design::Attribute;
using design::Design;
using design::Entity;
using Class = Difference::Class;

template <class Of>
std::string text_of(const std::optional<Of>& written) {
  return written ? written->text() : "";
}

// ---- Fields ----

void diff_values(Differences& out, const std::string& part, const Attribute& old, const Attribute& now) {
  const std::set<std::string> was(old.values.begin(), old.values.end());
  const std::set<std::string> is(now.values.begin(), now.values.end());
  if (was == is) return;
  if (was.empty()) return out.add(Class::Breaks, part, "may only be " + joined(now.values));
  if (is.empty()) return out.add(Class::Change, part, "may have any value");
  std::vector<std::string> gone;
  std::vector<std::string> added;
  std::ranges::set_difference(was, is, std::back_inserter(gone));
  std::ranges::set_difference(is, was, std::back_inserter(added));
  if (!gone.empty()) out.add(Class::Breaks, part, "may no longer be " + joined(gone));
  if (!added.empty()) out.add(Class::Change, part, "may also be " + joined(added));
}

enum class Side : std::uint8_t { Lower, Upper };

// A new or tighter bound refuses values that were accepted.
template <class T, class ToText>
void diff_bound(Differences& out, const std::string& part, std::string_view name,
                const std::pair<const std::optional<T>&, const std::optional<T>&>& bound, Side side,
                const ToText& to_text) {
  const auto& [old, now] = bound;
  if (old == now) return;
  const bool is_tighter = now && (!old || (side == Side::Lower ? *now > *old : *now < *old));
  out.add_if_changed(part, name, old ? to_text(*old) : "", now ? to_text(*now) : "",
                     is_tighter ? Class::Breaks : Class::Change);
}

void diff_bounds(Differences& out, const std::string& part, const Attribute& old, const Attribute& now) {
  const auto number = [](const Number& value) { return value.to_string(); };
  const auto count = [](std::uint64_t value) { return std::to_string(value); };
  diff_bound<Number>(out, part, "min", {old.min, now.min}, Side::Lower, number);
  diff_bound<Number>(out, part, "max", {old.max, now.max}, Side::Upper, number);
  diff_bound<std::uint64_t>(out, part, "min_length", {old.min_length, now.min_length}, Side::Lower, count);
  diff_bound<std::uint64_t>(out, part, "max_length", {old.max_length, now.max_length}, Side::Upper, count);
  diff_bound<std::uint64_t>(out, part, "max_items", {old.max_items, now.max_items}, Side::Upper, count);
  out.add_if_changed(part, "pattern", old.pattern.text(), now.pattern.text(),
                     now.pattern.empty() ? Class::Change : Class::Breaks);
}

void diff_field(Differences& out, const std::string& part, const Attribute& old, const Attribute& now);

void diff_fields(Differences& out, const std::string& part, const std::vector<Attribute>& before,
                 const std::vector<Attribute>& after) {
  for (const Attribute& old : before) {
    if (std::ranges::find(after, old.name, &Attribute::name) == after.end()) {
      out.add(Class::Breaks, part + "." + old.name, "is gone");
    }
  }
  for (const Attribute& now : after) {
    const auto old = std::ranges::find(before, now.name, &Attribute::name);
    if (old != before.end()) {
      diff_field(out, part + "." + now.name, *old, now);
    } else if (now.is_computed()) {
      out.add(Class::Backfill, part + "." + now.name, "is new and computed");
    } else if (now.required) {
      out.add(now.otherwise ? Class::Backfill : Class::Breaks, part + "." + now.name, "is new and required");
    } else {
      out.add(Class::Change, part + "." + now.name, "is new");
    }
  }
}

void diff_field(Differences& out, const std::string& part, const Attribute& old, const Attribute& now) {
  // Every integer is a number; any other new type may not hold the stored values.
  const bool is_wider = old.type.kind == design::AttributeType::Kind::Integer &&
                        now.type.kind == design::AttributeType::Kind::Number;
  const bool takes_all = now.type.kind == design::AttributeType::Kind::Any;
  out.add_if_changed(part, "type", design::type_text(old.type), design::type_text(now.type),
                     is_wider || takes_all ? Class::Change : Class::Breaks);
  if (old.required != now.required) {
    out.add(now.required ? Class::Breaks : Class::Change, part,
            now.required ? "becomes required" : "becomes optional");
  }
  if (old.stored != now.stored) {
    out.add(Class::Backfill, part, now.stored ? "is stored in addition to the key" : "is in the key only");
  }
  if (old.immutable != now.immutable) {
    out.add(now.immutable ? Class::Breaks : Class::Change, part,
            now.immutable ? "may not change" : "may change");
  }
  if (old.unique.has_value() != now.unique.has_value()) {
    out.add(now.unique ? Class::Backfill : Class::Change, part,
            now.unique ? "becomes unique" : "is no longer unique");
  }
  diff_values(out, part, old, now);
  diff_bounds(out, part, old, now);
  if (old.sensitive != now.sensitive)
    out.add(Class::Change, part, now.sensitive ? "becomes sensitive" : "is no longer sensitive");
  out.add_if_changed(part, "value", text_of(old.value), text_of(now.value), Class::Backfill);
  out.add_if_changed(part, "derive", text_of(old.derive), text_of(now.derive), Class::Backfill);
  out.add_if_changed(part, "only", text_of(old.only), text_of(now.only));
  out.add_if_changed(part, "format", text_of(old.format), text_of(now.format), Class::Backfill);
  out.add_if_changed(part, "when", text_of(old.when), text_of(now.when), Class::Backfill);
  const auto plain = [](const std::optional<Value>& value) {
    return value ? design::to_plain_json(*value) : "";
  };
  out.add_if_changed(part, "default", plain(old.otherwise), plain(now.otherwise));
  diff_fields(out, part, old.of, now.of);
}

// ---- Index entries and lifecycles ----

std::string source_text(const std::optional<design::KeySource>& source) {
  if (!source) return "";
  return source->from ? source->from->text() : "lifecycle(" + source->lifecycle + ")";
}

void diff_entries(Differences& out, const Entity& old, const Entity& now) {
  for (const design::IndexEntry& entry : old.indexes) {
    if (now.find_index(entry.index) == nullptr) {
      out.add(Class::Backfill, now.name, "leaves the index " + entry.index);
    }
  }
  for (const design::IndexEntry& entry : now.indexes) {
    const design::IndexEntry* const was = old.find_index(entry.index);
    if (was == nullptr) {
      out.add(Class::Backfill, now.name, "enters the index " + entry.index);
      continue;
    }
    const std::string part = now.name + " in " + entry.index;
    out.add_if_changed(part, "hash", source_text(was->hash), source_text(entry.hash), Class::Backfill);
    out.add_if_changed(part, "range", source_text(was->range), source_text(entry.range), Class::Backfill);
    out.add_if_changed(part, "when", text_of(was->when), text_of(entry.when), Class::Backfill);
  }
}

std::string transition_text(const design::Transition& transition) {
  std::string text = joined(transition.from, &design::Word::text) + " to " + transition.to.text;
  for (const design::Assignment& one : transition.set) text += "; " + one.field + " = " + one.value.text();
  for (const design::Word& word : transition.require) text += "; needs " + word.text;
  return text;
}

void diff_lifecycle(Differences& out, const std::string& part, const design::Lifecycle& old,
                    const design::Lifecycle& now) {
  const auto held = [](const design::Lifecycle& of) {
    return of.attribute.empty() ? of.index + ".range" : of.attribute;
  };
  out.add_if_changed(part, "held in", held(old), held(now), Class::Backfill);
  out.each(old.states, now.states, part + ".", Class::Change,
           [&](const design::State& was, const design::State& is) {
             out.add_if_changed(part + "." + is.name, "key", text_of(was.key), text_of(is.key),
                                Class::Backfill);
             if (was.again != is.again) {
               out.add(is.again ? Class::Change : Class::Breaks, part + "." + is.name,
                       is.again ? "may be entered again" : "may not be entered again");
             }
           });
  out.each(old.transitions, now.transitions, part + ".", Class::Change,
           [&](const design::Transition& was, const design::Transition& is) {
             out.add_if_changed(part + "." + is.name, "transition", transition_text(was),
                                transition_text(is));
           });
}

void diff_rules(Differences& out, const Entity& old, const Entity& now) {
  for (const design::EntityRule& rule : old.rules) {
    if (std::ranges::find(now.rules, rule.name, &design::EntityRule::name) == now.rules.end())
      out.add(Class::Change, now.name + "." + rule.name, "is no longer a rule");
  }
  for (const design::EntityRule& rule : now.rules) {
    const auto was = std::ranges::find(old.rules, rule.name, &design::EntityRule::name);
    if (was == old.rules.end()) {
      out.add(Class::Breaks, now.name + "." + rule.name, "is a new rule: " + rule.that.text());
    } else {
      out.add_if_changed(now.name + "." + rule.name, "rule", was->that.text(), rule.that.text(),
                         Class::Breaks);
    }
  }
}

void diff_entity(Differences& out, const Entity& old, const Entity& now) {
  out.add_if_changed(now.name, "partition key", old.hash.text(), now.hash.text(), Class::Breaks);
  out.add_if_changed(now.name, "sort key", text_of(old.range), text_of(now.range), Class::Breaks);
  diff_fields(out, now.name, old.fields, now.fields);
  diff_entries(out, old, now);
  if (old.closed != now.closed) {
    out.add(now.closed ? Class::Breaks : Class::Change, now.name,
            now.closed ? "refuses undeclared attributes" : "accepts undeclared attributes");
  }
  diff_rules(out, old, now);
  const auto cascade_text = [](const Entity& entity) {
    return joined(entity.on_delete, [](const design::Cascade& one) {
      constexpr std::string_view kActions[] = {"", "restricted: ", "detached: "};
      return std::string(kActions[static_cast<std::size_t>(one.action)]) + one.entity.text + " by " +
             one.pattern.text;
    });
  };
  out.add_if_changed(now.name, "on_delete", cascade_text(old), cascade_text(now));
  out.each(old.lifecycles, now.lifecycles, now.name + ".", Class::Backfill,
           [&](const design::Lifecycle& was, const design::Lifecycle& is) {
             diff_lifecycle(out, now.name + "." + is.name, was, is);
           });
}

}  // namespace

void diff_entities(Differences& out, const Design& before, const Design& after) {
  out.each(before.entities, after.entities, "", Class::Change,
           [&](const Entity& old, const Entity& now) { diff_entity(out, old, now); });
}

}  // namespace tavola::workshop
