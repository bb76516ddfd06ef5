#include "tests/crash/workload.h"

#include <array>
#include <string_view>

namespace tavola::crash {

namespace {

constexpr std::string_view kOwnedPrefix = "own-";
constexpr std::string_view kSharedPartition = "shared";
constexpr std::string_view kCounterPartition = "counter";

// splitmix64's finaliser: neighbouring ids give unrelated values.
std::uint64_t scramble(std::uint64_t value) {
  value += 0x9E3779B97F4A7C15U;
  value = (value ^ (value >> 30U)) * 0xBF58476D1CE4E5B9U;
  value = (value ^ (value >> 27U)) * 0x94D049BB133111EBU;
  return value ^ (value >> 31U);
}

// Returns mostly short texts; some take several pages of the log, so that a power cut can tear them; some are large
// enough to fill the store's write buffer, so that kills meet flushes and compactions.
std::string payload_of(std::uint64_t id) {
  const std::uint64_t random = scramble(id ^ 0x5EED);
  const std::uint64_t dice = random % 32;
  const std::uint64_t more = random / 32;
  const std::size_t size = dice == 0   ? 100'000 + more % 200'000
                           : dice < 10 ? 8'000 + more % 16'000
                                       : more % 2'000;
  std::string text(size, ' ');
  std::uint64_t state = random;
  for (char& c : text) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    c = static_cast<char>('a' + (state >> 40U) % 26);
  }
  return text;
}

std::optional<std::string> group_of(std::uint64_t id) {
  const std::uint64_t random = scramble(id ^ 0x6709);
  if (random % 4 == 0) return std::nullopt;
  return "g" + std::to_string(random / 4 % 7);
}

std::int64_t rank_of(std::uint64_t id) {
  return static_cast<std::int64_t>(scramble(id ^ 0x4A9C) % 1'000) - 500;
}

Item whole_item(const Operation& operation) {
  Item item = key_item(operation.key);
  item[kOperation] = operation.id;
  item[kRank] = rank_of(operation.id);
  item[kPayload] = payload_of(operation.id);
  item[kCount] = 0;
  if (auto group = group_of(operation.id)) item[kGroup] = *std::move(group);
  return item;
}

Number count_plus_one(const Item& item) {
  const auto found = item.find(kCount);
  const std::int64_t count = found == item.end() ? 0 : found->second.number().to_int64().value_or(0);
  return {count + 1};
}

Item updated_item(const Operation& operation, Item item) {
  item[kOperation] = operation.id;
  item[kRank] = rank_of(operation.id);
  item[kCount] = count_plus_one(item);
  if (auto group = group_of(operation.id)) {
    item[kGroup] = *std::move(group);
  } else {
    item.erase(kGroup);
  }
  return item;
}

Result<Outcome> outcome_of(const Result<WriteItemResponse>& response) {
  if (response) return Outcome{};
  if (response.error().code() == ErrorCode::ConditionalCheckFailed) return Outcome{.applied = false};
  return fail(response.error());
}

Result<Outcome> put(Database& database, const Operation& operation) {
  PutItemRequest request{.table_name = operation.table};
  TAVOLA_TRY(request.item, pack(whole_item(operation)));
  if (operation.kind == Operation::Kind::PutNew) request.condition_expression = "attribute_not_exists(pk)";
  return outcome_of(database.put_item(request));
}

Result<Outcome> update(Database& database, const Operation& operation) {
  UpdateItemRequest request{.table_name = operation.table};
  TAVOLA_TRY(request.key, pack(key_item(operation.key)));
  request.names = {{"#o", kOperation}, {"#r", kRank}, {"#g", kGroup}, {"#c", kCount}};
  Item values{{":o", operation.id}, {":r", rank_of(operation.id)}, {":one", 1}};
  if (auto group = group_of(operation.id)) {
    request.update_expression = "SET #o = :o, #r = :r, #g = :g ADD #c :one";
    values[":g"] = *std::move(group);
  } else {
    request.update_expression = "SET #o = :o, #r = :r REMOVE #g ADD #c :one";
  }
  TAVOLA_TRY(request.values, pack(values));
  return outcome_of(database.update_item(request));
}

Result<Outcome> remove(Database& database, const Operation& operation) {
  DeleteItemRequest request{.table_name = operation.table};
  TAVOLA_TRY(request.key, pack(key_item(operation.key)));
  return outcome_of(database.delete_item(request));
}

Result<Outcome> count(Database& database, const Operation& operation) {
  UpdateItemRequest request{.table_name = operation.table};
  TAVOLA_TRY(request.key, pack(key_item(operation.key)));
  request.update_expression = "ADD #c :one";
  request.names = {{"#c", kCount}};
  TAVOLA_TRY(request.values, pack({{":one", 1}}));
  request.return_values = ReturnValues::UpdatedNew;
  TAVOLA_TRY(const auto response, database.update_item(request));
  const auto value = response.attributes ? response.attributes->find(kCount) : std::nullopt;
  if (!value) return fail(Error::internal("UPDATED_NEW did not return the counter"));
  return Outcome{.value = value->number().to_int64().value_or(-1)};
}

Result<Outcome> create_table(Database& database, const Operation& operation) {
  const auto response = database.create_table(table_definition(operation.table));
  if (response) return Outcome{};
  if (response.error().code() == ErrorCode::ResourceInUse) return Outcome{.applied = false};
  return fail(response.error());
}

Result<Outcome> delete_table(Database& database, const Operation& operation) {
  const auto response = database.delete_table({.table_name = operation.table});
  if (response) return Outcome{};
  if (response.error().code() == ErrorCode::ResourceNotFound) return Outcome{.applied = false};
  return fail(response.error());
}

}  // namespace

Key owned_key(int thread, std::int64_t sort) {
  return {.partition = std::string(kOwnedPrefix) + std::to_string(thread), .sort = sort};
}

Key shared_key(std::int64_t sort) { return {.partition = std::string(kSharedPartition), .sort = sort}; }

Key counter_key(std::int64_t sort) { return {.partition = std::string(kCounterPartition), .sort = sort}; }

KeyRole role_of(const Key& key) {
  if (key.partition == kSharedPartition) return KeyRole::Shared;
  if (key.partition == kCounterPartition) return KeyRole::Counter;
  return KeyRole::Owned;
}

CreateTableRequest table_definition(const std::string& name) {
  return {.table_name = name,
          .attribute_definitions = {{kPartition, Type::String},
                                    {kSort, Type::Number},
                                    {kGroup, Type::String},
                                    {kRank, Type::Number},
                                    {kOperation, Type::Number}},
          .key_schema = {{kPartition, KeyType::Hash}, {kSort, KeyType::Range}},
          .global_indexes = {{.name = "by-group",
                              .key_schema = {{kGroup, KeyType::Hash}, {kRank, KeyType::Range}}},
                             {.name = "by-operation",
                              .key_schema = {{kOperation, KeyType::Hash}},
                              .projection = {.type = ProjectionType::KeysOnly}}},
          .local_indexes = {{.name = "by-rank",
                             .key_schema = {{kPartition, KeyType::Hash}, {kRank, KeyType::Range}},
                             .projection = {.type = ProjectionType::Include, .attributes = {kCount}}}},
          .stream = StreamView::NewAndOldImages};
}

std::optional<Item> item_after(const Operation& operation, const std::optional<Item>& before) {
  switch (operation.kind) {
    case Operation::Kind::Put:
    case Operation::Kind::PutNew:
      return whole_item(operation);
    case Operation::Kind::Update:
      return updated_item(operation, before.value_or(key_item(operation.key)));
    case Operation::Kind::Count: {
      Item item = before.value_or(key_item(operation.key));
      item[kCount] = count_plus_one(item);
      return item;
    }
    default:
      return std::nullopt;
  }
}

Result<Outcome> perform(Database& database, const Operation& operation) {
  switch (operation.kind) {
    case Operation::Kind::Put:
    case Operation::Kind::PutNew:
      return put(database, operation);
    case Operation::Kind::Update:
      return update(database, operation);
    case Operation::Kind::Delete:
      return remove(database, operation);
    case Operation::Kind::Count:
      return count(database, operation);
    case Operation::Kind::CreateTable:
      return create_table(database, operation);
    case Operation::Kind::DeleteTable:
      return delete_table(database, operation);
  }
  return fail(Error::internal("no such kind of operation"));
}

Item key_item(const Key& key) { return {{kPartition, key.partition}, {kSort, key.sort}}; }

Key key_of(const Item& item) {
  return {.partition = item.at(kPartition).string(), .sort = item.at(kSort).number().to_int64().value_or(-1)};
}

}  // namespace tavola::crash
