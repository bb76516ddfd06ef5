// JSON as trees, for foreign formats whose unknown parts must be kept unchanged.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tavola/error.h>
#include <tavola/value.h>

#include "yaml/node.h"

namespace tavola::workshop {

// Fails with Validation and the position if the text is neither JSON nor strict YAML.
Result<yaml::Node> parse_tree(std::string_view text);
std::string to_json(const yaml::Node& node);

// Returns the text of a member; empty if missing.
std::string text_of(const yaml::Node& map, std::string_view key);
// Returns the elements of a member that is a list; otherwise none.
const std::vector<yaml::Node>& items_of(const yaml::Node& map, std::string_view key);
// Returns whether the member exists and is true.
bool is_true(const yaml::Node& map, std::string_view key);
// Returns the other members of a map.
yaml::Node without(const yaml::Node& map, const std::vector<std::string_view>& known);
// Adds the members of `more` that `map` lacks.
void add_missing(yaml::Node& map, const yaml::Node* more);

// Reads items in DynamoDB's JSON: {"PK":{"S":"SHOP#1"}}. Returns nullopt for anything else.
std::optional<Item> item_of(const yaml::Node& node);
yaml::Node item_node(const Item& item);

}  // namespace tavola::workshop
