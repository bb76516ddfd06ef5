// CSV as DynamoDB imports it (Developer Guide, "Amazon S3 import formats for DynamoDB"): the first line names the columns, unless
// names are given; key columns, of indexes too, have the types that the table's definition says, all others are strings. Ours: a
// field that is empty and not in quotes is a missing attribute, so that items need not have every column; in quotes it is the empty
// text. Keys of type B are base64, as in DynamoDB JSON.
#include <algorithm>
#include <set>

#include "base/encoding.h"
#include "base/utf8.h"
#include "transfer/formats/csv_records.h"
#include "transfer/formats/item_reader.h"

namespace tavola::transfer {
namespace {

Result<Value> value_of(std::string&& text, Type type, const std::string& column) {
  if (type == Type::Number) {
    Result<Number> number = Number::parse(text);
    if (!number) return fail(Error::validation("the key " + column + ": " + number.error().message()));
    return Value(*number);
  }
  if (type == Type::Binary) {
    std::optional<std::string> bytes = from_base64(text);
    if (!bytes) return fail(Error::validation("the key " + column + " has the type B and must be base64"));
    return Value(Binary{*std::move(bytes)});
  }
  return Value(std::move(text));
}

class CsvReader final : public ItemReader {
 public:
  CsvReader(std::unique_ptr<ByteSource> source, char delimiter) : records_(std::move(source), delimiter) {}

  // Takes the given columns, or reads them from the first record.
  Result<void> begin(const ReadOptions& options) {
    columns_ = options.csv.header;
    if (columns_.empty()) {
      TAVOLA_TRY(const auto header, records_.next());
      if (!header) return {};  // an empty file
      if (!header->wrong.empty()) return fail(Error::validation("its header: " + header->wrong));
      for (const CsvField& field : header->fields) columns_.push_back(field.text);
    }
    std::set<std::string_view> seen;
    for (const std::string& column : columns_) {
      if (column.empty() || !is_utf8(column)) {
        return fail(
            Error::validation("the header has a column without a name, or with one that is not UTF-8"));
      }
      if (!seen.insert(column).second) {
        return fail(Error::validation("the header has the column " + column + " twice"));
      }
      const auto definition = std::ranges::find(options.definitions, column, &AttributeDefinition::name);
      types_.push_back(definition == options.definitions.end() ? Type::String : definition->type);
    }
    return require_columns(options.keys);
  }

  Result<std::optional<Record>> next() override {
    TAVOLA_TRY(auto record, records_.next());
    if (!record) return std::optional<Record>();
    const std::uint64_t line = record->line;
    const bool is_readable = record->wrong.empty() && record->fields.size() == columns_.size();
    return std::optional(
        Record{.line = line, .item = item_of(*std::move(record)), .is_readable = is_readable});
  }
  Result<void> skip(std::uint64_t records) override {
    for (; records > 0; --records) {
      TAVOLA_TRY(const auto record, records_.next());
      if (!record) break;
    }
    return {};
  }
  std::uint64_t text_bytes() const override { return records_.taken_bytes(); }
  std::uint64_t file_bytes() const override { return records_.file_bytes(); }

 private:
  // Without a key no line would be an item. Another delimiter makes one column of all.
  Result<void> require_columns(const std::vector<KeySchemaElement>& keys) const {
    for (const KeySchemaElement& key : keys) {
      if (std::ranges::find(columns_, key.name) != columns_.end()) continue;
      return fail(Error::validation("the header has no column " + key.name +
                                    ", a key of the table; its first column is " + columns_.front() +
                                    "; check the delimiter and the names of the columns"));
    }
    return {};
  }

  Result<PackedItem> item_of(CsvRecord record) const {
    if (!record.wrong.empty()) return fail(Error::validation(record.wrong));
    if (record.fields.size() != columns_.size()) {
      return fail(Error::validation("the line has " + std::to_string(record.fields.size()) +
                                    " fields, and the header " + std::to_string(columns_.size()) +
                                    "; check the delimiter, and that fields which contain it are in quotes"));
    }
    Item item;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      CsvField& field = record.fields[i];
      if (field.text.empty() && !field.is_quoted) continue;
      TAVOLA_TRY(Value value, value_of(std::move(field.text), types_[i], columns_[i]));
      item.insert_or_assign(columns_[i], std::move(value));
    }
    return pack(item);
  }

  CsvRecords records_;
  std::vector<std::string> columns_;
  std::vector<Type> types_;
};

}  // namespace

Result<std::unique_ptr<ItemReader>> new_csv_reader(std::unique_ptr<ByteSource> source,
                                                   const ReadOptions& options) {
  const char delimiter = options.csv.delimiter.empty() ? ',' : options.csv.delimiter.front();
  auto reader = std::make_unique<CsvReader>(std::move(source), delimiter);
  TAVOLA_CHECK(reader->begin(options));
  return reader;
}

}  // namespace tavola::transfer
