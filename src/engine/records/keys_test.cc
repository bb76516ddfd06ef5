// Store keys and catalog records: the formats of docs/FORMAT.md, by example and by property.
#include "engine/records/keys.h"

#include <array>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/encoding.h"
#include "engine/records/request_token.h"
#include "engine/test_tables.h"

namespace tavola::engine {
namespace {

TableRecord description_of(const CreateTableRequest& request) {
  TableRecord description;
  description.table_name = request.table_name;
  description.attribute_definitions = request.attribute_definitions;
  description.key_schema = request.key_schema;
  description.global_indexes = request.global_indexes;
  description.local_indexes = request.local_indexes;
  description.billing_mode = request.billing_mode;
  description.throughput = request.throughput;
  return description;
}

std::shared_ptr<const TableSchema> schema_of(const CreateTableRequest& request, std::uint32_t id = 7) {
  std::vector<IndexId> ids;
  const std::size_t count = request.local_indexes.size() + request.global_indexes.size();
  ids.reserve(count);
  for (std::size_t i = 0; i < count; ++i) ids.emplace_back(static_cast<std::uint16_t>(10 + i));
  return decode_schema(encode_schema(TableId(id), ids, description_of(request)).value()).value();
}

// ---- Examples that pin the format ----

TEST(Keys, Catalog) {
  EXPECT_EQ(to_hex(next_table_id_key()), "016e");
  EXPECT_EQ(to_hex(catalog_key("abc")), "0174616263");
  EXPECT_EQ(table_name_in(catalog_key("abc")), "abc");
  EXPECT_EQ(to_hex(catalog_range().from), "0174");
  EXPECT_EQ(to_hex(catalog_range().to), "0175");
}

TEST(Keys, Entries) {
  const auto schema = schema_of(good_table());
  const PackedItem stored = item(R"({pk: "p", sk: 1, a: b"z"})");
  const std::string key = item_key(*schema, stored.view());
  EXPECT_EQ(to_hex(key.substr(0, 7)), "02000000070000");  // space, table 7, the table itself
  const std::string entry = index_entry_key(*schema, schema->indexes[1], stored.view()).value_or("");
  EXPECT_EQ(to_hex(entry.substr(0, 7)), "0200000007000b");  // the global index is the second: id 11
  EXPECT_TRUE(entry.ends_with(key.substr(9))) << "an index entry ends with the table's key";
  EXPECT_EQ(to_hex(counters_key(TableId(7))), "0300000007");
  EXPECT_EQ(to_hex(collection_key(*schema, stored.view()).substr(0, 5)), "0400000007");
}

TEST(Keys, TagsExpiriesAndTokens) {
  EXPECT_EQ(to_hex(tags_key(TableId(7))), "016700000007");
  EXPECT_EQ(to_hex(collecting_key(TableId(7))), "017800000007");
  EXPECT_EQ(table_of_collecting_key(collecting_key(TableId(7))), TableId(7));
  EXPECT_EQ(to_hex(token_key("abc")), "06616263");
  const auto schema = schema_of(good_table());
  const std::string key = item_key(*schema, item(R"({pk: "p", sk: 1})").view());
  const std::string expiry = expiry_key(1'800'000'000, key);
  EXPECT_EQ(to_hex(expiry.substr(0, 13)), "0500000007000000006b49d200");
  EXPECT_EQ(expiry.substr(13), key.substr(7)) << "ends as the item's key does";
  EXPECT_EQ(to_hex(expiry.substr(15)), "700000c102");
}

TEST(Keys, TokenRecordsAndFingerprints) {
  const TokenRecord record{std::string(16, '\x11'), WallTime(std::chrono::milliseconds(0x0102030405))};
  EXPECT_EQ(to_hex(encode_token(record)), "111111111111111111111111111111110000000102030405");
  EXPECT_EQ(decode_token(encode_token(record))->fingerprint, record.fingerprint);
  EXPECT_EQ(decode_token(encode_token(record))->done_at, record.done_at);
  EXPECT_EQ(decode_token("short").error().code(), ErrorCode::Corrupt);
  // Changing these would make repeated requests happen twice.
  const TransactWriteItemsRequest request{
      .actions = {PutItemRequest{.table_name = "Music",
                                 .item = item(R"({pk: "a", n: 1})"),
                                 .condition_expression = "#n = :n",
                                 .names = {{"#n", "n"}},
                                 .values = item("{:n: 1}")},
                  UpdateItemRequest{
                      .table_name = "Music", .key = item(R"({pk: "b"})"), .update_expression = "REMOVE n"}}};
  EXPECT_EQ(to_hex(fingerprint_of(request)), "99c0114fcc6cca27ea15a40d85ee167a");
}

// No two requests of different meaning have the same fingerprint, wherever their parts are divided.
TEST(Keys, FingerprintsDiffer) {
  const auto put = [](std::string table, std::string condition, PackedItem put_item) {
    return PutItemRequest{.table_name = std::move(table),
                          .item = std::move(put_item),
                          .condition_expression = std::move(condition)};
  };
  const PackedItem a = item(R"({pk: "a"})");
  const PackedItem b = item(R"({pk: "b"})");
  PutItemRequest named = put("ab", "c", a);
  named.names = {{"#x", "y"}};
  PutItemRequest named_otherwise = put("ab", "c", a);
  named_otherwise.names = {{"#xy", ""}};
  const std::vector<std::vector<TransactWrite>> requests{
      {},
      {put("ab", "c", a)},
      {put("a", "bc", a)},
      {put("abc", "", a)},
      {put("ab", "c", b)},
      {named},
      {named_otherwise},
      {put("ab", "c", a), put("ab", "c", b)},
      {put("ab", "c", b), put("ab", "c", a)},
      {DeleteItemRequest{.table_name = "ab", .key = a, .condition_expression = "c"}},
      {UpdateItemRequest{.table_name = "ab", .key = a, .condition_expression = "c"}},
      {ConditionCheck{.table_name = "ab", .key = a, .condition_expression = "c"}},
  };
  std::set<std::string> fingerprints;
  for (const auto& actions : requests) fingerprints.insert(fingerprint_of({.actions = actions}));
  EXPECT_EQ(fingerprints.size(), requests.size());
}

TEST(Keys, AnItemWithoutTheIndexKeyHasNoEntry) {
  const auto schema = schema_of(good_table());
  EXPECT_EQ(index_entry_key(*schema, schema->indexes[0], item(R"({pk: "p", sk: 1})").view()), std::nullopt);
}

TEST(Keys, EqualNumbersAreOneKey) {
  const auto schema = schema_of(good_table());
  EXPECT_EQ(item_key(*schema, item(R"({pk: "p", sk: 5})").view()),
            item_key(*schema, item(R"({pk: "p", sk: 5.00})").view()));
}

TEST(Keys, RangesOfHashesMeetAndCoverTheTable) {
  const store::KeyRange all = all_entries(TableId(7));
  std::string reached = entry_range(TableId(7), kTableItself, 0, 0x10000).from;
  for (const std::uint32_t hash : {0U, 1U, 255U, 256U, 65535U}) {
    const store::KeyRange range = entry_range(TableId(7), kTableItself, hash, hash + 1);
    EXPECT_LT(range.from, range.to);
    EXPECT_GE(range.from, reached);
    EXPECT_GE(range.from, all.from);
    EXPECT_LE(range.to, all.to);
    reached = range.to;
  }
  EXPECT_EQ(reached, entry_range(TableId(7), kTableItself, 0, 0x10000).to);
  const store::KeyRange empty = entry_range(TableId(7), kTableItself, 0x10000, 0x10000);
  EXPECT_EQ(empty.from, empty.to);
}

TEST(Keys, TheLastTableEndsBeforeTheNextSpace) {
  const TableId last(0xFFFFFFFF);
  EXPECT_EQ(to_hex(all_entries(last).to), "03");
  EXPECT_EQ(to_hex(all_collections(last).to), "05");
  EXPECT_EQ(to_hex(all_expiries(last).to), "06");
}

// ---- Properties ----

rc::Gen<std::string> text() { return rc::gen::string<std::string>(); }  // any bytes are valid in keys

std::string binary_key(const TableSchema& schema, const std::string& hash_value,
                       const std::string& range_value) {
  return item_key(schema, pack({{"h", Binary{hash_value}}, {"r", Binary{range_value}}})->view());
}

CreateTableRequest binary_table() {
  return {.table_name = "Bytes",
          .attribute_definitions = {{"h", Type::Binary}, {"r", Type::Binary}},
          .key_schema = {hash("h"), range("r")}};
}

RC_GTEST_PROP(Keys, RangeKeysAreOrderedWithinAPartition, ()) {
  static const auto schema = schema_of(binary_table());
  const std::string h = *text(), a = *text(), b = *text();
  RC_ASSERT((binary_key(*schema, h, a) < binary_key(*schema, h, b)) == (a < b));
}

RC_GTEST_PROP(Keys, PartitionsDoNotMix, ()) {
  static const auto schema = schema_of(binary_table());
  const std::string h1 = *text(), h2 = *text(), r = *text();
  const PackedItem partition = *pack({{"h", Binary{h1}}});
  const std::array hash_values{(*partition.view().begin()).second};
  const std::string prefix = partition_prefix(schema->id, kTableItself, hash_values);
  RC_ASSERT(binary_key(*schema, h1, r).starts_with(prefix));
  RC_ASSERT(binary_key(*schema, h2, r).starts_with(prefix) == (h1 == h2));
}

RC_GTEST_PROP(Keys, ItemKeysComeBack, ()) {
  static const auto schema = schema_of(binary_table());
  const PackedItem key = *pack({{"h", Binary{*text()}}, {"r", Binary{*text()}}});
  const std::string stored = item_key(*schema, key.view());
  RC_ASSERT(is_item_key(stored));
  RC_ASSERT(table_of_entry(stored).value() == schema->id);
  RC_ASSERT(key_attributes(*schema, stored).value() == key);
  const Partition partition = partition_of(*schema, stored).value();
  RC_ASSERT(partition.index == kTableItself);
  RC_ASSERT(*partition.hash.find("h") == *key.find("h"));
  RC_ASSERT(!key_attributes(*schema, stored.substr(0, stored.size() - 1)));
  RC_ASSERT(!key_attributes(*schema, stored + 'x'));
}

TEST(Keys, RecordsAndEntriesOfIndexesAreTakenApart) {
  const auto schema = schema_of(good_table());
  const PackedItem record = item(R"({pk: "$token#1", sk: 0})");
  const std::string key = record_key(*schema, record.view());
  EXPECT_TRUE(is_item_key(key));
  EXPECT_EQ(key_attributes(*schema, key).value(), record);
  const PackedItem stored = item(R"({pk: "p", sk: 1, a: b"z"})");
  const std::string entry = index_entry_key(*schema, schema->indexes[1], stored.view()).value_or("");
  EXPECT_FALSE(is_item_key(entry));
  EXPECT_FALSE(key_attributes(*schema, entry));
  EXPECT_EQ(partition_of(*schema, entry).value().index, schema->indexes[1].id);
  EXPECT_FALSE(partition_of(*schema, "").has_value());
  EXPECT_FALSE(is_item_key(catalog_key("table")));
  EXPECT_FALSE(is_item_key(""));
  EXPECT_EQ(token_in(token_key("abc")), "abc");
  EXPECT_EQ(token_in(key), std::nullopt);
}

RC_GTEST_PROP(Keys, ExpiriesComeBackAndAreOrderedByTime, ()) {
  static const auto schema = schema_of(binary_table());
  const auto seconds = rc::gen::inRange<std::uint64_t>(0, std::uint64_t{1} << 40);
  const std::uint64_t early = *seconds, late = *seconds;
  const std::string one = binary_key(*schema, *text(), *text());
  const std::string other = binary_key(*schema, *text(), *text());
  const auto decoded = decode_expiry_key(expiry_key(early, one));
  RC_ASSERT(decoded.has_value());
  RC_ASSERT(decoded->seconds == early);
  RC_ASSERT(decoded->item_key == one);
  if (early != late) RC_ASSERT((expiry_key(early, one) < expiry_key(late, other)) == (early < late));
  const store::KeyRange due = expiries_until(schema->id, late);
  RC_ASSERT((due.from <= expiry_key(early, one) && expiry_key(early, one) < due.to) == (early <= late));
}

RC_GTEST_PROP(Schema, ARecordComesBackAsItWent, ()) {
  CreateTableRequest request =
      *rc::gen::element(good_table(), simple_table("Simple"), provisioned_table("Paid"));
  request.table_class = *rc::gen::element(TableClass::Standard, TableClass::StandardInfrequentAccess);
  TableRecord description = description_of(request);
  std::ranges::sort(description.attribute_definitions, {},
                    &AttributeDefinition::name);  // as they are returned
  description.table_id = *rc::gen::nonEmpty(rc::gen::string<std::string>());
  std::erase_if(description.table_id, [](char c) { return c <= 0; });  // text
  description.created_at =
      decltype(description.created_at)(std::chrono::milliseconds(*rc::gen::inRange(0, 1 << 30)));
  description.deletion_protection = *rc::gen::arbitrary<bool>();
  if (*rc::gen::arbitrary<bool>()) {
    description.stream = *rc::gen::element(StreamView::KeysOnly, StreamView::NewImage, StreamView::OldImage,
                                           StreamView::NewAndOldImages);
  }
  if (*rc::gen::arbitrary<bool>()) description.stream_since = description.created_at;
  if (*rc::gen::arbitrary<bool>()) description.on_demand_since = description.created_at;
  if (*rc::gen::arbitrary<bool>()) description.time_to_live_attribute = "expires";
  if (*rc::gen::arbitrary<bool>()) description.on_demand_limits = OnDemandLimits{.read_units = 7};
  if (*rc::gen::arbitrary<bool>()) description.warm_throughput = WarmThroughput{12'001, 4'002};
  if (!description.global_indexes.empty() && *rc::gen::arbitrary<bool>()) {
    description.global_indexes[0].on_demand_limits = OnDemandLimits{.write_units = 8};
    description.global_indexes[0].warm_throughput = WarmThroughput{12'003, 4'004};
    description.index_build = IndexBuild{description.global_indexes[0].name};
    description.index_build_position = *rc::gen::arbitrary<std::string>();
  }
  std::vector<IndexId> ids;
  const std::size_t count = request.local_indexes.size() + request.global_indexes.size();
  ids.reserve(count);
  for (std::size_t i = 0; i < count; ++i)
    ids.emplace_back(static_cast<std::uint16_t>(*rc::gen::inRange(1, 30000) + static_cast<int>(i) * 30000));
  const std::uint32_t id = *rc::gen::arbitrary<std::uint32_t>();

  IndexIds all_ids(ids);
  all_ids.next += static_cast<std::uint32_t>(*rc::gen::inRange(0, 3));
  if (all_ids.next > 65536) all_ids.next = 65536;

  const std::string record = encode_schema(TableId(id), all_ids, description).value();
  const auto schema = decode_schema(record);
  RC_ASSERT(schema.has_value());
  RC_ASSERT((*schema)->id == TableId(id));
  RC_ASSERT((*schema)->record == record);
  std::vector<IndexId> decoded_ids;
  for (const IndexSchema& index : (*schema)->indexes) decoded_ids.push_back(index.id);
  RC_ASSERT(decoded_ids == ids);
  RC_ASSERT((*schema)->description.table_id == description.table_id);
  RC_ASSERT((*schema)->description.created_at == description.created_at);
  RC_ASSERT((*schema)->description.global_indexes == description.global_indexes);
  RC_ASSERT((*schema)->description.local_indexes == description.local_indexes);
  RC_ASSERT((*schema)->description.deletion_protection == description.deletion_protection);
  RC_ASSERT((*schema)->description.stream == description.stream);
  RC_ASSERT((*schema)->description.stream_since == description.stream_since);
  RC_ASSERT((*schema)->description.on_demand_since == description.on_demand_since);
  RC_ASSERT((*schema)->description.time_to_live_attribute == description.time_to_live_attribute);
  RC_ASSERT((*schema)->description.on_demand_limits == description.on_demand_limits);
  RC_ASSERT((*schema)->description.warm_throughput == description.warm_throughput);
  RC_ASSERT((*schema)->description.index_build == description.index_build);
  RC_ASSERT((*schema)->description.index_build_position == description.index_build_position);
  RC_ASSERT((*schema)->building_index.has_value() == description.index_build.has_value());
  RC_ASSERT((*schema)->next_index_id == all_ids.next);
  RC_ASSERT(encode_schema(TableId(id), all_ids, (*schema)->description).value() == record);
}

// A record with any single changed byte is decoded or refused; it never breaks the reader.
RC_GTEST_PROP(Schema, ADamagedRecordNeverBreaksTheReader, ()) {
  static const std::string good =
      encode_schema(TableId(7), {IndexId(1), IndexId(2)}, description_of(good_table())).value();
  std::string record = good;
  const auto at = *rc::gen::inRange<std::size_t>(0, record.size());
  record[at] = *rc::gen::arbitrary<char>();
  const auto schema = decode_schema(record);
  if (schema) return;
  const ErrorCode code = schema.error().code();
  RC_ASSERT(code == ErrorCode::Corrupt || code == ErrorCode::NewerFormat);
}

}  // namespace
}  // namespace tavola::engine
