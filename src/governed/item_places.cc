#include "governed/item_places.h"

#include <algorithm>
#include <utility>

#include "base/digest.h"
#include "base/encoding.h"
#include "engine/records/keys.h"

namespace tavola::governed {
namespace {

constexpr std::string_view kBytes = "$bytes";
constexpr std::string_view kToken = "token";
constexpr std::string_view kJob = "job";
constexpr std::size_t kSchemasMax = 1000;

// The id of a job is behind its space and its table.
std::string_view job_id(std::string_view store_key) { return store_key.substr(1 + sizeof(std::uint32_t)); }

}  // namespace

bool is_reserved(std::string_view hash) {
  static constexpr std::string_view kPrefixes[] = {"$token#", "$job#", "$lease#", "$design#", "$front#"};
  return std::ranges::any_of(kPrefixes, [&](std::string_view prefix) { return hash.starts_with(prefix); });
}

bool is_reserved(const engine::TableSchema& table, const ItemView& key) {
  const std::optional<ValueView> hash = key.find(table.key.hash.front().name);
  return hash && hash->type() == Type::String && is_reserved(hash->string());
}

engine::KeyShape key_shape(const design::Design& design) {
  const design::Table& table = design.table;
  engine::KeyShape shape;
  shape.hash.push_back({table.hash.name, table.hash.type});
  if (table.range) shape.range.push_back({table.range->name, table.range->type});
  return shape;
}

Result<PackedItem> record_place(const engine::KeyShape& key, std::string_view kind, std::string_view name) {
  const std::string word = "$" + std::string(kind);
  Item place{{key.hash.front().name, Value(word + "#" + std::string(name))}};
  if (!key.range.empty()) {
    const engine::KeyAttribute& range = key.range.front();
    place.emplace(range.name, range.type == Type::Number   ? Value(Number(0))
                              : range.type == Type::Binary ? Value(Binary{word})
                                                           : Value(word));
  }
  return pack(place);
}

bool has_lists(const engine::KeyShape& key) {
  return !key.range.empty() && key.range.front().type == Type::String;
}

Result<PackedItem> listed_place(const engine::KeyShape& key, const ListedRecord& record) {
  if (!has_lists(key)) return record_place(key, record.kind, record.name);
  return pack(
      {{key.hash.front().name, Value("$" + std::string(record.kind) + "#" + std::string(record.list))},
       {key.range.front().name, Value(record.name)}});
}

ListedRecord job_record(std::string_view id) { return {.kind = kJob, .list = "all", .name = id}; }

Result<PackedItem> ItemPlace::item_of(std::string_view value) const {
  if (!holds_bytes) return PackedItem(std::string(value));
  Item item = key.unpack();
  item.insert_or_assign(std::string(kBytes), Value(Binary{std::string(value)}));
  return pack(item);
}

Result<std::string> ItemPlace::value_of(const PackedItem& item) const {
  if (!holds_bytes) return item.bytes();
  const std::optional<ValueView> bytes = item.find(kBytes);
  if (!bytes || bytes->type() != Type::Binary)
    return fail(Error::corrupt("a record of Tavola in the table " + table_name() +
                               " is not what was written: " + to_json(key.unpack())));
  return std::string(bytes->binary());
}

Result<SchemaPtr> SchemaCache::find(std::string_view record) {
  {
    const SharedLock lock(mutex_);
    const auto known = schemas_.find(record);
    if (known != schemas_.end()) return known->second;
  }
  TAVOLA_TRY(SchemaPtr schema, engine::decode_schema(record));
  const ExclusiveLock lock(mutex_);
  if (schemas_.size() >= kSchemasMax) schemas_.clear();
  schemas_.insert_or_assign(std::string(record), schema);
  return schema;
}

Result<std::vector<SchemaPtr>> SchemaCache::all() {
  std::vector<SchemaPtr> schemas;
  const auto snapshot = local_.snapshot();
  const auto cursor = snapshot->range(engine::catalog_range(), store::Direction::Forward);
  for (; cursor->valid(); cursor->next()) {
    TAVOLA_TRY(schemas.emplace_back(), find(cursor->value()));
  }
  TAVOLA_CHECK(cursor->status());
  return schemas;
}

Result<SchemaPtr> SchemaCache::find(engine::TableId id) {
  TAVOLA_TRY(const std::vector<SchemaPtr> schemas, all());
  const auto found = std::ranges::find_if(schemas, [&](const SchemaPtr& table) { return table->id == id; });
  return found == schemas.end() ? nullptr : *found;
}

Result<TransactionTables> TransactionTables::of(std::span<const store::Guard> guards, SchemaCache& schemas,
                                                const GovernedTables& governed) {
  TransactionTables tables;
  tables.governed_ = &governed;
  tables.schemas_ = &schemas;
  for (const store::Guard& guard : guards) {
    TAVOLA_TRY(SchemaPtr schema, schemas.find(guard.expected));
    tables.tables_.push_back(std::move(schema));
  }
  return tables;
}

Result<SchemaPtr> TransactionTables::table_of(std::string_view store_key) const {
  TAVOLA_TRY(const engine::TableId id, engine::table_of_entry(store_key));
  const auto found = std::ranges::find_if(tables_, [&](const SchemaPtr& table) { return table->id == id; });
  return found == tables_.end() ? schemas_->find(id) : *found;
}

Result<ItemPlace> TransactionTables::place_in(SchemaPtr table, PackedItem key) const {
  std::shared_ptr<const DesignFacts> facts = governed_->find(table->description.table_name);
  return ItemPlace{.table = std::move(table), .facts = std::move(facts), .key = std::move(key)};
}

Result<std::optional<ItemPlace>> TransactionTables::place_of(std::string_view store_key) const {
  if (!is_elsewhere(store_key)) return std::nullopt;
  const std::optional<std::string_view> token = engine::token_in(store_key);
  SchemaPtr table = token && !tables_.empty() ? tables_.front() : nullptr;
  if (!token) {
    TAVOLA_TRY(table, table_of(store_key));
  }
  if (table == nullptr)
    return fail(Error(ErrorCode::Stale, "a table was deleted while a request was decided"));
  if (engine::is_item_key(store_key)) {
    TAVOLA_TRY(PackedItem key, engine::key_attributes(*table, store_key));
    return place_in(std::move(table), std::move(key));
  }
  const std::string list = token ? to_hex(sha256({*token})).substr(0, 2) : std::string();
  const ListedRecord record = token ? ListedRecord{kToken, list, *token} : job_record(job_id(store_key));
  TAVOLA_TRY(PackedItem key, listed_place(table->key, record));
  TAVOLA_TRY(ItemPlace place, place_in(std::move(table), std::move(key)));
  place.holds_bytes = true;
  return place;
}

bool is_elsewhere(std::string_view store_key) {
  return engine::is_item_key(store_key) || engine::is_job_key(store_key) || engine::token_in(store_key);
}

bool are_of_items(std::span<const std::string> keys) {
  return std::ranges::any_of(keys, [](const std::string& key) { return is_elsewhere(key); });
}

}  // namespace tavola::governed
