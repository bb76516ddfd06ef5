#include <algorithm>
#include <set>

#include "design/items/entity_item.h"
#include "design/load.h"
#include "workshop/exchange/draft.h"
#include "workshop/exchange/infer.h"
#include "workshop/exchange/json_nodes.h"
#include "workshop/exchange/workbench.h"

namespace tavola::workshop {
namespace {

using yaml::Kind;
using yaml::Node;
using yaml::Style;

Type workbench_key_type(std::string_view name) {
  return name == "N" ? Type::Number : name == "B" ? Type::Binary : Type::String;
}

std::string_view design_type(std::string_view name) {
  constexpr std::pair<std::string_view, std::string_view> kTypes[] = {
      {"S", "string"}, {"N", "number"},       {"B", "binary"},       {"BOOL", "boolean"},  {"L", "list<any>"},
      {"M", "map"},    {"SS", "set<string>"}, {"NS", "set<number>"}, {"BS", "set<binary>"}};
  for (const auto& [theirs, ours] : kTypes) {
    if (theirs == name) return ours;
  }
  return "any";
}

std::pair<DraftKey, std::optional<DraftKey>> workbench_keys(const Node& map) {
  std::pair<DraftKey, std::optional<DraftKey>> keys;
  const Node* said = map.find("KeyAttributes");
  if (said == nullptr) return keys;
  const auto read = [](const Node& key) {
    return DraftKey{text_of(key, "AttributeName"), workbench_key_type(text_of(key, "AttributeType"))};
  };
  if (const Node* hash = said->find("PartitionKey")) keys.first = read(*hash);
  if (const Node* range = said->find("SortKey")) keys.second = read(*range);
  return keys;
}

DraftIndex index_of(const Node& said) {
  DraftIndex index;
  index.name = text_of(said, "IndexName");
  std::tie(index.hash, index.range) = workbench_keys(said);
  if (const Node* projection = said.find("Projection")) {
    const std::string type = text_of(*projection, "ProjectionType");
    index.projection.type = type == "KEYS_ONLY" ? ProjectionType::KeysOnly
                            : type == "INCLUDE" ? ProjectionType::Include
                                                : ProjectionType::All;
    for (const Node& name : items_of(*projection, "NonKeyAttributes"))
      index.projection.attributes.push_back(name.text);
  }
  return index;
}

// Reads one table of a model.
class TableReader {
 public:
  TableReader(const Node& model, const Node& table) : model_(model), table_(table) {}

  Imported read() {
    read_table();
    for (const Node& facet : items_of(table_, "TableFacets")) read_facet(facet);
    if (draft_.entities.empty()) read_without_facets();
    place_items();
    for (const Node* place : {&model_, &table_}) {
      for (const Node& said : items_of(*place, "AccessPatterns")) read_access_pattern(said);
    }
    remember();
    return {draft_.name, write(draft_)};
  }

 private:
  void read_table() {
    draft_.table = text_of(table_, "TableName");
    draft_.name = draft_.table;
    std::tie(draft_.hash, draft_.range) = workbench_keys(table_);
    if (const std::string billing = text_of(table_, "BillingMode"); !billing.empty()) {
      draft_.billing = billing == "PROVISIONED" ? BillingMode::Provisioned : BillingMode::PayPerRequest;
    }
    for (const Node& index : items_of(table_, "GlobalSecondaryIndexes"))
      draft_.indexes.push_back(index_of(index));
    for (const Node& item : items_of(table_, "TableData")) add_item(item, items_);
  }

  void add_item(const Node& node, std::vector<Item>& items) {
    if (auto item = item_of(node)) {
      items.push_back(*std::move(item));
    } else {
      odd_items_.push_back(node);
    }
  }

  void read_facet(const Node& facet);
  void read_without_facets();
  std::string alias(const Node& facet, std::string_view which);
  void add_attribute(DraftEntity& entity, const std::string& name);
  void add_placeholders(DraftEntity& entity);
  void place_items();
  void read_access_pattern(const Node& said);
  void remember();

  const Node& model_;
  const Node& table_;
  Draft draft_;
  std::vector<Item> items_;
  std::vector<Node> odd_items_;          // items that match no entity
  Node facets_ = map_node(Style::Flow);  // properties of facets that entities lack, by name
};

std::string TableReader::alias(const Node& facet, std::string_view which) {
  const Node* said = facet.find("KeyAttributeAlias");
  return said == nullptr ? std::string() : text_of(*said, which);
}

void TableReader::read_facet(const Node& facet) {
  DraftEntity entity;
  entity.name = type_case(text_of(facet, "FacetName"));
  std::vector<Item> items;
  for (const Node& item : items_of(facet, "TableData")) add_item(item, items);
  entity.hash = alias(facet, "PartitionKeyAlias");
  entity.range = alias(facet, "SortKeyAlias");
  const bool is_template = entity.hash.contains('<') || entity.range.contains('<');
  const std::vector<DraftEntity> seen =
      items.empty() ? std::vector<DraftEntity>{} : infer_entities(draft_, items);
  if (seen.size() == 1) {
    if (!is_template) entity = seen.front();
    entity.indexes = seen.front().indexes;
    entity.ids = seen.front().ids;
    entity.name = type_case(text_of(facet, "FacetName"));
    entity.attributes.clear();
  } else if (!is_template) {
    entity.hash = "<" + field_case(entity.hash.empty() ? draft_.hash.name : entity.hash) + ">";
    if (draft_.range)
      entity.range = "<" + field_case(entity.range.empty() ? draft_.range->name : entity.range) + ">";
  }
  for (const Node& name : items_of(facet, "NonKeyAttributes")) add_attribute(entity, name.text);
  for (const Item& item : items) {
    for (const auto& [name, _] : item) add_attribute(entity, name);
  }
  add_placeholders(entity);

  Node rest = without(facet, {"NonKeyAttributes", "TableData"});
  if (!items_of(facet, "TableData").empty()) put(rest, "TableData", list_node({}));
  put(facets_, entity.name, std::move(rest));
  std::ranges::move(items, std::back_inserter(items_));
  draft_.entities.push_back(std::move(entity));
}

void TableReader::read_without_facets() {
  if (!items_.empty()) draft_.entities = infer_entities(draft_, items_);
  if (draft_.entities.empty()) draft_.entities.push_back(unknown_entity(draft_));
  if (!items_.empty()) return;
  for (const Node& attribute : items_of(table_, "NonKeyAttributes")) {
    add_attribute(draft_.entities.front(), text_of(attribute, "AttributeName"));
  }
}

// Adds an attribute with its type in the table. Index keys without a template are attributes.
void TableReader::add_attribute(DraftEntity& entity, const std::string& name) {
  const bool is_key = name == draft_.hash.name || (draft_.range && name == draft_.range->name);
  const bool is_known =
      std::ranges::find(entity.attributes, name, &DraftField::name) != entity.attributes.end();
  const bool is_made = std::ranges::any_of(entity.indexes, [&](const DraftEntry& entry) {
    const auto index = std::ranges::find(draft_.indexes, entry.index, &DraftIndex::name);
    return (index->hash.name == name && entry.hash != "<" + name + ">") ||
           (index->range && index->range->name == name && entry.range != "<" + name + ">");
  });
  if (is_key || is_known || is_made || name.empty()) return;
  DraftField field{.name = name};
  std::string_view type = "any";
  for (const Node& attribute : items_of(table_, "NonKeyAttributes")) {
    if (text_of(attribute, "AttributeName") == name) type = design_type(text_of(attribute, "AttributeType"));
  }
  for (const DraftIndex& index : draft_.indexes) {
    for (const DraftKey& key : {index.hash, index.range.value_or(DraftKey{})}) {
      if (key.name == name)
        type = key.type == Type::Number ? "number" : key.type == Type::Binary ? "binary" : "string";
    }
  }
  put_text(field.said, "type", type);
  entity.attributes.push_back(std::move(field));
}

// Declares every placeholder as a field, an attribute of that name or an id, and keeps no id that is not a placeholder.
void TableReader::add_placeholders(DraftEntity& entity) {
  std::string all = entity.hash + entity.range;
  for (const DraftEntry& entry : entity.indexes) all += entry.hash + entry.range;
  std::set<std::string> names;
  for (std::size_t at = all.find('<'); at != std::string::npos; at = all.find('<', at + 1)) {
    const std::string name = all.substr(at + 1, all.find_first_of(":>", at) - at - 1);
    names.insert(name);
    const auto is_it = [&](const DraftField& field) { return field.name == name; };
    if (std::ranges::any_of(entity.attributes, is_it) || std::ranges::any_of(entity.ids, is_it)) continue;
    entity.ids.push_back({.name = name});
    put_text(entity.ids.back().said, "type", "string");
  }
  std::erase_if(entity.ids, [&](const DraftField& id) {
    return !names.contains(id.name) ||
           std::ranges::find(entity.attributes, id.name, &DraftField::name) != entity.attributes.end();
  });
}

// Turns sample items into examples if the design reproduces them exactly; the others are kept in the comment.
void TableReader::place_items() {
  const design::Loaded loaded = design::load(write(draft_), draft_.name);
  for (const Item& item : items_) {
    DraftEntity* place = nullptr;
    if (loaded.design) {
      const design::Decoded decoded = design::decode(*loaded.design, item);
      const auto again = decoded.entity == nullptr
                             ? Result<Item>(fail(Error::validation(decoded.why_none)))
                             : design::to_item(*loaded.design, *decoded.entity, decoded.fields);
      if (again && *again == item) {
        place = &*std::ranges::find(draft_.entities, decoded.entity->name, &DraftEntity::name);
      }
    }
    if (place == nullptr) {
      odd_items_.push_back(item_node(item));
      continue;
    }
    Item example = item;
    for (const DraftIndex& index : draft_.indexes) {
      for (const std::string& key : {index.hash.name, index.range ? index.range->name : std::string()}) {
        const bool is_data =
            std::ranges::find(place->attributes, key, &DraftField::name) != place->attributes.end();
        const bool is_key = key == draft_.hash.name || (draft_.range && key == draft_.range->name);
        if (!is_data && !is_key) example.erase(key);
      }
    }
    place->examples.push_back(std::move(example));
  }
}

// Adds an access pattern of Workbench 3.20 as a planned one: which keys it reads is up to the people who wrote its description. The
// format is not documented, so members are looked up by several names, and one without a name is named by its description.
void TableReader::read_access_pattern(const Node& said) {
  const auto first = [&](std::initializer_list<std::string_view> names) {
    for (const std::string_view name : names) {
      if (std::string text = text_of(said, name); !text.empty()) return text;
    }
    return std::string();
  };
  const std::string table = first({"TableName", "Table"});
  const std::string title =
      said.is_scalar() ? said.text : first({"AccessPatternName", "Name", "Title", "Description"});
  if ((!table.empty() && table != draft_.table) || field_case(title).empty()) return;
  std::string doc = first({"Description"});
  if (doc == title) doc.clear();
  const std::string type = first({"AccessPatternType", "OperationType", "Type", "Operation"});
  const std::string index = first({"IndexName", "Index"});
  if (!type.empty())
    doc += (doc.empty() ? "" : " ") + ("By " + type) + (index.empty() ? "" : " on " + index) + ".";
  if (const std::string keys = first({"KeyConditionExpression", "KeyCondition"}); !keys.empty())
    doc += (doc.empty() ? "" : " ") + ("Where " + keys + ".");
  DraftPattern pattern{.name = field_case(title)};
  put_text(pattern.said, "title", title);
  put_text(pattern.said, "doc", doc);
  put_text(pattern.said, "status", "planned");
  draft_.patterns.push_back(std::move(pattern));
}

void TableReader::remember() {
  Node rest = map_node(Style::Flow);
  put(rest, "model", without(model_, {"DataModel"}));
  put(rest, "table",
      without(table_, {"TableName", "KeyAttributes", "TableFacets", "GlobalSecondaryIndexes", "TableData",
                       "BillingMode"}));
  if (table_.find("BillingMode") == nullptr) put(rest, "no_billing", bool_node(true));
  if (table_.find("TableFacets") == nullptr) put(rest, "no_facets", bool_node(true));
  put(rest, "facets", std::move(facets_));
  Node indexes = map_node(Style::Flow);
  for (const Node& index : items_of(table_, "GlobalSecondaryIndexes")) {
    put(indexes, text_of(index, "IndexName"), without(index, {"IndexName", "KeyAttributes", "Projection"}));
  }
  put(rest, "indexes", std::move(indexes));
  if (!odd_items_.empty()) put(rest, "items", list_node(odd_items_));
  draft_.comments_end = {"", "# Further properties of the NoSQL Workbench model, for export.",
                         "# workbench: " + to_json(rest)};
}

}  // namespace

Result<std::vector<Imported>> import_workbench(std::string_view json) {
  TAVOLA_TRY(const Node model, parse_tree(json));
  if (model.find("DataModel") == nullptr) {
    return fail(
        Error::validation("this is not a model of NoSQL Workbench: it has no DataModel. Export the model "
                          "from NoSQL Workbench as a "
                          "\"NoSQL Workbench model\" in JSON"));
  }
  std::vector<Imported> designs;
  for (const Node& table : items_of(model, "DataModel")) designs.push_back(TableReader(model, table).read());
  return designs;
}

}  // namespace tavola::workshop
