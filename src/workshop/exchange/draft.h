// A draft of a design: the result of import_*.h and infer.h, written out as the text of a design.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tavola/requests.h>
#include <tavola/value.h>

#include "yaml/node.h"

namespace tavola::workshop {

// ---- Nodes

yaml::Node text_node(std::string_view text);
yaml::Node number_node(std::string_view number);
yaml::Node bool_node(bool value);
yaml::Node list_node(std::vector<yaml::Node> items);                          // in brackets
yaml::Node texts_node(const std::vector<std::string>& texts);                 // in brackets, too
yaml::Node map_node(yaml::Style style);                                       // Block or Flow
void put(yaml::Node& map, std::string_view key, yaml::Node value);            // at its end
void put_text(yaml::Node& map, std::string_view key, std::string_view text);  // unless the text is empty
// Returns a value as designs write it: sets are lists, bytes are base64.
yaml::Node value_node(const Value& value);

// ---- The design ----

struct DraftKey {
  std::string name;
  Type type = Type::String;
};

struct DraftIndex {
  std::string name;
  DraftKey hash;
  std::optional<DraftKey> range;
  IndexProjection projection;
  bool local = false;
};

// An attribute, with its properties in order.
struct DraftField {
  std::string name;
  yaml::Node said = map_node(yaml::Style::Flow);
};

struct DraftEntry {
  std::string index;
  std::string hash;
  std::string range;
  std::string when = {};  // empty: always
};

struct DraftState {
  std::string name;
  std::string key;
};
struct DraftLifecycle {
  std::string name;
  std::string in;
  std::vector<DraftState> states;
};

struct DraftEntity {
  std::string name;
  std::string doc;
  std::string hash;   // templates
  std::string range;  // empty if the table has none
  std::vector<DraftEntry> indexes;
  std::vector<DraftField> ids;
  std::vector<DraftField> attributes;
  std::vector<DraftLifecycle> lifecycles;
  std::vector<Item> examples;
  std::vector<std::string> comments;  // above it, each with its '#'
};

// An access pattern or an operation, with its properties in order.
struct DraftPattern {
  std::string name;
  yaml::Node said = map_node(yaml::Style::Flow);
};

struct Draft {
  std::string name;
  std::string doc;
  std::string table;
  std::string name_var;
  DraftKey hash;
  std::optional<DraftKey> range;
  std::optional<BillingMode> billing;
  std::string entity_attribute;
  std::string ttl;
  std::vector<DraftIndex> indexes;
  std::vector<DraftEntity> entities;
  std::vector<DraftPattern> patterns;  // besides those that read one item
  std::vector<DraftPattern> operations;
  std::vector<std::string> comments;                                              // above everything
  std::map<std::string, std::vector<std::string>, std::less<>> section_comments;  // above "entities", …
  std::vector<std::string> comments_end;                                          // at the end
};

// Returns the comment about an index that a design cannot have.
std::string left_out_comment(const std::string& index);

// Returns an entity for the items of a table of which only the keys are known: a design has at least one
// entity.
DraftEntity unknown_entity(const Draft& draft);

// Returns the text of the design. Each entity gets a pattern that reads one item, so that there is a pattern
// to run; the patterns of the draft follow, each under a name of its own.
std::string write(const Draft& draft);

// Returns the fields in <…> of a template, without their formats.
std::vector<std::string> placeholders(std::string_view written);

// Turns "OWNED_SHOP", "owned-shop" and "ownedShop" into OwnedShop, and ownedShop.
std::string type_case(std::string_view words);
std::string field_case(std::string_view words);
std::string key_type_name(Type type);  // "string", "number", "binary"

}  // namespace tavola::workshop
