#include "cli/draft_sources.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <memory>
#include <optional>

#include <tavola/database.h>

#include "cli/command/open_database.h"
#include "cli/design_arguments.h"
#include "design/model/plain_json.h"
#include "json/reader.h"
#include "server/design_file.h"
#include "transfer/formats/item_reader.h"
#include "workshop/exchange/infer.h"

namespace tavola::cli {
namespace {

// Enough to see every kind of item, and not so many that a large table takes long.
constexpr std::size_t kLookedAtMax = 100'000;

Result<std::vector<Item>> look_at(Database& database, const std::string& table) {
  std::vector<Item> items;
  ScanRequest request{.table_name = table};
  do {
    TAVOLA_TRY(ScanResponse page, database.scan(request));
    for (const PackedItem& item : page.items) items.push_back(item.unpack());
    request.exclusive_start_key = std::move(page.last_evaluated_key);
  } while (request.exclusive_start_key && items.size() < kLookedAtMax);
  return items;
}

constexpr std::array<std::string_view, 10> kTypeTags{"S", "N", "B",  "BOOL", "NULL",
                                                     "M", "L", "SS", "NS",   "BS"};

// Returns whether every attribute is written like {"S": "…"}.
bool is_dynamodb_json(const json::Node& object) {
  return !object.members.empty() && std::ranges::all_of(object.members, [](const auto& member) {
    const json::Node& value = member.second;
    return value.is_object() && value.members.size() == 1 &&
           std::ranges::find(kTypeTags, value.members.front().first) != kTypeTags.end();
  });
}

Result<void> add_item(std::string_view text, const json::Node& node, std::vector<Item>& items) {
  if (!node.is_object()) return fail(Error::validation("an item must be a JSON object"));
  const std::string_view slice = text.substr(node.begin, node.end - node.begin);
  const json::Node* const wrapped = node.find("Item");
  if (is_dynamodb_json(node) || (wrapped != nullptr && wrapped->is_object() && is_dynamodb_json(*wrapped))) {
    TAVOLA_TRY(const PackedItem item, transfer::item_of_line(slice));
    items.push_back(item.unpack());
    return {};
  }
  TAVOLA_TRY(const Value item, design::parse_plain_json(slice));
  items.push_back(item.map());
  return {};
}

Result<void> add_document(std::string_view text, const json::Node& root, std::vector<Item>& items) {
  const json::Node* const listed = root.find("Items");
  const json::Node& list = listed != nullptr && listed->is_list() ? *listed : root;
  if (!list.is_list()) return add_item(text, root, items);
  for (const json::Node& one : list.elements) TAVOLA_CHECK(add_item(text, one, items));
  return {};
}

Result<void> add_lines(std::string_view text, std::vector<Item>& items) {
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    const auto node = json::parse(line);
    if (!node)
      return fail(Error::validation("line " + std::to_string(number) + " is not JSON: " + node.error().what));
    TAVOLA_CHECK(add_item(line, *node, items));
  }
  return {};
}

Type key_type(const std::vector<Item>& items, const std::string& name) {
  for (const Item& item : items) {
    const auto value = item.find(name);
    if (value != item.end()) return value->second.type();
  }
  return Type::String;
}

// Returns the first of these names that every item has.
std::string common_name(const std::vector<Item>& items, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (std::ranges::all_of(items, [&](const Item& item) { return item.contains(name); })) return name;
  }
  return {};
}

// "gsi1_pk" and "GSI1PK" are the partition key of GSI1. Returns the name of the index and pk or sk.
std::optional<std::pair<std::string, std::string>> index_key(std::string_view attribute) {
  std::string plain;
  for (const char c : attribute) {
    if (c != '_' && c != '-') plain += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  }
  const bool has_form =
      plain.starts_with("GSI") && plain.size() > 5 && (plain.ends_with("PK") || plain.ends_with("SK")) &&
      std::ranges::all_of(plain.substr(3, plain.size() - 5), [](char c) { return c >= '0' && c <= '9'; });
  if (!has_form) return std::nullopt;
  return std::pair(plain.substr(0, plain.size() - 2), plain.substr(plain.size() - 2));
}

void add_indexes(const std::vector<Item>& items, TableDescription& table) {
  std::map<std::string, std::map<std::string, std::string>> indexes;  // their attributes, by PK and SK
  for (const Item& item : items) {
    for (const auto& [name, value] : item) {
      const auto key = value.is_string() || value.is_number() ? index_key(name) : std::nullopt;
      if (key) indexes[key->first].try_emplace(key->second, name);
    }
  }
  for (const auto& [name, keys] : indexes) {
    if (!keys.contains("PK")) continue;
    GlobalIndex index{.name = name, .key_schema = {{keys.at("PK"), KeyType::Hash}}};
    if (keys.contains("SK")) index.key_schema.push_back({keys.at("SK"), KeyType::Range});
    for (const KeySchemaElement& key : index.key_schema)
      table.attribute_definitions.push_back({key.name, key_type(items, key.name)});
    table.global_indexes.push_back(std::move(index));
  }
}

}  // namespace

Result<workshop::Draft> draft_of_table(const InferOptions& options) {
  if (options.data.empty() == options.endpoint.empty()) {
    return fail(bad_parameter("data", "give --data or --endpoint: where the table is"));
  }
  TAVOLA_TRY(const std::unique_ptr<Database> database,
             open_database({.data = options.data, .endpoint = options.endpoint, .create = false}));
  TAVOLA_TRY(const DescribeTableResponse described, database->describe_table({.table_name = options.table}));
  TAVOLA_TRY(const std::vector<Item> items, look_at(*database, options.table));
  return workshop::inferred(described.table, items);
}

Result<std::vector<Item>> read_sample_items(const std::vector<std::string>& files) {
  std::vector<Item> items;
  for (const std::string& file : files) {
    TAVOLA_TRY(const std::string text, server::read_text(file));
    const auto root = json::parse(text);
    const Result<void> added = root ? add_document(text, *root, items) : add_lines(text, items);
    if (!added) return fail(Error::validation(file + ": " + added.error().message()));
  }
  if (items.empty()) return fail(Error::validation("the files of samples have no items"));
  return items;
}

Result<TableDescription> describe_sampled(const SampledTable& said, const std::vector<Item>& items) {
  const std::string hash =
      !said.hash.empty() ? said.hash
                         : common_name(items, {"PK", "pk", "Pk", "partitionKey", "partition_key", "hashKey"});
  std::string range = !said.range.empty()
                          ? said.range
                          : common_name(items, {"SK", "sk", "Sk", "sortKey", "sort_key", "rangeKey"});
  if (range == "-") range.clear();
  if (hash.empty() || common_name(items, {hash}).empty()) {
    return fail(bad_parameter("hash", "the samples do not show the partition key" +
                                          (hash.empty() ? "" : ": not every item has " + hash) +
                                          "; name it with --hash, and the sort key with --range"));
  }
  TableDescription table{.table_name = said.name, .billing_mode = BillingMode::PayPerRequest};
  table.key_schema.push_back({hash, KeyType::Hash});
  if (!range.empty()) table.key_schema.push_back({range, KeyType::Range});
  for (const KeySchemaElement& key : table.key_schema)
    table.attribute_definitions.push_back({key.name, key_type(items, key.name)});
  add_indexes(items, table);
  return table;
}

}  // namespace tavola::cli
