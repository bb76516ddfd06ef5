#include "workshop/exchange/import_data_model.h"

#include <algorithm>

#include "design/load.h"
#include "workshop/exchange/aws_command.h"
#include "workshop/exchange/draft.h"
#include "workshop/exchange/import_tables.h"
#include "workshop/exchange/infer.h"
#include "workshop/exchange/json_nodes.h"
#include "workshop/texts/words.h"

namespace tavola::workshop {
namespace {

using design::Design;
using design::Entity;
using yaml::Node;

// The key templates of an entity in the table or in an index.
struct EntityKeys {
  const design::Template* hash = nullptr;
  const design::Template* range = nullptr;
};

EntityKeys keys_in(const Entity& entity, const std::string& index) {
  if (index.empty()) return {&entity.hash, entity.range ? &*entity.range : nullptr};
  const design::IndexEntry* const entry = entity.find_index(index);
  if (entry == nullptr || !entry->hash.from) return {};
  return {&*entry->hash.from, entry->range && entry->range->from ? &*entry->range->from : nullptr};
}

// Returns whether the sort keys of the template can fulfil the comparison.
bool fits(const design::Template& range, const Entity& entity, const KeyComparison& comparison) {
  if (comparison.op == "=") return range.read(comparison.value, entity.forms()).has_value();
  if (!comparison.value.is_string()) return true;
  const std::string_view prefix = range.prefix();
  return comparison.value.string().starts_with(prefix) || prefix.starts_with(comparison.value.string());
}

// Reads the access patterns of one table.
class PatternReader {
 public:
  PatternReader(const Design& design, Draft& draft) : design_(design), draft_(draft) {}

  void read(const Node& said) {
    const std::string operation = text_of(said, "dynamodb_operation");
    const AwsCommand command = parse_aws_command(text_of(said, "implementation"));
    const std::string description = text_of(said, "description");
    DraftPattern pattern{.name = name_of(description, text_of(said, "pattern"))};
    put_text(pattern.said, "title", description);
    if (operation == "Query" && add_query(command, pattern.said)) return keep(std::move(pattern));
    if (operation == "GetItem" && add_get(command, pattern.said)) return keep(std::move(pattern));
    if (operation == "Query" || operation == "GetItem" || operation == "Scan" ||
        operation == "BatchGetItem") {
      put_text(pattern.said, "status", "planned");
      return keep(std::move(pattern));
    }
    draft_.comments_end.push_back("# - " + description + (operation.empty() ? "" : " (" + operation + ")"));
  }

 private:
  void keep(DraftPattern pattern) { draft_.patterns.push_back(std::move(pattern)); }

  // Returns the first words of the description as a name: "Get user by email" is getUserByEmail.
  static std::string name_of(std::string_view description, const std::string& number) {
    constexpr std::size_t kWordsMax = 6;
    std::string words;
    std::size_t count = 0;
    for (const std::string& word : words_of(description)) {
      if (count++ < kWordsMax) words += word + " ";
    }
    const std::string name = field_case(words);
    return name.empty() || std::isdigit(static_cast<unsigned char>(name.front())) != 0 ? "pattern" + number
                                                                                       : name;
  }

  bool add_query(const AwsCommand& query, Node& said) const {
    const std::string index = query.text("--index-name");
    const auto declared = std::ranges::find(design_.indexes, index, &design::Index::name);
    if (!index.empty() && declared == design_.indexes.end()) return false;
    const design::KeyAttribute& hash = index.empty() ? design_.table.hash : declared->hash;
    const auto& range = index.empty() ? design_.table.range : declared->range;
    const auto hash_is = key_comparison(query, hash.name);
    const auto range_is = range ? key_comparison(query, range->name) : std::nullopt;
    if (!hash_is) return false;
    for (const Entity& entity : design_.entities) {
      const EntityKeys keys = keys_in(entity, index);
      if (keys.hash == nullptr || !keys.hash->read(hash_is->value, entity.forms())) continue;
      if (range_is && (keys.range == nullptr || !fits(*keys.range, entity, *range_is))) continue;
      put_text(said, "query", entity.name);
      put_text(said, "via", index.empty() ? "table" : index);
      put_text(said, "hash", keys.hash->text());
      if (range_is && range_is->op == "begins_with" && !keys.range->prefix().empty())
        put_text(said, "range", "begins_with " + std::string(keys.range->prefix()));
      if (query.has("--no-scan-index-forward")) put_text(said, "order", "desc");
      return true;
    }
    return false;
  }

  bool add_get(const AwsCommand& get, Node& said) const {
    const auto tree = parse_tree(get.text("--key"));
    const auto key = tree ? item_of(*tree) : std::nullopt;
    if (!key || !key->contains(design_.table.hash.name)) return false;
    for (const Entity& entity : design_.entities) {
      const bool has_hash = entity.hash.read(key->at(design_.table.hash.name), entity.forms()).has_value();
      const bool has_range =
          !entity.range || (key->contains(design_.table.range->name) &&
                            entity.range->read(key->at(design_.table.range->name), entity.forms()));
      if (!has_hash || !has_range) continue;
      put_text(said, "get", entity.name);
      return true;
    }
    return false;
  }

  const Design& design_;
  Draft& draft_;
};

std::vector<Item> sample_items(const Node& model, const std::string& table) {
  std::vector<Item> items;
  const Node* const all = model.find("items");
  if (all == nullptr) return items;
  for (const Node& request : items_of(*all, table)) {
    const Node* const put = request.find("PutRequest");
    const Node* const item = put == nullptr ? nullptr : put->find("Item");
    if (auto read = item == nullptr ? std::nullopt : item_of(*item)) items.push_back(*std::move(read));
  }
  return items;
}

Imported design_of_table(const Node& model, const Node& request) {
  std::vector<std::string> left_out;
  const TableDescription table = table_of_request(request, "table", left_out);
  Draft draft = draft_of(table);
  draft.comments = {"# Imported from dynamodb_data_model.json: check the names, add operations."};
  for (const std::string& index : left_out) draft.comments.push_back(left_out_comment(index));
  draft.entities = infer_entities(draft, sample_items(model, table.table_name));
  if (draft.entities.empty()) draft.entities.push_back(unknown_entity(draft));
  const design::Loaded loaded = design::load(write(draft), draft.name);
  if (loaded.design) {
    PatternReader reader(*loaded.design, draft);
    for (const Node& pattern : items_of(model, "access_patterns")) {
      const std::string of = text_of(pattern, "table");
      if (of.empty() || of == table.table_name) reader.read(pattern);
    }
  }
  if (!draft.comments_end.empty())
    draft.comments_end.insert(draft.comments_end.begin(), {"", "# To be written as operations:"});
  return {draft.name, write(draft)};
}

}  // namespace

Result<std::vector<Imported>> import_data_model(std::string_view json) {
  TAVOLA_TRY(const Node model, parse_tree(json));
  const std::vector<Node>& tables = items_of(model, "tables");
  if (tables.empty()) {
    return fail(
        Error::validation("this is not a dynamodb_data_model.json: it needs the member tables, a list of "
                          "requests of CreateTable, "
                          "and has items and access_patterns"));
  }
  std::vector<Imported> designs;
  for (const Node& table : tables) {
    if (items_of(table, "KeySchema").empty())
      return fail(Error::validation("the table " + text_of(table, "TableName") + " has no KeySchema"));
    designs.push_back(design_of_table(model, table));
  }
  return designs;
}

}  // namespace tavola::workshop
