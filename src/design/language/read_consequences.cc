#include <algorithm>

#include "design/language/reading.h"

namespace tavola::design {
namespace {

using yaml::Node;

void read_changes(const Node& node, Consequence& consequence) {
  const std::vector<std::string> said = texts_at(node, "on");
  if (said.empty()) return;
  const auto has = [&said](std::string_view kind) { return std::ranges::find(said, kind) != said.end(); };
  consequence.on_create = has("create");
  consequence.on_update = has("update");
  consequence.on_delete = has("delete");
}

bool is_generated(const Entity& entity, std::string_view field) {
  return entity.find_field(field)->generate != Attribute::Generate::No;
}

// Completes the key of an item: missing key fields are the fields of the same name.
void add_same_names(const Entity& entity, const Vocabulary& names, const Span& at,
                    std::vector<Assignment>& key) {
  for (const std::string& field : entity.key_fields()) {
    const Attribute* const attribute = entity.find_field(field);
    if (attribute == nullptr || attribute->is_computed() || assigns(key, field) || !names.is_name(field))
      continue;
    if (auto assignment = implied(field, field, names, at)) key.push_back(*std::move(assignment));
  }
}

// The keys of the items that are read depend on the changed item alone.
void read_related(const Node& node, const Design& design, Consequence& consequence, Problems& problems) {
  const Vocabulary names = names_in(design, consequence);
  std::vector<ReadFirst> reads;
  for (const yaml::Entry& entry : entries_at(node, "read")) {
    ReadFirst& read = reads.emplace_back();
    read.name = entry.key.text;
    read.at = entry.key.span;
    read.entity = word_at(entry.value, "get");
    read.required = false;
    read.key = read_assignments(entry.value, "key", names, problems);
    if (const Entity* const entity = design.find_entity(read.entity.text))
      add_same_names(*entity, names, read.at, read.key);
  }
  consequence.reads = std::move(reads);
}

Consequence read_consequence(const yaml::Entry& entry, const Design& design, Problems& problems) {
  const Node& node = entry.value;
  Consequence consequence;
  consequence.name = entry.key.text;
  consequence.at = entry.key.span;
  consequence.of = words_at(node, "of");
  consequence.notes = read_notes(node);
  read_changes(node, consequence);
  read_related(node, design, consequence, problems);
  const Node* const then = node.find("then");
  consequence.entity = word_at(*then, "put");
  const Vocabulary names = names_in(design, consequence);
  if (names.entity() == nullptr) return consequence;  // validate_consequences.cc reports it
  if (const Node* const when = node.find("when"))
    consequence.when = read_rule(*when, Rule::Form::Condition, names, problems);
  consequence.set = read_assignments(*then, "set", names, problems);
  const Entity* const made = design.find_entity(consequence.entity.text);
  if (made == nullptr) return consequence;
  const std::size_t said = consequence.set.size();
  add_same_names(*made, names, consequence.at, consequence.set);
  // A new item gets an id of its own.
  const auto implied_id = [&](const Assignment& one) { return is_generated(*made, one.field); };
  const auto first = consequence.set.begin() + static_cast<std::ptrdiff_t>(said);
  consequence.set.erase(std::remove_if(first, consequence.set.end(), implied_id), consequence.set.end());
  return consequence;
}

}  // namespace

void read_consequences(const Node& root, Design& design, Problems& problems) {
  for (const yaml::Entry& entry : entries_at(root, "consequences"))
    design.consequences.push_back(read_consequence(entry, design, problems));
}

}  // namespace tavola::design
