#include "governed/item_places.h"

#include <algorithm>
#include <utility>

#include "engine/records/keys.h"

namespace tavola::governed {
namespace {

constexpr std::string_view kBytes = "bytes";
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

Result<TransactionTables> TransactionTables::of(std::span<const store::Guard> guards, SchemaCache& schemas,
                                                const GovernedTables& governed) {
  TransactionTables tables;
  tables.governed_ = &governed;
  for (const store::Guard& guard : guards) {
    TAVOLA_TRY(SchemaPtr schema, schemas.find(guard.expected));
    tables.tables_.push_back(std::move(schema));
  }
  if (tables.tables_.empty()) return fail(Error::internal("a transaction on items names no table"));
  return tables;
}

SchemaPtr TransactionTables::table_of(std::string_view store_key) const {
  const Result<engine::TableId> id = engine::table_of_entry(store_key);
  if (!id) return nullptr;
  const auto found = std::ranges::find_if(tables_, [&](const SchemaPtr& table) { return table->id == *id; });
  return found == tables_.end() ? nullptr : *found;
}

Result<ItemPlace> TransactionTables::place_in(SchemaPtr table, PackedItem key) const {
  std::shared_ptr<const DesignFacts> facts = governed_->find(table->description.table_name);
  return ItemPlace{.table = std::move(table), .facts = std::move(facts), .key = std::move(key)};
}

Result<std::optional<ItemPlace>> TransactionTables::place_of(std::string_view store_key) const {
  if (const std::optional<std::string_view> token = engine::token_in(store_key)) {
    TAVOLA_TRY(PackedItem key, record_place(tables_.front()->key, kToken, *token));
    TAVOLA_TRY(ItemPlace place, place_in(tables_.front(), std::move(key)));
    place.holds_bytes = true;
    return place;
  }
  const bool is_job = engine::is_job_key(store_key);
  if (!is_job && !engine::is_item_key(store_key)) return std::nullopt;
  SchemaPtr table = table_of(store_key);
  if (table == nullptr)
    return fail(Error::internal("a transaction writes to a table that it does not guard"));
  if (!is_job) {
    TAVOLA_TRY(PackedItem key, engine::key_attributes(*table, store_key));
    return place_in(std::move(table), std::move(key));
  }
  TAVOLA_TRY(PackedItem key, record_place(table->key, kJob, job_id(store_key)));
  TAVOLA_TRY(ItemPlace place, place_in(std::move(table), std::move(key)));
  place.holds_bytes = true;
  return place;
}

bool are_of_items(std::span<const std::string> keys) {
  return std::ranges::any_of(
      keys, [](const std::string& key) { return engine::is_item_key(key) || engine::token_in(key); });
}

}  // namespace tavola::governed
