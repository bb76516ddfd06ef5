#include "wire/codec/batch_shapes.h"

#include "wire/codec/attribute_values.h"

namespace tavola::wire {

void write_keys_to_get(json::Writer& json, const KeysToGet& table) {
  json.begin_object();
  json.name("Keys").begin_list();
  for (const PackedItem& key : table.keys) write_item(json, key.view());
  json.end_list();
  if (table.consistent_read) json.name("ConsistentRead").boolean(true);
  if (!table.projection_expression.empty())
    json.name("ProjectionExpression").text(table.projection_expression);
  if (!table.names.empty()) {
    json.name("ExpressionAttributeNames").begin_object();
    for (const auto& [placeholder, name] : table.names) json.name(placeholder).text(name);
    json.end_object();
  }
  if (table.attributes_to_get) {
    json.name("AttributesToGet").begin_list();
    for (const std::string& attribute : *table.attributes_to_get) json.text(attribute);
    json.end_list();
  }
  json.end_object();
}

void write_table_writes(json::Writer& json, const std::vector<TableWrites>& tables) {
  json.begin_object();
  for (const TableWrites& table : tables) {
    json.name(table.table_name).begin_list();
    for (const BatchWrite& write : table.writes) {
      const bool is_put = write.kind == BatchWrite::Kind::Put;
      json.begin_object();
      json.name(is_put ? "PutRequest" : "DeleteRequest").begin_object();
      json.name(is_put ? "Item" : "Key");
      write_item(json, write.item.view());
      json.end_object();
      json.end_object();
    }
    json.end_list();
  }
  json.end_object();
}

}  // namespace tavola::wire
