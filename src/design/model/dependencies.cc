#include "design/model/dependencies.h"

#include <algorithm>

#include "design/model/vocabulary.h"

namespace tavola::design {
namespace {

void add(FieldNames& into, const FieldNames& more) { into.insert(more.begin(), more.end()); }

void add(FieldNames& into, const Template& of) {
  for (const std::string& field : of.fields()) into.insert(field);
}

void add(FieldNames& into, const std::optional<Rule>& rule) {
  if (rule) add(into, fields_read(*rule));
}

void add(FieldNames& into, const std::vector<Assignment>& assignments) {
  for (const Assignment& assignment : assignments) add(into, fields_read(assignment.value));
}

// Returns the fields of the key of a lifecycle's state; of all its states if the state is not known.
FieldNames fields_of_state(const Entity& entity, const std::string& lifecycle, const Item& known) {
  FieldNames fields{lifecycle};
  const Lifecycle* found = entity.find_lifecycle(lifecycle);
  if (found == nullptr) return fields;
  const auto state = known.find(lifecycle);
  for (const State& each : found->states) {
    const bool may_be = state == known.end() || state->second == Value(each.name);
    if (may_be && each.key) add(fields, *each.key);
  }
  return fields;
}

FieldNames fields_of(const Entity& entity, const KeySource& source, const Item& known) {
  if (!source.from) return fields_of_state(entity, source.lifecycle, known);
  FieldNames fields;
  add(fields, *source.from);
  return fields;
}

// An entry's two keys exist together or not at all; but the key of a state always exists.
void add_index_keys(const Design& design, const Entity& entity, const Item& known,
                    std::vector<Derived>& out) {
  for (const IndexEntry& entry : entity.indexes) {
    const Index* index = design.find_index(entry.index);
    if (index == nullptr) continue;
    FieldNames hash = fields_of(entity, entry.hash, known);
    add(hash, entry.when);
    if (!entry.range) {
      out.push_back({Derived::Kind::KeyAttribute, index->hash.name, std::move(hash)});
      continue;
    }
    FieldNames range = fields_of(entity, *entry.range, known);
    if (entry.range->from) {
      add(hash, range);
      range = hash;
    }
    out.push_back({Derived::Kind::KeyAttribute, index->hash.name, std::move(hash)});
    if (index->range) out.push_back({Derived::Kind::KeyAttribute, index->range->name, std::move(range)});
  }
}

void add_copies(const Design& design, const Entity& entity, std::vector<Derived>& out) {
  for (const Copy& copy : design.copies) {
    if (copy.from.text != entity.name || copy.kind == Copy::Kind::Snapshot) continue;
    Derived derived{Derived::Kind::Copy, copy.name, {}};
    add(derived.from, copy.key);
    add(derived.from, copy.carry);
    add(derived.from, copy.sum);
    add(derived.from, copy.when);
    if (!copy.each.empty()) derived.from.insert(copy.each);
    derived.from.erase(copy.element);
    out.push_back(std::move(derived));
  }
}

// Adds the fields of the changed item that a rule of a consequence reads. Returns false if it reads the whole item.
bool add_read(const Consequence& consequence, const Rule& rule, FieldNames& into) {
  bool reads_parts = true;
  for (const std::vector<std::string>& path : rule.paths()) {
    const std::string& first = path.front();
    const bool is_image = first == kBeforeName || first == kAfterName;
    if (is_image && path.size() == 1) {
      reads_parts = false;
    } else if (is_image) {
      into.insert(path[1]);
    } else if (first != kChangeName &&
               std::ranges::find(consequence.reads, first, &ReadFirst::name) == consequence.reads.end()) {
      into.insert(first);
    }
  }
  return reads_parts;
}

void add_consequences(const Design& design, const Entity& entity, std::vector<Derived>& out) {
  for (const Consequence& consequence : design.consequences) {
    if (is_of(consequence, entity))
      out.push_back({Derived::Kind::Consequence, consequence.name, fields_read(consequence, entity)});
  }
}

}  // namespace

FieldNames deciding_fields(const Consequence& consequence) {
  FieldNames fields;
  if (!consequence.when || !add_read(consequence, *consequence.when, fields)) return {};
  return fields;
}

FieldNames fields_read(const Consequence& consequence, const Entity& entity) {
  FieldNames fields;
  bool reads_parts = !deciding_fields(consequence).empty();
  const auto look = [&](const Rule& rule) {
    reads_parts = add_read(consequence, rule, fields) && reads_parts;
  };
  if (consequence.when) look(*consequence.when);
  for (const Assignment& one : consequence.set) look(one.value);
  for (const ReadFirst& read : consequence.reads) {
    for (const Assignment& one : read.key) look(one.value);
  }
  if (reads_parts) return fields;
  for (const std::string& name : field_names(entity)) fields.insert(name);
  return fields;
}

bool is_of(const Consequence& consequence, const Entity& entity) {
  return std::ranges::find(consequence.of, entity.name, &Word::text) != consequence.of.end();
}

bool decides_by_reads(const Consequence& consequence) {
  return consequence.when && std::ranges::any_of(consequence.when->paths(), [&](const auto& path) {
           return std::ranges::find(consequence.reads, path.front(), &ReadFirst::name) !=
                  consequence.reads.end();
         });
}

bool uses_whole_image(const Rule& rule) {
  return std::ranges::any_of(rule.paths(), [](const auto& path) {
    return path.size() == 1 && (path.front() == kBeforeName || path.front() == kAfterName);
  });
}

FieldNames fields_read(const Rule& rule) {
  FieldNames fields;
  for (const std::vector<std::string>& path : rule.paths()) fields.insert(path.front());
  return fields;
}

std::vector<Derived> derived_of(const Design& design, const Entity& entity, const Item& known) {
  std::vector<Derived> all;
  for (const Attribute& field : entity.fields) {
    if (field.value || field.derive) {
      Derived derived{Derived::Kind::Field, field.name, {}};
      if (field.value) add(derived.from, *field.value);
      add(derived.from, field.derive);
      all.push_back(std::move(derived));
    }
    if (field.when) all.push_back({Derived::Kind::Presence, field.name, fields_read(*field.when)});
    if (field.unique) {
      Derived derived{Derived::Kind::Unique, field.name, {field.name}};
      derived.from.insert(field.unique->within.begin(), field.unique->within.end());
      all.push_back(std::move(derived));
    }
  }
  for (const EntityRule& rule : entity.rules)
    all.push_back({Derived::Kind::Rule, rule.name, fields_read(rule.that)});
  add_index_keys(design, entity, known, all);
  add_copies(design, entity, all);
  add_consequences(design, entity, all);
  return all;
}

std::vector<Derived> affected_by(const FieldNames& changed, std::vector<Derived> derived) {
  FieldNames all_changed = changed;
  std::vector<Derived> affected;
  const auto is_affected = [&all_changed](const Derived& one) {
    return std::ranges::any_of(one.from,
                               [&](const std::string& field) { return all_changed.contains(field); });
  };
  // Computed fields may affect further computed fields: repeats until nothing new is found.
  for (bool found = true; found;) {
    found = false;
    for (auto one = derived.begin(); one != derived.end(); ++one) {
      if (one->kind != Derived::Kind::Field || !is_affected(*one)) continue;
      all_changed.insert(one->name);
      affected.push_back(std::move(*one));
      derived.erase(one);
      found = true;
      break;
    }
  }
  for (Derived& one : derived) {
    if (one.kind != Derived::Kind::Field && is_affected(one)) affected.push_back(std::move(one));
  }
  return affected;
}

}  // namespace tavola::design
