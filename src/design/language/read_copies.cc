#include <algorithm>

#include "design/language/reading.h"

namespace tavola::design {
namespace {

using yaml::Node;

Copy::Kind read_kind(const std::string& word) {
  if (word == "fanout") return Copy::Kind::Fanout;
  if (word == "snapshot") return Copy::Kind::Snapshot;
  return word == "counter" ? Copy::Kind::Counter : Copy::Kind::Mirror;
}

Copy::Mode read_mode(const Node& node, Copy::Kind kind) {
  const std::string word = text_at(node, "mode");
  if (word == "async") return Copy::Mode::Async;
  if (word == "at-create") return Copy::Mode::AtCreate;
  return word.empty() && kind == Copy::Kind::Snapshot ? Copy::Mode::AtCreate : Copy::Mode::Transaction;
}

// [field, …] is short for {field: field, …}.
std::vector<Assignment> read_carry(const Node& node, const Vocabulary& names, Problems& problems) {
  const Node* carry = node.find("carry");
  if (carry == nullptr || carry->kind == yaml::Kind::Map)
    return read_assignments(node, "carry", names, problems);
  std::vector<Assignment> assignments;
  for (const Node& field : carry->items) {
    if (auto rule = read_rule(field, Rule::Form::Value, names, problems))
      assignments.push_back({.field = field.text, .value = *std::move(rule), .at = field.span});
  }
  return assignments;
}

// Completes the key of the target: missing key fields are the fields of the same name.
void add_same_names(Copy& copy, const Entity& target, const Vocabulary& names) {
  for (const std::string& field : target.key_fields()) {
    if (assigns(copy.key, field) || !names.is_name(field)) continue;
    if (auto assignment = implied(field, field, names, copy.at)) copy.key.push_back(*std::move(assignment));
  }
}

void read_each(const Node& node, Copy& copy, Problems& problems) {
  const Node* each = node.find("each");
  if (each == nullptr) return;
  const std::optional<Pair> pair = split(*each, " as ");
  if (!pair) {
    problems.error("copy-form", each->span, "`" + each->text + "` has no name for the list's element",
                   "Write the list and a name: tags as tag.");
    return;
  }
  copy.each = pair->first.text;
  copy.element = pair->second.text;
}

Copy read_copy(const yaml::Entry& entry, const Design& design, Problems& problems) {
  const Node& node = entry.value;
  Copy copy;
  copy.name = entry.key.text;
  copy.at = entry.key.span;
  copy.kind = read_kind(text_at(node, "kind"));
  copy.from = word_at(node, "from");
  copy.to = word_at(node, "to");
  copy.mode = read_mode(node, copy.kind);
  copy.count = text_at(node, "count");
  copy.creates = flag_at(node, "create");
  copy.notes = read_notes(node);
  read_each(node, copy, problems);
  for (const yaml::Entry& said : node.entries) {
    if (said.key.text != "min" && said.key.text != "max") continue;
    problems.error(
        "copy-form", said.key.span,
        "a counter cannot keep the " + std::string(said.key.text == "min" ? "least" : "greatest") + " value",
        "When the item with it is deleted, the next one is not known: use an aggregate pattern, "
        "which computes it.");
  }

  const Entity* from = design.find_entity(copy.from.text);
  const Entity* to = design.find_entity(copy.to.text);
  if (from == nullptr || to == nullptr) return copy;  // validate_copies.cc reports it
  Vocabulary names(from);
  if (!copy.element.empty()) names.add(copy.element, nullptr);
  copy.carry = read_carry(node, names, problems);
  copy.sum = read_assignments(node, "sum", names, problems);
  if (const Node* when = node.find("when"))
    copy.when = read_rule(*when, Rule::Form::Condition, names, problems);
  // A snapshot is taken when `to` is created: there the key identifies an item of `from`.
  const bool is_snapshot = copy.kind == Copy::Kind::Snapshot;
  const Vocabulary of_key = is_snapshot ? Vocabulary(to) : names;
  copy.key = read_assignments(node, "key", of_key, problems);
  add_same_names(copy, is_snapshot ? *from : *to, of_key);
  return copy;
}

// A field in the key of its copy has the restrictions of a key field.
void mark_key_fields(const Copy& copy, Design& design) {
  const Entity* to = design.find_entity(copy.to.text);
  const auto from = std::ranges::find(design.entities, copy.from.text, &Entity::name);
  if (to == nullptr || from == design.entities.end() || copy.kind == Copy::Kind::Snapshot) return;
  for (const Assignment& part : copy.key) {
    const Attribute* target = to->find_field(part.field);
    const auto source = std::ranges::find(from->fields, part.value.text(), &Attribute::name);
    if (target != nullptr && target->in_key && source != from->fields.end()) source->in_key = true;
  }
}

}  // namespace

void read_copies(const Node& root, Design& design, Problems& problems) {
  for (const yaml::Entry& entry : entries_at(root, "copies")) {
    design.copies.push_back(read_copy(entry, design, problems));
    mark_key_fields(design.copies.back(), design);
  }
}

}  // namespace tavola::design
