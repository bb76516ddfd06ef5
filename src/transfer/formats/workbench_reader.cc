#include "transfer/formats/workbench_reader.h"

#include <utility>

#include "base/joined.h"
#include "design/items/table_schema.h"
#include "design/load.h"
#include "workshop/exchange/json_nodes.h"
#include "workshop/exchange/workbench.h"

namespace tavola::transfer {
namespace {

using workshop::items_of;
using workshop::text_of;
using yaml::Node;

constexpr std::size_t kModelBytesMax = std::size_t{256} * 1024 * 1024;

Result<std::string> read_all(ByteSource& source) {
  std::string text;
  std::string piece(std::size_t{256} * 1024, '\0');
  for (;;) {
    TAVOLA_TRY(const std::size_t got, source.read(piece));
    if (got == 0) return text;
    text.append(piece, 0, got);
    if (text.size() > kModelBytesMax) return fail(Error::validation("a model may have at most 256 MB"));
  }
}

// Returns the model's table of that name, or its only one, whatever its name.
Result<const Node*> find_table(const Node& model, const std::string& table_name) {
  if (model.find("DataModel") == nullptr) {
    return fail(Error::validation("this is not a model of NoSQL Workbench: it has no DataModel"));
  }
  const std::vector<Node>& tables = items_of(model, "DataModel");
  for (const Node& table : tables) {
    if (text_of(table, "TableName") == table_name) return &table;
  }
  if (tables.size() == 1) return &tables.front();
  return fail(
      Error::validation("the model has no table " + table_name + "; it has " +
                        joined(tables, [](const Node& table) { return text_of(table, "TableName"); })));
}

class WorkbenchReader final : public ItemReader {
 public:
  WorkbenchReader(Node model, std::uint64_t bytes) : model_(std::move(model)), bytes_(bytes) {}

  Result<void> begin(const std::string& table_name) {
    TAVOLA_TRY(const Node* table, find_table(model_, table_name));
    add(*table);
    for (const Node& facet : items_of(*table, "TableFacets")) add(facet);
    return {};
  }
  Result<std::optional<Record>> next() override {
    if (at_ == samples_.size()) return std::optional<Record>();
    const Node& node = *samples_[at_++];
    const std::optional<Item> item = workshop::item_of(node);
    return std::optional(Record{.line = node.span.begin.line,
                                .item = item ? pack(*item)
                                             : Result<PackedItem>(fail(Error::validation(
                                                   "the sample is not an item in DynamoDB JSON")))});
  }
  Result<void> skip(std::uint64_t records) override {
    at_ = records < samples_.size() - at_ ? at_ + records : samples_.size();
    return {};
  }
  std::uint64_t text_bytes() const override { return bytes_; }
  std::uint64_t file_bytes() const override { return bytes_; }

 private:
  void add(const Node& part) {
    for (const Node& sample : items_of(part, "TableData")) samples_.push_back(&sample);
  }

  const Node model_;
  const std::uint64_t bytes_;
  std::vector<const Node*> samples_;
  std::size_t at_ = 0;
};

}  // namespace

Result<std::unique_ptr<ItemReader>> new_workbench_reader(std::unique_ptr<ByteSource> source,
                                                         const std::string& table_name) {
  TAVOLA_TRY(const std::string text, read_all(*source));
  TAVOLA_TRY(Node model, workshop::parse_tree(text));
  auto reader = std::make_unique<WorkbenchReader>(std::move(model), text.size());
  TAVOLA_CHECK(reader->begin(table_name));
  return reader;
}

Result<CreateTableRequest> table_of_workbench(std::string_view model, const std::string& table_name) {
  TAVOLA_TRY(const Node tree, workshop::parse_tree(model));
  TAVOLA_TRY(const Node* table, find_table(tree, table_name));
  TAVOLA_TRY(const std::vector<workshop::Imported> designs, workshop::import_workbench(model));
  for (const workshop::Imported& imported : designs) {
    const design::Loaded loaded = design::load(imported.text, imported.name);
    if (!loaded.design || loaded.design->table.name != text_of(*table, "TableName")) continue;
    CreateTableRequest request = design::table_schema(*loaded.design);
    request.table_name = table_name;
    return request;
  }
  return fail(
      Error::validation("the table's definition in the model cannot be read; create the table first"));
}

}  // namespace tavola::transfer
