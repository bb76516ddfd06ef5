// The sections about running a design: roles, capacity, policy and revisions.
#include <algorithm>

#include "design/language/language.h"
#include "design/language/reading.h"
#include "design/roles/groups.h"

namespace tavola::design {
namespace {

using yaml::Node;

std::vector<std::pair<Word, Number>> read_numbers(const Node& map, std::string_view key) {
  std::vector<std::pair<Word, Number>> numbers;
  for (const auto& [name, number] : entries_at(map, key))
    numbers.emplace_back(word_of(name), Number::parse(number.text).value_or(Number()));
  return numbers;
}

Revision read_revision(const Node& node) {
  Revision revision{.from = text_at(node, "from"), .to = text_at(node, "to"), .changes = {}, .at = node.span};
  const Node* changes = node.find("changes");
  if (changes == nullptr) return revision;
  for (const Node& change : changes->items) {
    if (!change.entries.empty())
      revision.changes.push_back({.kind = change.entries.front().key.text, .said = change});
  }
  return revision;
}

// Restricts the field with a group's permissions, and the parameters written into it, to names of the design.
void name_permissions(Design& design) {
  if (!design.groups) return;
  const Groups::Source& source = design.groups->permissions;
  const Pattern* const pattern = design.find_pattern(source.pattern.text);
  if (pattern == nullptr) return;
  const auto entity = std::ranges::find(design.entities, pattern->entity.text, &Entity::name);
  if (entity == design.entities.end()) return;
  const auto field = std::ranges::find(entity->fields, source.field.text, &Attribute::name);
  if (field == entity->fields.end()) return;
  field->permits = all_permissions(design);
  for (Operation& operation : design.operations) {
    for (Parameter& parameter : operation.parameters) {
      if (parameter.form.at == field->at) parameter.form.permits = field->permits;
    }
  }
}

}  // namespace

void read_roles(const Node& root, Design& design) {
  for (const auto& [key, node] : entries_at(root, "roles")) {
    Role& role = design.roles.emplace_back();
    role.name = key.text;
    role.is = text_at(node, "is");
    role.extends = text_at(node, "extends");
    role.extends_at = word_at(node, "extends").at;
    role.read = words_at(node, "read");
    role.write = words_at(node, "write");
    role.run = words_at(node, "run");
    role.own = text_at(node, "own");
    role.own_at = word_at(node, "own").at;
    role.may_import = flag_at(node, "import");
    role.notes = read_notes(node);
    role.at = key.span;
  }
}

void read_groups(const Node& root, Design& design) {
  const Node* const node = root.find("groups");
  if (node == nullptr) return;
  const auto source_at = [node](std::string_view key) -> Groups::Source {
    const Node* const said = node->find(key);
    if (said == nullptr) return {};
    if (auto pair = split(*said, ".")) return {std::move(pair->first), std::move(pair->second)};
    return {word_of(*said), {.text = {}, .at = said->span}};
  };
  design.groups = Groups{source_at("member_of"), source_at("permissions"), words_at(*node, "for_others")};
  name_permissions(design);
}

void read_capacity(const Node& root, Design& design) {
  for (const auto& [key, node] : entries_at(root, "capacity")) {
    CapacitySize& size = design.capacity.emplace_back();
    size.name = key.text;
    size.items = read_numbers(node, "items");
    size.daily = read_numbers(node, "daily");
    size.mode = text_at(node, "mode");
    for (const std::string_view words : {"products", "daily_transactions"}) {
      if (const Node* said = node.find(words)) size.words.emplace_back(words, said->text);
    }
    size.notes = read_notes(node);
    size.at = key.span;
  }
}

void read_policy(const Node& root, Design& design) {
  const Node* node = root.find("policy");
  if (node == nullptr) return;
  Policy& policy = design.policy;
  policy.at = node->span;
  if (const Node* indexes = node->find("indexes")) {
    policy.indexes_max = count_at(*indexes, "max");
    policy.indexes_unless = text_at(*indexes, "unless");
    policy.at = indexes->span;
  }
  if (const Node* tables = node->find("tables")) policy.tables_max = count_at(*tables, "max");
  policy.authentication = text_at(*node, "authentication");
  policy.guidance = texts_at(*node, "guidance");
}

void read_revisions(const Node& root, Design& design) {
  const Node* revisions = root.find("revisions");
  if (revisions == nullptr) return;
  for (const Node& revision : revisions->items) design.revisions.push_back(read_revision(revision));
}

}  // namespace tavola::design
