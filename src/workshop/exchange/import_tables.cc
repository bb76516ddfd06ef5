#include "workshop/exchange/import_tables.h"

#include <algorithm>
#include <array>

#include "workshop/exchange/draft.h"
#include "workshop/exchange/hcl.h"
#include "workshop/exchange/infer.h"
#include "workshop/exchange/json_nodes.h"

namespace tavola::workshop {
namespace {

using yaml::Kind;
using yaml::Node;

Type key_type(std::string_view name) {
  return name == "N" ? Type::Number : name == "B" ? Type::Binary : Type::String;
}

ProjectionType projection_type(std::string_view name) {
  return name == "KEYS_ONLY" ? ProjectionType::KeysOnly
         : name == "INCLUDE" ? ProjectionType::Include
                             : ProjectionType::All;
}

std::vector<std::string> texts_in(const Node& map, std::string_view key) {
  std::vector<std::string> texts;
  for (const Node& item : items_of(map, key)) texts.push_back(item.text);
  return texts;
}

// Returns whether the name is literal, without functions and variables.
bool is_plain_name(std::string_view name) {
  return !name.empty() && std::ranges::all_of(name, [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == '-' || c == '.';
  });
}

Result<Imported> design_of(const TableDescription& table, std::string_view variable,
                           const std::vector<std::string>& left_out) {
  if (table.key_schema.empty() || table.key_schema.front().name.empty()) {
    return fail(Error::validation("table " + table.table_name + " has no partition key"));
  }
  Draft draft = draft_of(table);
  draft.comments = {
      "# Imported from a table definition: the entities, patterns and operations are still to be written."};
  for (const std::string& index : left_out) draft.comments.push_back(left_out_comment(index));
  draft.name_var = variable;
  draft.entities.push_back(unknown_entity(draft));
  return Imported{draft.name, write(draft)};
}

// ---- CloudFormation ----

std::vector<KeySchemaElement> key_schema(const Node& of) {
  std::vector<KeySchemaElement> keys;
  for (const Node& key : items_of(of, "KeySchema")) {
    keys.push_back(
        {text_of(key, "AttributeName"), text_of(key, "KeyType") == "RANGE" ? KeyType::Range : KeyType::Hash});
  }
  return keys;
}

IndexProjection projection_of(const Node& index) {
  const Node* said = index.find("Projection");
  if (said == nullptr) return {};
  return {projection_type(text_of(*said, "ProjectionType")), texts_in(*said, "NonKeyAttributes")};
}

// Returns whether a key of the index has more than one attribute.
bool has_wide_keys(const Node& index) {
  const std::vector<KeySchemaElement> keys = key_schema(index);
  return std::ranges::count(keys, KeyType::Hash, &KeySchemaElement::type) > 1 ||
         std::ranges::count(keys, KeyType::Range, &KeySchemaElement::type) > 1;
}

}  // namespace

TableDescription table_of_request(const Node& said, const std::string& name_if_missing,
                                  std::vector<std::string>& left_out) {
  TableDescription table;
  const std::string name = text_of(said, "TableName");
  table.table_name = is_plain_name(name) ? name : name_if_missing;
  for (const Node& attribute : items_of(said, "AttributeDefinitions")) {
    table.attribute_definitions.push_back(
        {text_of(attribute, "AttributeName"), key_type(text_of(attribute, "AttributeType"))});
  }
  table.key_schema = key_schema(said);
  for (const Node& index : items_of(said, "GlobalSecondaryIndexes")) {
    if (has_wide_keys(index)) {
      left_out.push_back(text_of(index, "IndexName"));
      continue;
    }
    table.global_indexes.push_back(
        {text_of(index, "IndexName"), key_schema(index), projection_of(index), {}});
  }
  for (const Node& index : items_of(said, "LocalSecondaryIndexes")) {
    table.local_indexes.push_back({text_of(index, "IndexName"), key_schema(index), projection_of(index)});
  }
  // CloudFormation's default is provisioned.
  const bool on_demand = text_of(said, "BillingMode") == "PAY_PER_REQUEST";
  table.billing_mode = on_demand ? BillingMode::PayPerRequest : BillingMode::Provisioned;
  if (const Node* ttl = said.find("TimeToLiveSpecification"); ttl != nullptr && is_true(*ttl, "Enabled")) {
    table.time_to_live_attribute = text_of(*ttl, "AttributeName");
  }
  return table;
}

namespace {

// Tags are not strict YAML. Each is overwritten in place, so that problems keep their lines and columns:
//   Name: !Ref Stage          Name: !Sub 'a-${B}'       Names: !Split [a, b]
//   Name: "${Stage}"          Name:      'a-${B}'       Names:        [a, b]
std::string without_tags(std::string_view yaml) {
  std::string text(yaml);
  char quote = '\0';
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote != '\0' || c == '\'' || c == '"') {
      if (c == '\n' || c == quote) {
        quote = '\0';  // texts over several lines are rare, an apostrophe in a plain one is not
      } else if (quote == '\0') {
        quote = c;
      }
      continue;
    }
    if (c == '#' && (i == 0 || text[i - 1] == ' ' || text[i - 1] == '\n')) {
      i = std::min(text.find('\n', i), text.size());
      continue;
    }
    const bool begins = c == '!' && i > 0 && std::string_view(" [,\n").contains(text[i - 1]);
    if (!begins) continue;
    const std::size_t tag_end = std::min(text.find_first_of(" \n\r,]}", i), text.size());
    const std::size_t value = std::min(text.find_first_not_of(' ', tag_end), text.size());
    const bool is_plain = value < text.size() && !std::string_view("\n\r'\"[{|>,]}").contains(text[value]);
    const std::string tag = text.substr(i, tag_end - i);
    std::ranges::fill(text.begin() + static_cast<std::ptrdiff_t>(i),
                      text.begin() + static_cast<std::ptrdiff_t>(tag_end), ' ');
    if (!is_plain) continue;
    std::size_t end = std::min(text.find_first_of("\n\r,]}", value), text.size());
    if (tag == "!Sub") end = std::min(text.find_first_of("\n\r", value), text.size());
    while (end > value && text[end - 1] == ' ') --end;
    const std::string word = text.substr(value, end - value);
    const std::string quoted = tag == "!Sub" ? "\"" + word + "\"" : "\"${" + word + "}\"";
    std::string filled = quoted;
    filled.resize(std::max(filled.size(), end - i), ' ');
    text.replace(i, end - i, filled);
    i += filled.size() - 1;
  }
  return text;
}

// ---- Terraform ----

std::vector<KeySchemaElement> keys_of(const Node& block) {
  std::vector<KeySchemaElement> keys{{text_of(block, "hash_key"), KeyType::Hash}};
  if (const std::string range = text_of(block, "range_key"); !range.empty())
    keys.push_back({range, KeyType::Range});
  return keys;
}

IndexProjection projection_of_block(const Node& block) {
  return {projection_type(text_of(block, "projection_type")), texts_in(block, "non_key_attributes")};
}

TableDescription table_of_block(const HclBlock& block) {
  TableDescription table;
  const std::string name = text_of(block.body, "name");
  table.table_name = is_plain_name(name) && !name.contains("var.") ? name : block.labels.back();
  table.key_schema = keys_of(block.body);
  for (const Node& attribute : items_of(block.body, "attribute")) {
    table.attribute_definitions.push_back({text_of(attribute, "name"), key_type(text_of(attribute, "type"))});
  }
  for (const Node& index : items_of(block.body, "global_secondary_index")) {
    table.global_indexes.push_back({text_of(index, "name"), keys_of(index), projection_of_block(index), {}});
  }
  for (const Node& index : items_of(block.body, "local_secondary_index")) {
    std::vector<KeySchemaElement> keys{{text_of(block.body, "hash_key"), KeyType::Hash},
                                       {text_of(index, "range_key"), KeyType::Range}};
    table.local_indexes.push_back({text_of(index, "name"), std::move(keys), projection_of_block(index)});
  }
  const bool on_demand = text_of(block.body, "billing_mode") == "PAY_PER_REQUEST";
  table.billing_mode = on_demand ? BillingMode::PayPerRequest : BillingMode::Provisioned;
  for (const Node& ttl : items_of(block.body, "ttl")) {
    if (is_true(ttl, "enabled")) table.time_to_live_attribute = text_of(ttl, "attribute_name");
  }
  return table;
}

}  // namespace

Result<std::vector<Imported>> import_cloudformation(std::string_view text) {
  TAVOLA_TRY(const Node root, parse_tree(without_tags(text)));
  std::vector<Imported> designs;
  if (root.find("KeySchema") != nullptr) {
    std::vector<std::string> left_out;
    const TableDescription table = table_of_request(root, "table", left_out);
    TAVOLA_TRY(Imported design, design_of(table, "", left_out));
    designs.push_back(std::move(design));
  }
  if (const Node* resources = root.find("Resources")) {
    for (const yaml::Entry& resource : resources->entries) {
      const std::string type = text_of(resource.value, "Type");
      const Node* properties = resource.value.find("Properties");
      const bool is_table = type == "AWS::DynamoDB::Table" || type == "AWS::DynamoDB::GlobalTable";
      if (!is_table || properties == nullptr) continue;
      std::vector<std::string> left_out;
      const TableDescription table = table_of_request(*properties, resource.key.text, left_out);
      TAVOLA_TRY(Imported design, design_of(table, "", left_out));
      designs.push_back(std::move(design));
    }
  }
  if (designs.empty())
    return fail(Error::validation(
        "no table is defined here: a template has Resources of the type AWS::DynamoDB::Table or "
        "AWS::DynamoDB::GlobalTable (`cdk synth` writes cdk.out/STACK.template.json), and a request of "
        "CreateTable has a KeySchema"));
  return designs;
}

Result<std::vector<Imported>> import_terraform(std::string_view text) {
  TAVOLA_TRY(const std::vector<HclBlock> blocks, parse_hcl(text));
  std::vector<Imported> designs;
  for (const HclBlock& block : blocks) {
    if (block.labels.size() != 3 || block.labels[0] != "resource" || block.labels[1] != "aws_dynamodb_table")
      continue;
    const std::string name = text_of(block.body, "name");
    TAVOLA_TRY(Imported design, design_of(table_of_block(block), name.starts_with("var.") ? name : "", {}));
    designs.push_back(std::move(design));
  }
  if (designs.empty()) return fail(Error::validation("no resource \"aws_dynamodb_table\" is defined here"));
  return designs;
}

}  // namespace tavola::workshop
