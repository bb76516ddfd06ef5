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

}  // namespace

void diff_limits(Differences& out, const std::string& part, const Attribute& old, const Attribute& now) {
  diff_values(out, part, old, now);
  diff_bounds(out, part, old, now);
}

namespace {

// ---- Fields ----

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

std::string_view automatic_name(Attribute::Auto automatic) {
  constexpr std::string_view kNames[] = {"", "create", "update", "transition"};
  return kNames[static_cast<std::size_t>(automatic)];
}

std::string_view generated_name(Attribute::Generate generate) {
  constexpr std::string_view kNames[] = {"", "uuid", "ulid"};
  return kNames[static_cast<std::size_t>(generate)];
}

// Compares where values come from that no client gives.
void diff_origin(Differences& out, const std::string& part, const Attribute& old, const Attribute& now) {
  out.add_if_changed(part, "auto", std::string(automatic_name(old.automatic)),
                     std::string(automatic_name(now.automatic)));
  // Clients that left the id out must send one.
  const bool is_given = now.generate == Attribute::Generate::No;
  out.add_if_changed(part, "generate", std::string(generated_name(old.generate)),
                     std::string(generated_name(now.generate)), is_given ? Class::Breaks : Class::Change);
  if (old.raw != now.raw) {
    out.add(now.raw ? Class::Change : Class::Breaks, part, now.raw ? "may hold '#'" : "may not hold '#'");
  }
}

void diff_field(Differences& out, const std::string& part, const Attribute& old, const Attribute& now) {
  out.add_if_changed(part, "type", design::type_text(old.type), design::type_text(now.type),
                     holds_values_of(now.type, old.type) ? Class::Change : Class::Breaks);
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
  } else if (now.unique) {
    out.add_if_changed(part, "unique within", joined(old.unique->within), joined(now.unique->within),
                       Class::Backfill);
    out.add_if_changed(part, "unique otherwise", old.unique->otherwise, now.unique->otherwise, Class::Breaks);
  }
  out.add_if_changed(part, "ref", old.ref, now.ref, now.ref.empty() ? Class::Change : Class::Breaks);
  diff_origin(out, part, old, now);
  diff_limits(out, part, old, now);
  if (old.sensitive != now.sensitive)
    out.add(Class::Change, part, now.sensitive ? "becomes sensitive" : "is no longer sensitive");
  out.add_if_changed(part, "value", text_of(old.value), text_of(now.value), Class::Backfill);
  out.add_if_changed(part, "derive", text_of(old.derive), text_of(now.derive), Class::Backfill);
  out.add_if_changed(part, "only", text_of(old.only), text_of(now.only),
                     now.only ? Class::Breaks : Class::Change);
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

// Returns whether a transition refuses changes that it allowed: from a state, or without a field.
bool is_stricter(const design::Transition& now, const design::Transition& old) {
  const auto lacks = [](const std::vector<design::Word>& words, const design::Word& word) {
    return std::ranges::find(words, word.text, &design::Word::text) == words.end();
  };
  return now.to.text != old.to.text ||
         std::ranges::any_of(old.from, [&](const design::Word& from) { return lacks(now.from, from); }) ||
         std::ranges::any_of(now.require,
                             [&](const design::Word& field) { return lacks(old.require, field); });
}

std::string transition_text(const design::Transition& transition) {
  std::string text = joined(transition.from, &design::Word::text) + " to " + transition.to.text;
  for (const design::Assignment& one : transition.set) text += "; " + one.field + " = " + one.value.text();
  for (const design::Word& word : transition.require) text += "; needs " + word.text;
  return text;
}

std::string seconds_text(const std::optional<std::chrono::milliseconds>& time) {
  return time ? std::to_string(time->count() / 1000) + " s" : "";
}

void diff_lifecycle(Differences& out, const std::string& part, const design::Lifecycle& old,
                    const design::Lifecycle& now) {
  const auto held = [](const design::Lifecycle& of) {
    return of.attribute.empty() ? of.index + ".range" : of.attribute;
  };
  out.add_if_changed(part, "held in", held(old), held(now), Class::Backfill);
  out.each(
      old.states, now.states, part + ".", Class::Change,
      [&](const design::State& was, const design::State& is) {
        out.add_if_changed(part + "." + is.name, "key", text_of(was.key), text_of(is.key), Class::Backfill);
        if (was.initial != is.initial) {
          out.add(Class::Change, part + "." + is.name,
                  is.initial ? "becomes the initial state" : "is no longer the initial state");
        }
        if (was.terminal != is.terminal)
          out.add(Class::Change, part + "." + is.name, is.terminal ? "becomes final" : "is no longer final");
        out.add_if_changed(part + "." + is.name, "stuck after", seconds_text(was.stuck_after),
                           seconds_text(is.stuck_after));
        if (was.again != is.again) {
          out.add(is.again ? Class::Change : Class::Breaks, part + "." + is.name,
                  is.again ? "may be entered again" : "may not be entered again");
        }
      });
  out.each(old.transitions, now.transitions, part + ".", Class::Change,
           [&](const design::Transition& was, const design::Transition& is) {
             out.add_if_changed(part + "." + is.name, "transition", transition_text(was), transition_text(is),
                                is_stricter(is, was) ? Class::Breaks : Class::Change);
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
      out.add_if_changed(now.name + "." + rule.name, "message", was->message, rule.message);
    }
  }
}

// A deletion that was allowed is refused if it is restricted now.
void diff_deletions(Differences& out, const Entity& old, const Entity& now) {
  using Action = design::Cascade::Action;
  const auto cascade_text = [](const design::Cascade& one) {
    constexpr std::string_view kActions[] = {"cascade", "restrict", "detach"};
    return std::string(kActions[static_cast<std::size_t>(one.action)]) + " by " + one.pattern.text;
  };
  const auto same = [](const design::Cascade& one) {
    return [&one](const design::Cascade& other) {
      return other.entity.text == one.entity.text && other.field.text == one.field.text;
    };
  };
  const auto part_of = [&](const design::Cascade& one) {
    return one.field.empty() ? now.name + " of " + one.entity.text : one.entity.text + "." + one.field.text;
  };
  for (const design::Cascade& was : old.on_delete) {
    if (std::ranges::none_of(now.on_delete, same(was)))
      out.add_if_changed(part_of(was), "on_delete", cascade_text(was), "");
  }
  for (const design::Cascade& is : now.on_delete) {
    const auto was = std::ranges::find_if(old.on_delete, same(is));
    const bool is_new = was == old.on_delete.end();
    const bool refuses = is.action == Action::Restrict && (is_new || was->action != Action::Restrict);
    out.add_if_changed(part_of(is), "on_delete", is_new ? "" : cascade_text(*was), cascade_text(is),
                       refuses ? Class::Breaks : Class::Change);
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
  diff_deletions(out, old, now);
  out.each(old.lifecycles, now.lifecycles, now.name + ".", Class::Backfill,
           [&](const design::Lifecycle& was, const design::Lifecycle& is) {
             diff_lifecycle(out, now.name + "." + is.name, was, is);
           });
}

}  // namespace

bool holds_values_of(const design::AttributeType& now, const design::AttributeType& old) {
  using Kind = design::AttributeType::Kind;
  if (now.kind == Kind::Any) return true;
  // More digits than the type has are rounded by the next write.
  if (now.kind == Kind::Number) return old.kind == Kind::Integer || old.kind == Kind::Number;
  const bool is_any_text = now.kind == Kind::String && now.text == design::AttributeType::Text::Any;
  return is_any_text && design::stored_type(old) == Type::String;
}

void diff_entities(Differences& out, const Design& before, const Design& after) {
  out.each(before.entities, after.entities, "", Class::Change,
           [&](const Entity& old, const Entity& now) { diff_entity(out, old, now); });
}

}  // namespace tavola::workshop
