#include <algorithm>

#include "design/language/reading.h"

namespace tavola::design {
namespace {

using yaml::Node;

KeyAttribute read_key_attribute(const Node& node) {
  if (node.is_scalar()) return {.name = node.text, .type = Type::String, .at = node.span};
  const Word name = word_at(node, "name");
  const std::string type = text_at(node, "type");
  return {.name = name.text,
          .type = type == "number"   ? Type::Number
                  : type == "binary" ? Type::Binary
                                     : Type::String,
          .at = name.at};
}

IndexProjection read_projection(const Node& index) {
  const Node* node = index.find("project");
  if (node == nullptr || node->text == "all") return {};
  if (node->is_scalar()) return {.type = ProjectionType::KeysOnly, .attributes = {}};
  return {.type = ProjectionType::Include, .attributes = texts_at(index, "project")};
}

Table::IndexKeys read_index_keys(const std::string& word) {
  if (word == "dedicated") return Table::IndexKeys::Dedicated;
  return word == "shared" ? Table::IndexKeys::Shared : Table::IndexKeys::Unsaid;
}

// A key that is a field has the type of the field, unless its type is given.
void infer_type(const Node* said, const Design& design, KeyAttribute& key) {
  if (said == nullptr || said->find("type") != nullptr) return;
  for (const Entity& entity : design.entities) {
    const Attribute* field = entity.find_field(key.name);
    if (field == nullptr || !field->stored) continue;
    const std::optional<Type> type = stored_type(field->type);
    if (type == Type::Number || type == Type::Binary) key.type = *type;
    return;
  }
}

}  // namespace

void infer_key_types(const Node& root, Design& design) {
  for (const auto& [key, node] : entries_at(root, "indexes")) {
    Index& index = *std::ranges::find(design.indexes, key.text, &Index::name);
    infer_type(node.find("hash"), design, index.hash);
    if (index.range) infer_type(node.find("range"), design, *index.range);
  }
}

void read_table(const Node& root, Design& design) {
  const Node* node = root.find("table");
  if (node == nullptr) return;
  Table& table = design.table;
  table.name = text_at(*node, "name");
  table.name_env = text_at(*node, "name_env");
  table.name_var = text_at(*node, "name_var");
  if (const Node* hash = node->find("hash")) table.hash = read_key_attribute(*hash);
  if (const Node* range = node->find("range")) table.range = read_key_attribute(*range);
  table.billing =
      text_at(*node, "billing") == "PROVISIONED" ? BillingMode::Provisioned : BillingMode::PayPerRequest;
  table.entity_attribute = text_at(*node, "entity_attribute");
  table.index_keys = read_index_keys(text_at(*node, "index_keys"));
  table.ttl = text_at(*node, "ttl");
  table.notes = read_notes(*node);
  table.at = node->span;
  table.name_at = word_at(*node, "name").at;
}

void read_indexes(const Node& root, Design& design) {
  for (const auto& [key, node] : entries_at(root, "indexes")) {
    Index& index = design.indexes.emplace_back();
    index.name = key.text;
    if (const Node* hash = node.find("hash")) index.hash = read_key_attribute(*hash);
    if (const Node* range = node.find("range")) index.range = read_key_attribute(*range);
    index.projection = read_projection(node);
    index.local = flag_at(node, "local");
    index.notes = read_notes(node);
    index.at = key.span;
  }
}

}  // namespace tavola::design
