#include "design/rules/field_rules.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "design/items/entity_rules.h"
#include "design/model/arguments.h"
#include "design/model/dependencies.h"
#include "design/model/field_value.h"
#include "design/model/plain_json.h"
#include "design/model/refusal.h"
#include "design/model/secrets.h"

namespace tavola::design {
namespace {

// Brings a value into the form that the design stores (DE is COUNTRY#DE), or returns why that is not possible.
std::optional<std::string> why_not_given(const Attribute& field, Value& value) {
  Result<Value> accepted = from_plain(field, value);
  if (accepted) {
    value = *std::move(accepted);
    return std::nullopt;
  }
  if (auto why = why_not(field, value)) return why;
  return accepted.error().message();
}

// Checks the fields that the client gave, and brings them into the form that the design stores.
Result<void> accept_given(EntityChange& change) {
  for (const Attribute& field : change.entity.fields) {
    const Value* const old = change.old_value(field.name);
    const auto given = change.fields.find(field.name);
    const bool is_given = given != change.fields.end();
    const bool stays = field.automatic == Attribute::Auto::Create && !is_given;
    if (field.immutable && old != nullptr && change.is_changed(field.name) && !stays) {
      return fail(change.refusal(field, "may not change" + was(field, *old)));
    }
    if (!is_given || field.is_computed()) continue;
    if (const auto why = why_not_given(field, given->second)) return fail(change.refusal(field, *why));
  }
  return {};
}

// Returns whether anything changed besides the fields that the design computes.
bool says_something(const EntityChange& change) {
  const auto counts = [&](const std::string& name) {
    const Attribute* const field = change.entity.find_field(name);
    return (field == nullptr || !field->is_computed()) && change.is_changed(name);
  };
  return std::ranges::any_of(change.fields, counts, &Item::value_type::first) ||
         std::ranges::any_of(*change.old_fields, counts, &Item::value_type::first);
}

// Refuses an update that removes an automatic time. A put that leaves one out keeps it.
Result<void> check_kept_moments(const EntityChange& change) {
  if (change.asked == nullptr) return {};
  for (const Attribute& field : change.entity.fields) {
    const bool is_removed = field.automatic != Attribute::Auto::No &&
                            change.old_value(field.name) != nullptr &&
                            find_value(change.fields, field.name) == nullptr;
    if (!is_removed) continue;
    return fail(with_detail(change.refusal(field, "is set automatically and cannot be removed"),
                            std::make_shared<Violation>(kComputed, field.name)));
  }
  return {};
}

// Returns the automatic times that stay as they are: those that the client sent anew, and those that this change does not set, which
// get their old values.
FieldNames settle_moments(EntityChange& change, Occasion occasion) {
  const bool is_silent = !change.is_new() && !says_something(change);
  FieldNames settled;
  for (const Attribute& field : change.entity.fields) {
    if (field.automatic == Attribute::Auto::No) continue;
    const Value* const old = change.old_value(field.name);
    const bool is_sent = change.is_sent(field.name);
    const bool is_past =
        (field.automatic == Attribute::Auto::Create && old != nullptr) ||
        (field.automatic == Attribute::Auto::Transition && occasion != Occasion::Transition) ||
        (field.automatic == Attribute::Auto::Update && is_silent);
    if (!is_sent && is_past && old != nullptr) change.fields[field.name] = *old;
    if (is_sent || (is_past && old != nullptr)) settled.insert(field.name);
  }
  return settled;
}

std::string computed_message(const Value* computed, const Value& sent) {
  return "is computed: it is " + (computed == nullptr ? "absent" : to_plain_json(*computed)) + " (was " +
         to_plain_json(sent) + "); leave it out";
}

Error wrong_value(const EntityChange& change, const Attribute& field, const Value* computed,
                  const Value& sent) {
  const std::string message =
      holds_secret(field) ? "is computed; leave it out" : computed_message(computed, sent);
  return with_detail(change.refusal(field, message), std::make_shared<Violation>(kComputed, field.name));
}

// Checks that computed fields that the client sent have the computed values.
Result<void> check_sent(const EntityChange& change, const Item& sent) {
  for (const Attribute& field : change.entity.fields) {
    if (!field.value && !field.derive) continue;
    const Value* const value = find_value(sent, field.name);
    if (value == nullptr || same(value, change.old_value(field.name))) continue;
    const Value* const computed = find_value(change.fields, field.name);
    if (!same(value, computed)) return fail(wrong_value(change, field, computed, *value));
  }
  return {};
}

Result<void> check_index_key(const EntityChange& change, const std::string& attribute,
                             const KeySource& source, const Item& final_item) {
  const Value* const sent = find_value(change.after, attribute);
  const Value* const computed = find_value(final_item, attribute);
  if (!source.from || sent == nullptr || same(sent, computed)) return {};
  if (same(sent, find_value(change.before, attribute))) return {};
  return fail(change.refusal(
      change.entity.name + ": the key " + attribute + " " + computed_message(computed, *sent), source.at));
}

}  // namespace

Result<void> check_declared(const EntityChange& change) {
  if (!change.entity.closed) return {};
  for (const auto& [name, value] : change.after) {
    if (is_declared(change.design, change.entity, name) || same(find_value(change.before, name), &value))
      continue;
    return fail(with_detail(change.refusal(undeclared_text(change.entity, name), change.entity.at),
                            std::make_shared<Violation>(kUndeclared, name)));
  }
  return {};
}

void drop_removed_fields(EntityChange& change) {
  if (change.is_new()) return;
  const std::vector<std::string> in_key = change.entity.key_fields();
  for (const Attribute& field : change.entity.fields) {
    const bool removed = field.stored && find_value(change.before, field.name) != nullptr &&
                         find_value(change.after, field.name) == nullptr;
    if (removed && std::ranges::find(in_key, field.name) == in_key.end()) change.fields.erase(field.name);
  }
}

Result<void> drop_ended_fields(EntityChange& change) {
  for (const Attribute& field : change.entity.fields) {
    if (!field.when || change.is_changed(field.name)) continue;
    TAVOLA_TRY(const bool holds, field.when->holds(change.ambient.with({.fields = &change.fields})));
    if (!holds) change.fields.erase(field.name);
  }
  return {};
}

Result<void> complete_fields(EntityChange& change, Occasion occasion) {
  const Item sent = change.fields;
  TAVOLA_CHECK(accept_given(change));
  TAVOLA_CHECK(check_kept_moments(change));
  const FieldNames settled = settle_moments(change, occasion);
  Result<Item> whole = complete(change.entity, std::move(change.fields), occasion, change.ambient, settled);
  if (!whole) {
    return fail(change.refusal(change.entity.name + ": " + whole.error().message(), change.entity.at));
  }
  change.fields = *std::move(whole);
  return check_sent(change, sent);
}

Result<void> check_index_keys(const EntityChange& change, const Item& final_item) {
  for (const IndexEntry& entry : change.entity.indexes) {
    const Index& index = *change.design.find_index(entry.index);
    TAVOLA_CHECK(check_index_key(change, index.hash.name, entry.hash, final_item));
    if (index.range && entry.range)
      TAVOLA_CHECK(check_index_key(change, index.range->name, *entry.range, final_item));
  }
  return {};
}

}  // namespace tavola::design
