// DynamoDB JSON: {"S": "text"}, {"N": "1.5"}, … to packed items and back, without a tree in between.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tavola/packed.h>

#include "json/writer.h"
#include "wire/codec/fields.h"

namespace tavola::wire {

// A member that is a map of attribute values: an item, a key, ExpressionAttributeValues.
std::optional<PackedItem> read_item(const Fields& in, std::string_view name,
                                    Presence presence = Presence::Optional);
PackedItem read_item_or_empty(const Fields& in, std::string_view name,
                              Presence presence = Presence::Optional);
// ExpressionAttributeValues and ExclusiveStartKey, for whose bad values AWS has separate messages.
PackedItem read_expression_values(const Fields& in);
std::optional<PackedItem> read_start_key(const Fields& in);
// For a value in a list (BatchGetItem's Keys).
PackedItem read_item(JsonValue map, Problems& problems);

// Reads one attribute value as a tree: for legacy parameters.
std::optional<Value> read_value(const Fields& in, std::string_view name);
std::optional<std::vector<Value>> read_values(const Fields& in, std::string_view name);

void write_item(json::Writer& json, const ItemView& item);
void append_item(std::string& out, const ItemView& item);

}  // namespace tavola::wire
