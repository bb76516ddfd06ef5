#include "workshop/exchange/table_definitions.h"

#include <algorithm>
#include <cctype>

#include "base/joined.h"
#include "database/enum_names.h"
#include "design/items/table_schema.h"
#include "json/writer.h"
#include "wire/codec/created_table.h"
#include "workshop/texts/indented_json.h"
#include "yaml/write.h"

namespace tavola::workshop {
namespace {

using design::Design;

// Appends lines, indented by two blanks a level.
class Lines {
 public:
  void add(std::size_t level, std::string_view line) { text_.append(2 * level, ' ').append(line) += '\n'; }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

// ---- CloudFormation ----

// Returns the name of a resource, which has letters and digits only.
std::string logical_name(std::string_view name) {
  std::string logical;
  bool begins_word = true;
  for (const char c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) {
      begins_word = true;
      continue;
    }
    logical += begins_word ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
    begins_word = false;
  }
  return logical + "Table";
}

void add_keys(Lines& lines, std::size_t level, const std::vector<KeySchemaElement>& keys) {
  lines.add(level, "KeySchema:");
  for (const KeySchemaElement& key : keys) {
    lines.add(level + 1, "- { AttributeName: " + yaml::write_text(key.name) +
                             ", KeyType: " + std::string(enum_name(key.type)) + " }");
  }
}

void add_throughput(Lines& lines, std::size_t level, const std::optional<Throughput>& throughput) {
  if (!throughput) return;
  lines.add(level, "ProvisionedThroughput: { ReadCapacityUnits: " + std::to_string(throughput->read_units) +
                       ", WriteCapacityUnits: " + std::to_string(throughput->write_units) + " }");
}

template <class Index>
void add_indexes(Lines& lines, std::string_view name, const std::vector<Index>& indexes) {
  if (indexes.empty()) return;
  lines.add(3, std::string(name) + ":");
  for (const Index& index : indexes) {
    lines.add(4, "- IndexName: " + yaml::write_text(index.name));
    add_keys(lines, 5, index.key_schema);
    lines.add(5, "Projection:");
    lines.add(6, "ProjectionType: " + std::string(enum_name(index.projection.type)));
    if (!index.projection.attributes.empty()) {
      lines.add(6, "NonKeyAttributes:");
      for (const std::string& attribute : index.projection.attributes) {
        lines.add(7, "- " + yaml::write_text(attribute));
      }
    }
    if constexpr (std::is_same_v<Index, GlobalIndex>) add_throughput(lines, 5, index.throughput);
  }
}

// ---- Terraform ----

std::string in_quotes(std::string_view text) {
  std::string out = "\"";
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"' || c == '\\') out += '\\';
    if ((c == '$' || c == '%') && text.substr(i + 1).starts_with('{')) out += c;  // ${ begins an expression
    out += c;
  }
  return out + '"';
}

std::string resource_name(std::string_view name) {
  std::string resource;
  for (const char c : name) {
    const bool is_word = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-';
    resource += is_word ? static_cast<char>(std::tolower(static_cast<unsigned char>(c))) : '_';
  }
  const bool begins_well =
      !resource.empty() && std::isdigit(static_cast<unsigned char>(resource.front())) == 0;
  return begins_well ? resource : "table_" + resource;
}

// Returns `var.dynamoTableName`, or the bare name of the variable.
std::string variable(std::string_view name) {
  return name.starts_with("var.") ? std::string(name) : "var." + std::string(name);
}

struct Argument {
  std::string name;
  std::string value;
};

// Aligns the equals signs of neighbours, as `terraform fmt` does.
void add_arguments(Lines& lines, std::size_t level, const std::vector<Argument>& arguments) {
  std::size_t width = 0;
  for (const Argument& argument : arguments) width = std::max(width, argument.name.size());
  for (const Argument& argument : arguments) {
    lines.add(level, argument.name + std::string(width - argument.name.size(), ' ') + " = " + argument.value);
  }
}

void add_block(Lines& lines, std::string_view name, const std::vector<Argument>& arguments) {
  lines.add(0, "");
  lines.add(1, std::string(name) + " {");
  add_arguments(lines, 2, arguments);
  lines.add(1, "}");
}

void append_capacity(std::vector<Argument>& arguments, const std::optional<Throughput>& throughput) {
  if (!throughput) return;
  arguments.push_back({"read_capacity", std::to_string(throughput->read_units)});
  arguments.push_back({"write_capacity", std::to_string(throughput->write_units)});
}

std::vector<Argument> index_arguments(const std::string& name, const std::vector<KeySchemaElement>& keys,
                                      const IndexProjection& projection, KeyType from) {
  std::vector<Argument> arguments{{"name", in_quotes(name)}};
  for (const KeySchemaElement& key : keys) {
    if (from == KeyType::Range && key.type == KeyType::Hash) continue;  // a local index has the table's
    arguments.push_back({key.type == KeyType::Hash ? "hash_key" : "range_key", in_quotes(key.name)});
  }
  arguments.push_back({"projection_type", in_quotes(enum_name(projection.type))});
  if (!projection.attributes.empty()) {
    arguments.push_back({"non_key_attributes", bracketed(projection.attributes, in_quotes)});
  }
  return arguments;
}

std::vector<Argument> table_arguments(const Design& design, const CreateTableRequest& table) {
  const bool is_variable = !design.table.name_var.empty();
  std::vector<Argument> arguments{
      {"name", is_variable ? variable(design.table.name_var) : in_quotes(table.table_name)},
      {"billing_mode", in_quotes(enum_name(table.billing_mode))}};
  for (const KeySchemaElement& key : table.key_schema) {
    arguments.push_back({key.type == KeyType::Hash ? "hash_key" : "range_key", in_quotes(key.name)});
  }
  append_capacity(arguments, table.throughput);
  return arguments;
}

}  // namespace

std::string create_table_json(const Design& design) {
  return indented(wire::to_json(design::table_schema(design))) + "\n";
}

std::optional<std::string> time_to_live_json(const Design& design) {
  if (design.table.ttl.empty()) return std::nullopt;
  std::string out;
  json::Writer json(out);
  json.begin_object();
  json.name("TableName").text(design.table.name);
  json.name("TimeToLiveSpecification").begin_object();
  json.name("Enabled").boolean(true);
  json.name("AttributeName").text(design.table.ttl);
  json.end_object();
  json.end_object();
  return indented(out) + "\n";
}

std::string cloud_formation(const Design& design) {
  const CreateTableRequest table = design::table_schema(design);
  Lines lines;
  lines.add(0, "AWSTemplateFormatVersion: \"2010-09-09\"");
  lines.add(0, "Resources:");
  lines.add(1, logical_name(design.name) + ":");
  lines.add(2, "Type: AWS::DynamoDB::Table");
  lines.add(2, "Properties:");
  lines.add(3, "TableName: " + yaml::write_text(table.table_name));
  lines.add(3, "BillingMode: " + std::string(enum_name(table.billing_mode)));
  lines.add(3, "AttributeDefinitions:");
  for (const AttributeDefinition& definition : table.attribute_definitions) {
    lines.add(4, "- { AttributeName: " + yaml::write_text(definition.name) +
                     ", AttributeType: " + std::string(enum_name(definition.type)) + " }");
  }
  add_keys(lines, 3, table.key_schema);
  add_throughput(lines, 3, table.throughput);
  add_indexes(lines, "GlobalSecondaryIndexes", table.global_indexes);
  add_indexes(lines, "LocalSecondaryIndexes", table.local_indexes);
  if (!design.table.ttl.empty()) {
    lines.add(3, "TimeToLiveSpecification: { AttributeName: " + yaml::write_text(design.table.ttl) +
                     ", Enabled: true }");
  }
  return lines.take();
}

std::string terraform(const Design& design) {
  const CreateTableRequest table = design::table_schema(design);
  Lines lines;
  lines.add(0, "resource \"aws_dynamodb_table\" " + in_quotes(resource_name(design.name)) + " {");
  add_arguments(lines, 1, table_arguments(design, table));
  for (const AttributeDefinition& definition : table.attribute_definitions) {
    add_block(lines, "attribute",
              {{"name", in_quotes(definition.name)}, {"type", in_quotes(enum_name(definition.type))}});
  }
  for (const GlobalIndex& index : table.global_indexes) {
    auto arguments = index_arguments(index.name, index.key_schema, index.projection, KeyType::Hash);
    append_capacity(arguments, index.throughput);
    add_block(lines, "global_secondary_index", arguments);
  }
  for (const LocalIndex& index : table.local_indexes) {
    add_block(lines, "local_secondary_index",
              index_arguments(index.name, index.key_schema, index.projection, KeyType::Range));
  }
  if (!design.table.ttl.empty()) {
    add_block(lines, "ttl", {{"attribute_name", in_quotes(design.table.ttl)}, {"enabled", "true"}});
  }
  lines.add(0, "}");
  return lines.take();
}

}  // namespace tavola::workshop
