#include <algorithm>

#include "design/language/language.h"
#include "design/language/reading.h"
#include "design/model/field_value.h"

namespace tavola::design {
namespace {

using yaml::Node;

constexpr std::string_view kLifecycleOpens = "lifecycle(";

KeySource read_key_source(const Node& node, Problems& problems) {
  KeySource source;
  source.at = node.span;
  const std::string_view text = node.text;
  if (text.starts_with(kLifecycleOpens) && text.ends_with(')')) {
    source.lifecycle = text.substr(kLifecycleOpens.size(), text.size() - kLifecycleOpens.size() - 1);
  } else {
    source.from = read_template(node, problems);
  }
  return source;
}

IndexEntry read_entry(const yaml::Entry& entry, const Vocabulary& names, Problems& problems) {
  const Node& node = entry.value;
  IndexEntry read;
  read.index = entry.key.text;
  read.at = entry.key.span;
  if (const Node* hash = node.find("hash")) read.hash = read_key_source(*hash, problems);
  if (const Node* range = node.find("range")) read.range = read_key_source(*range, problems);
  if (const Node* when = node.find("when"))
    read.when = read_rule(*when, Rule::Form::Condition, names, problems);
  return read;
}

// Reads the templates of the table's keys; validate_keys.cc reports others.
void read_keys(const Node& node, const Table& table, Entity& entity, Problems& problems) {
  const Node* key = node.find("key");
  if (key == nullptr) return;
  entity.hash_at = entity.range_at = key->span;
  for (const auto& [name, said] : key->entries) {
    const bool is_hash = name.text == table.hash.name;
    const bool is_range = table.range && name.text == table.range->name;
    if (!is_hash && !is_range) {
      problems.error("unknown-key-attribute", name.span, "`" + name.text + "` is not a key of the table",
                     "The keys are `" + table.hash.name + "`" +
                         (table.range ? " and `" + table.range->name + "`." : "."));
      continue;
    }
    (is_hash ? entity.hash_at : entity.range_at) = said.span;
    std::optional<Template> read = read_template(said, problems);
    if (is_range) {
      entity.range = read.value_or(Template());
    } else if (read) {
      entity.hash = *std::move(read);
    }
  }
  const auto require = [&](const std::string& name) {
    if (key->find(name) != nullptr) return;
    problems.error("missing-key-template", entity.at,
                   "`" + entity.name + "` has no template for the key `" + name + "`",
                   "Add `" + name + "` to its `key`.");
  };
  require(table.hash.name);
  if (table.range) require(table.range->name);
}

void read_fields(const Node& node, std::string_view section, bool stored, Entity& entity,
                 Problems& problems) {
  for (const yaml::Entry& entry : entries_at(node, section)) {
    if (entity.find_field(entry.key.text) != nullptr) {
      problems.error("duplicate-name", entry.key.span,
                     "`" + entry.key.text + "` is an id and an attribute of `" + entity.name + "`",
                     "Declare it once: under `ids` if only the keys hold it, under `attributes` otherwise.");
      continue;
    }
    entity.fields.push_back(read_attribute(entry, problems));
    entity.fields.back().stored = stored;
  }
}

void read_entity_rule(const yaml::Entry& entry, const Vocabulary& names, Entity& entity, Problems& problems) {
  const Node* const that = entry.value.is_scalar() ? &entry.value : entry.value.find("that");
  std::optional<Rule> read =
      that == nullptr ? std::nullopt : read_rule(*that, Rule::Form::Condition, names, problems);
  if (!read) return;
  entity.rules.push_back({.name = entry.key.text,
                          .that = *std::move(read),
                          .message = text_at(entry.value, "message"),
                          .notes = read_notes(entry.value),
                          .at = entry.key.span});
}

void read_rules(const Node& node, Entity& entity, Problems& problems) {
  const Vocabulary names(&entity);
  for (const std::string_view section : {"ids", "attributes"}) {
    if (const Node* attributes = node.find(section))
      read_attribute_rules(*attributes, entity.fields, names, problems);
  }
  for (const yaml::Entry& entry : entries_at(node, "index"))
    entity.indexes.push_back(read_entry(entry, names, problems));
  for (const auto& [key, lifecycle] : entries_at(node, "lifecycles")) {
    const auto read = std::ranges::find(entity.lifecycles, key.text, &Lifecycle::name);
    read_transition_rules(lifecycle, *read, names, problems);
  }
  for (const yaml::Entry& entry : entries_at(node, "rules")) read_entity_rule(entry, names, entity, problems);
}

}  // namespace

Lifecycle read_lifecycle(const yaml::Entry& entry, Problems& problems) {
  const Node& node = entry.value;
  Lifecycle lifecycle;
  lifecycle.name = entry.key.text;
  lifecycle.at = entry.key.span;
  if (const Node* in = node.find("in")) {
    lifecycle.in_at = in->span;
    const std::optional<Pair> place = split(*in, ".");
    if (place && place->second.text == "range") {
      lifecycle.index = place->first.text;
    } else {
      lifecycle.attribute = in->text;
    }
  }
  for (const auto& [key, said] : entries_at(node, "states")) {
    State& state = lifecycle.states.emplace_back();
    state.name = key.text;
    state.at = key.span;
    if (const Node* of_state = said.find("key")) state.key = read_template(*of_state, problems);
    state.initial = flag_at(said, "initial");
    state.terminal = flag_at(said, "terminal");
    state.again = flag_at(said, "again");
    state.stuck_after = parse_duration(text_at(said, "stuck_after"));
    state.notes = read_notes(said);
  }
  lifecycle.guarantees = texts_at(node, "guarantees");
  lifecycle.notes = read_notes(node);
  return lifecycle;
}

void read_transition_rules(const Node& lifecycle, Lifecycle& read, const Vocabulary& names,
                           Problems& problems) {
  for (const auto& [key, node] : entries_at(lifecycle, "transitions")) {
    Transition& transition = read.transitions.emplace_back();
    transition.name = key.text;
    transition.at = key.span;
    transition.from = words_at(node, "from");
    transition.to = word_at(node, "to");
    transition.set = read_assignments(node, "set", names, problems);
    transition.require = words_at(node, "require");
    transition.idempotent_by = text_at(node, "idempotent_by");
    transition.on_conflict = text_at(node, "on_conflict");
    transition.notes = read_notes(node);
  }
}

Example read_example(const Node& node, const Entity& entity) {
  Example example;
  example.at = node.span;
  for (const auto& [key, said] : node.entries) {
    if (key.text == "$state") {
      for (const auto& [lifecycle, state] : said.entries) example.states.emplace(lifecycle.text, state.text);
    } else if (key.text == "$index") {
      example.index_keys = plain_value(said).map();
    } else {
      Value plain = plain_value(said);
      const Attribute* field = entity.find_field(key.text);
      // A value that the field refuses stays as written; validate_examples.cc reports it.
      Result<Value> value = field == nullptr ? Result<Value>(plain) : from_plain(*field, plain);
      example.item.emplace(key.text, value ? *std::move(value) : std::move(plain));
    }
  }
  return example;
}

// Fields in keys may not contain '#', unless the field is `raw` or a template writes it.
void mark_key_fields(Entity& entity) {
  const auto mark = [&entity](const Template& key) {
    for (const std::string& name : key.fields()) {
      const auto field = std::ranges::find(entity.fields, name, &Attribute::name);
      if (field != entity.fields.end()) field->in_key = !field->raw && !field->format && !field->value;
    }
  };
  mark(entity.hash);
  if (entity.range) mark(*entity.range);
  for (const IndexEntry& entry : entity.indexes) {
    if (entry.hash.from) mark(*entry.hash.from);
    if (entry.range && entry.range->from) mark(*entry.range->from);
  }
  for (const Lifecycle& lifecycle : entity.lifecycles) {
    for (const State& state : lifecycle.states) {
      if (state.key) mark(*state.key);
    }
  }
}

void read_entities(const Node& root, Design& design, Problems& problems) {
  for (const auto& [key, node] : entries_at(root, "entities")) {
    Entity& entity = design.entities.emplace_back();
    entity.name = key.text;
    entity.at = key.span;
    entity.stage = text_at(node, "stage");
    entity.closed = flag_at(node, "closed");
    entity.notes = read_notes(node);
    read_keys(node, design.table, entity, problems);
    read_fields(node, "ids", false, entity, problems);
    read_fields(node, "attributes", true, entity, problems);
    for (const yaml::Entry& entry : entries_at(node, "lifecycles"))
      entity.lifecycles.push_back(read_lifecycle(entry, problems));
    read_rules(node, entity, problems);
    mark_key_fields(entity);
    const Node* examples = node.find("examples");
    if (examples == nullptr) continue;
    for (const Node& example : examples->items) entity.examples.push_back(read_example(example, entity));
  }
}

}  // namespace tavola::design
