// JSON as trees: for formats of others, of which what is not understood must be kept as it was.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tavola/error.h>
#include <tavola/value.h>

#include "yaml/node.h"

namespace tavola::workshop {

// Fails with Validation, and the place, when the text is neither JSON nor strict YAML.
Result<yaml::Node> parse_tree(std::string_view text);
std::string to_json(const yaml::Node& node);

// The text of a member; empty when there is none.
std::string text_of(const yaml::Node& map, std::string_view key);
// The elements of a member that is a list; none otherwise.
const std::vector<yaml::Node>& items_of(const yaml::Node& map, std::string_view key);
// Whether it is there and says true.
bool is_true(const yaml::Node& map, std::string_view key);
// What else a map says.
yaml::Node without(const yaml::Node& map, const std::vector<std::string_view>& known);
// Adds the members of `more` that `map` has not.
void add_missing(yaml::Node& map, const yaml::Node* more);

// Items in DynamoDB's JSON: {"PK":{"S":"SHOP#1"}}. Nothing where it is something else.
std::optional<Item> item_of(const yaml::Node& node);
yaml::Node item_node(const Item& item);

}  // namespace tavola::workshop
