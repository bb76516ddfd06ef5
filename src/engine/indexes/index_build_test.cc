// Global indexes that are created and deleted while their table is used, on both stores.
#include "engine/indexes/index_build.h"

#include <atomic>
#include <random>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "engine/test_actions.h"
#include "engine/test_database.h"
#include "engine/test_tables.h"

namespace tavola::engine {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

GlobalIndex by_x(std::string name = "byX") { return {.name = std::move(name), .key_schema = {hash("x")}}; }

UpdateTableRequest creating(GlobalIndex index,
                            std::vector<AttributeDefinition> definitions = {{"x", Type::String}}) {
  return {.table_name = "Things",
          .attribute_definitions = std::move(definitions),
          .created_indexes = {std::move(index)}};
}
UpdateTableRequest deleting(std::string index) {
  return {.table_name = "Things", .deleted_indexes = {std::move(index)}};
}

// Items by number; some have no x, and some have one that does not fit an index on strings.
Item numbered(int i, int version = 0) {
  Item item{{"pk", "item " + std::to_string(i)}, {"v", version}, {"text", std::string(20, 'x')}};
  switch ((i + version) % 7) {
    case 0:
      break;
    case 1:
      item["x"] = i;
      break;
    default:
      item["x"] = "x" + std::to_string((i * 31 + version) % 50);
  }
  return item;
}
// Items of writers who know the index: x always has its type.
Item fitting(int i, int version) {
  Item item = numbered(i, version);
  if ((i + version) % 7 == 1) item["x"] = "was a number";
  return item;
}

class BuildingIndexes : public testing::TestWithParam<StoreKind> {
 protected:
  BuildingIndexes() : db_(GetParam()) { EXPECT_TRUE(db_->create_table(simple_table("Things"))); }

  void put(const Item& item) {
    const auto done = db_->put_item({.table_name = "Things", .item = *pack(item)});
    ASSERT_TRUE(done) << text_of(done.error());
  }
  void fill(int count) {
    for (int i = 0; i < count; ++i) put(numbered(i));
  }
  TableDescription update(const UpdateTableRequest& request) {
    const auto updated = db_->update_table(request);
    EXPECT_TRUE(updated) << text_of(updated.error());
    return updated ? updated->table : TableDescription();
  }
  std::string refusal(const UpdateTableRequest& request) {
    const Dump before = db_.dump();
    const auto updated = db_->update_table(request);
    EXPECT_TRUE(updated || db_.dump() == before) << "a failed update changed the store";
    return updated ? "updated" : text_of(updated.error());
  }
  TableDescription describe() { return db_->describe_table({"Things"})->table; }
  bool step(std::size_t items) {
    const auto done = db_->build_index("Things", {.items = items});
    EXPECT_TRUE(done) << text_of(done.error());
    return done.value_or(true);
  }
  void finish() {
    while (describe().index_build) ASSERT_TRUE(db_->sweep());
  }
  std::vector<std::string> jobs() const {
    std::vector<std::string> keys;
    for (const auto& [key, value] : db_.dump()) {
      if (key.starts_with('\x09')) keys.push_back(key);
    }
    return keys;
  }

  TestDatabase db_;
};

INSTANTIATE_TEST_SUITE_P(Engine, BuildingIndexes, testing::ValuesIn(kStoreKinds),
                         [](const auto& kind) { return to_string(kind.param); });

// ---- Visible behaviour ----

TEST_P(BuildingIndexes, AnIndexIsMadeOfTheItemsThatFit) {
  fill(100);
  put({{"pk", "empty"}, {"x", ""}});
  put({{"pk", "longest"}, {"x", std::string(2048, 'l')}});
  put({{"pk", "too long"}, {"x", std::string(2049, 'l')}});
  const TableDescription created = update(creating(by_x()));
  EXPECT_EQ(created.status, TableStatus::Updating);
  ASSERT_TRUE(created.index_build);
  EXPECT_EQ(created.index_build->index, "byX");
  EXPECT_THAT(created.attribute_definitions, SizeIs(2));
  EXPECT_EQ(describe().status, TableStatus::Updating);
  EXPECT_EQ(describe().index_statistics.at("byX").item_count, 0);

  const auto read = db_->scan({.table_name = "Things", .index_name = "byX"});
  ASSERT_FALSE(read);
  EXPECT_EQ(text_of(read.error()),
            "ValidationException: Cannot read from backfilling global secondary index: byX");
  const auto removed = db_->delete_table({"Things"});
  ASSERT_FALSE(removed);
  EXPECT_EQ(text_of(removed.error()),
            "ResourceInUseException: Attempt to change a resource which is still in use: Cannot delete table "
            "while indexes are being created, updated, or deleted.");

  finish();
  EXPECT_EQ(describe().status, TableStatus::Active);
  EXPECT_THAT(jobs(), IsEmpty());
  db_.expect_consistent("Things");
  EXPECT_EQ(describe().index_statistics.at("byX").item_count, 70 + 1);
  EXPECT_TRUE(db_->delete_table({"Things"}));
  EXPECT_THAT(db_.leftovers(), IsEmpty());
}

TEST_P(BuildingIndexes, AnEmptyTableHasItsIndexAfterOneStep) {
  update(creating(by_x()));
  EXPECT_TRUE(step(1));
  EXPECT_EQ(describe().status, TableStatus::Active);
  put(fitting(3, 0));
  db_.expect_consistent("Things");
}

TEST_P(BuildingIndexes, KeysOfSeveralAttributesAndProjections) {
  for (int i = 0; i < 40; ++i) {
    Item item{{"pk", std::to_string(i)}, {"other", "not projected"}};
    for (int part = 0; part < 8; ++part) {
      if (i % 9 != part) item["k" + std::to_string(part)] = Value(i * 10 + part);
    }
    put(item);
  }
  std::vector<AttributeDefinition> definitions;
  GlobalIndex wide{.name = "wide", .projection = {ProjectionType::Include, {"some"}}};
  for (int part = 0; part < 8; ++part) {
    const std::string name = "k" + std::to_string(part);
    definitions.push_back({name, Type::Number});
    wide.key_schema.push_back(part < 4 ? hash(name) : range(name));
  }
  update(creating(wide, definitions));
  EXPECT_FALSE(step(10));
  finish();
  db_.expect_consistent("Things");
  EXPECT_EQ(describe().index_statistics.at("wide").item_count, 4);
}

// ---- Concurrent writes ----

TEST_P(BuildingIndexes, WritesBeforeAndBehindThePlaceAreRight) {
  fill(60);
  update(creating(by_x()));
  for (int round = 0; !step(7); ++round) {
    for (int i = 0; i < 60; i += 3) put(fitting(i, round + 1));
    ASSERT_TRUE(
        db_->delete_item({.table_name = "Things", .key = *pack({{"pk", "item " + std::to_string(round)}})}));
    put(fitting(100 + round, round));
    const TableDescription table = describe();
    EXPECT_EQ(table.item_count, static_cast<std::int64_t>(db_.scan_all("Things").size()));
  }
  db_.expect_consistent("Things");
}

TEST_P(BuildingIndexes, AWriterIsChargedForTheIndexWhereverThePlaceIs) {
  fill(10);
  update(creating(by_x()));
  PutItemRequest request{.table_name = "Things",
                         .item = *pack({{"pk", "new"}, {"x", "x"}}),
                         .return_consumed_capacity = ReturnConsumedCapacity::Indexes};
  const auto before = db_->put_item(request);
  ASSERT_TRUE(before && before->consumed_capacity);
  EXPECT_EQ(before->consumed_capacity->global_index_units.at("byX"), 1.0);
  finish();
  request.item = *pack({{"pk", "newer"}, {"x", "x"}});
  const auto after = db_->put_item(request);
  ASSERT_TRUE(after && after->consumed_capacity);
  EXPECT_EQ(after->consumed_capacity->global_index_units.at("byX"), 1.0);
}

TEST_P(BuildingIndexes, WhatDoesNotFitIsRefusedFromTheBeginningUnlessItWasThereBefore) {
  put({{"pk", "old"}, {"x", 1}});
  update(creating(by_x()));
  const std::string mismatch = "Type mismatch for Index Key x Expected: S Actual: N IndexName: byX";
  const auto refused = db_->put_item({.table_name = "Things", .item = *pack({{"pk", "new"}, {"x", 1}})});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message(), HasSubstr(mismatch));
  for (const bool built : {false, true}) {
    if (built) finish();
    const auto touched =
        db_->update_item(engine::update("Things", R"({pk: "old"})", "SET y = :y", {"", "{:y: 1}"}));
    EXPECT_TRUE(touched) << text_of(touched.error());
    EXPECT_FALSE(db_->update_item(engine::update("Things", R"({pk: "old"})", "SET x = :x", {"", "{:x: 2}"})));
  }
  db_.expect_consistent("Things");
  ASSERT_TRUE(
      db_->update_item(engine::update("Things", R"({pk: "old"})", "SET x = :x", {"", R"({:x: "fits"})"})));
  db_.expect_consistent("Things");
  EXPECT_EQ(describe().index_statistics.at("byX").item_count, 1);
}

// All orders of writes, steps, and created and deleted indexes.
RC_GTEST_PROP(BuildingIndexesAtRandom, TheIndexIsWhatTheItemsSay, ()) {
  TestDatabase db(*rc::gen::element(StoreKind::Memory, StoreKind::Rocks));
  RC_ASSERT(db->create_table(simple_table("Things")).has_value());
  const int keys = *rc::gen::inRange(1, 25);
  bool has_index = false;
  const auto write = [&](int version) {
    const int key = *rc::gen::inRange(0, keys);
    const Item item = has_index ? fitting(key, version) : numbered(key, version);
    const PackedItem packed_key = *pack({{"pk", item.at("pk")}});
    switch (*rc::gen::inRange(0, 4)) {
      case 0:
        return db->delete_item({.table_name = "Things", .key = packed_key}).has_value();
      case 1:
        return db
            ->transact_write_items({.actions = {PutItemRequest{.table_name = "Things", .item = *pack(item)}}})
            .has_value();
      case 2:
        return db
            ->batch_write_item(
                {.tables = {{.table_name = "Things", .writes = {{BatchWrite::Kind::Put, *pack(item)}}}}})
            .has_value();
      default:
        return db->put_item({.table_name = "Things", .item = *pack(item)}).has_value();
    }
  };
  const int actions = *rc::gen::inRange(1, 80);
  for (int i = 0; i < actions; ++i) {
    switch (*rc::gen::inRange(0, 12)) {
      case 0:
        RC_ASSERT(db->update_table(has_index ? deleting("byX") : creating(by_x())).has_value());
        has_index = !has_index;
        break;
      case 1:
      case 2:
      case 3:
        RC_ASSERT(db->build_index("Things", {.items = *rc::gen::inRange<std::size_t>(1, 6)}).has_value());
        break;
      default:
        RC_ASSERT(write(i));
    }
  }
  while (db->describe_table({"Things"})->table.index_build) RC_ASSERT(db->sweep().has_value());
  db.expect_consistent("Things");
  RC_ASSERT(!testing::Test::HasFailure());
}

// Writers, readers and the sweeper at once.
TEST_P(BuildingIndexes, WritersInManyThreadsMeetTheBuild) {
  constexpr int kItems = 4000;
  fill(kItems);
  db_->start_sweeping();
  std::atomic<bool> stop = false;
  std::atomic<int> failures = 0;
  std::atomic<int> scans = 0;
  std::vector<std::jthread> threads;
  for (unsigned seed = 0; seed < 3; ++seed) {
    threads.emplace_back([&, seed] {
      std::mt19937 random(seed);
      for (int version = 1; !stop; ++version) {
        const int i = static_cast<int>(random() % (kItems + 500));
        const bool gone = random() % 5 == 0;
        const bool done =
            gone ? db_->delete_item(
                          {.table_name = "Things", .key = *pack({{"pk", "item " + std::to_string(i)}})})
                       .has_value()
                 : db_->put_item({.table_name = "Things", .item = *pack(fitting(i, version))}).has_value();
        if (!done) ++failures;
      }
    });
  }
  threads.emplace_back([&] {
    while (!stop) {
      if (!db_->scan({.table_name = "Things"})) ++failures;
      ++scans;
    }
  });
  for (const std::string name : {"one", "two"}) {
    update(creating(by_x(name)));
    while (describe().index_build) std::this_thread::yield();
    update(deleting(name));
  }
  update(creating(by_x()));
  while (describe().index_build) std::this_thread::yield();
  stop = true;
  threads.clear();
  EXPECT_EQ(failures, 0);
  EXPECT_GT(scans, 0) << "reads went on";
  db_.expect_consistent("Things");
}

// ---- The end of the program ----

TEST(BuildingIndexesOnDisk, GoesOnAfterAReopening) {
  TestDatabase db(StoreKind::Rocks);
  ASSERT_TRUE(db->create_table(simple_table("Things")));
  for (int i = 0; i < 50; ++i)
    ASSERT_TRUE(db->put_item({.table_name = "Things", .item = *pack(numbered(i))}));
  ASSERT_TRUE(db->update_table(creating(by_x())));
  for (int round = 0; !*db->build_index("Things", {.items = 9}); ++round) {
    ASSERT_TRUE(db->put_item({.table_name = "Things", .item = *pack(fitting(round, 5))}));
    db.reopen();
    ASSERT_TRUE(db->describe_table({"Things"})->table.index_build) << "it is still being built";
    ASSERT_TRUE(db->put_item({.table_name = "Things", .item = *pack(fitting(40 - round, 6))}));
  }
  db.expect_consistent("Things");
  ASSERT_TRUE(db->update_table(deleting("byX")));
  ASSERT_TRUE(db->update_table(creating(by_x())));
  db.reopen();
  while (db->describe_table({"Things"})->table.index_build) ASSERT_TRUE(db->sweep()) << "the job is known";
  db.expect_consistent("Things");
}

// ---- Deleted indexes ----

TEST_P(BuildingIndexes, ADeletedIndexLeavesNothing) {
  fill(30);
  const Dump before = db_.data();
  update(creating(by_x()));
  finish();
  const TableDescription deleted = update(deleting("byX"));
  ASSERT_THAT(deleted.global_indexes, SizeIs(1)) << "shown once more";
  EXPECT_EQ(deleted.status, TableStatus::Updating);
  EXPECT_THAT(describe().global_indexes, IsEmpty());
  EXPECT_THAT(describe().attribute_definitions, SizeIs(1)) << "x is no key any more";
  Dump after = db_.data();
  const std::string counters = counters_key(decode_schema(db_.record("Things")).value()->id);
  after[counters] = before.at(counters);  // of a deleted index, which is not shown any more
  EXPECT_EQ(after, before);
  put({{"pk", "free"}, {"x", 1}});
  db_.expect_consistent("Things");
}

TEST_P(BuildingIndexes, AnIndexThatIsBuiltMayBeDeletedAndComeAgain) {
  fill(30);
  for (int round = 0; round < 3; ++round) {
    update(creating(by_x()));
    EXPECT_FALSE(step(11));
    update(deleting("byX"));
    EXPECT_FALSE(describe().index_build);
    EXPECT_THAT(jobs(), IsEmpty());
    EXPECT_TRUE(step(11)) << "there is nothing to build";
    db_.expect_consistent("Things");
  }
  update(creating(by_x()));
  finish();
  db_.expect_consistent("Things");
  const auto schema = decode_schema(db_.record("Things")).value();
  EXPECT_EQ(schema->indexes[0].id, IndexId(4)) << "no id is used twice";
  EXPECT_EQ(schema->next_index_id, 5U);
}

TEST_P(BuildingIndexes, DeletingOneIndexSparesTheOthers) {
  fill(30);
  for (const std::string name : {"one", "two", "three"}) {
    update(creating(by_x(name)));
    finish();
  }
  update(deleting("two"));
  db_.expect_consistent("Things");
  put(fitting(3, 1));
  db_.expect_consistent("Things");
  EXPECT_THAT(describe().attribute_definitions, SizeIs(2)) << "x is a key of others";
}

// ---- Refusals ----

TEST_P(BuildingIndexes, IndexesThatAreRefused) {
  ASSERT_TRUE(db_->delete_table({"Things"}));
  ASSERT_TRUE(db_->create_table(good_table("Things")));
  const GlobalIndex x = by_x();
  const std::string invalid = "ValidationException: One or more parameter values were invalid: ";
  EXPECT_EQ(refusal(creating(x, {})), invalid + "AttributeDefinitions is not specified for index: byX");
  EXPECT_EQ(refusal(creating(x, {{"y", Type::String}})),
            invalid +
                "Some index key attributes are not defined in AttributeDefinitions. Keys: [x], "
                "AttributeDefinitions: [y]");
  EXPECT_EQ(refusal(creating({.name = "byA2", .key_schema = {hash("a")}}, {{"a", Type::Number}})),
            invalid +
                "Attributes cannot be redefined. Please check that your attribute has the same type as "
                "previously defined. Existing schema: Schema:[SchemaElement: key{pk:S:HASH}, SchemaElement: "
                "key{a:B:RANGE}] New schema: Schema:[SchemaElement: key{a:N:HASH}]");
  for (const char* taken : {"byA", "localA"}) {
    EXPECT_EQ(refusal(creating(by_x(taken))),
              "ValidationException: Attempting to create an index which already exists");
  }
  EXPECT_EQ(refusal(deleting("nowhere")),
            "ResourceNotFoundException: Requested resource not found: Index nowhere for table Things");
  EXPECT_EQ(refusal(deleting("localA")),
            "ValidationException: Cannot delete an index that is not a GlobalSecondaryIndex: localA");
  GlobalIndex paid = x;
  paid.throughput = Throughput{1, 1};
  EXPECT_EQ(refusal(creating(paid)),
            invalid +
                "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified for index: byX when "
                "BillingMode is PAY_PER_REQUEST");
  GlobalIndex odd = x;
  odd.projection.type = ProjectionType::Include;
  EXPECT_EQ(refusal(creating(odd)),
            invalid + "ProjectionType is INCLUDE, but NonKeyAttributes is not specified");
  const std::string one =
      "LimitExceededException: Subscriber limit exceeded: Only 1 online index can be created or deleted "
      "simultaneously per table";
  UpdateTableRequest two = creating(x);
  two.created_indexes.push_back(by_x("other"));
  EXPECT_EQ(refusal(two), one);
  two.created_indexes.pop_back();
  two.deleted_indexes = {"byA"};
  EXPECT_EQ(refusal(two), one);
  two.deleted_indexes = {"byX"};
  EXPECT_EQ(
      refusal(two),
      invalid + "Only one global secondary index update per index is allowed simultaneously. Index: byX");
  EXPECT_EQ(refusal(creating(x, {{"x", Type::String}, {"unused", Type::Number}})), "updated");
  EXPECT_THAT(describe().attribute_definitions, SizeIs(4)) << "what is not used is ignored";
  EXPECT_EQ(refusal(creating(by_x("other"))), one);
  EXPECT_EQ(refusal(deleting("byA")), one);
  finish();
  EXPECT_EQ(refusal(creating(by_x("other"))), "updated");
}

TEST_P(BuildingIndexes, TwentyIndexesAtMost) {
  ASSERT_TRUE(db_->delete_table({"Things"}));
  CreateTableRequest full = simple_table("Things");
  full.attribute_definitions.push_back({"x", Type::String});
  for (int i = 0; i < 20; ++i) full.global_indexes.push_back(by_x("index" + std::to_string(i)));
  ASSERT_TRUE(db_->create_table(full));
  EXPECT_EQ(refusal(creating(by_x())),
            "LimitExceededException: Subscriber limit exceeded: Number of global secondary indexes exceeds "
            "per-table limit of 20");
}

TEST_P(BuildingIndexes, WhatDoesNotGoTogether) {
  const auto with = [](UpdateTableRequest request, auto change) {
    change(request);
    return request;
  };
  const UpdateTableRequest create = creating(by_x());
  const std::string invalid = "ValidationException: One or more parameter values were invalid: ";
  EXPECT_EQ(refusal(with(create, [](auto& r) { r.throughput = Throughput{1, 1}; })),
            invalid + "You cannot create or delete index while updating table IOPS");
  EXPECT_EQ(refusal(with(create, [](auto& r) { r.stream = std::optional(StreamView::KeysOnly); })),
            invalid + "You cannot create or delete index while changing stream status");
  EXPECT_EQ(refusal(with(create, [](auto& r) { r.deletion_protection = true; })),
            invalid + "DeletionProtection modification must be the only operation in the request");
  EXPECT_EQ(refusal(with(create, [](auto& r) { r.table_class = TableClass::Standard; })),
            invalid + "TableClass modification must be the only operation in the request");
  EXPECT_EQ(refusal(with(create, [](auto& r) { r.warm_throughput = WarmThroughput{20'000, 20'000}; })),
            invalid + "Create global secondary index cannot be specified when updating WarmThroughput");
  EXPECT_EQ(refusal({.table_name = "Things",
                     .on_demand_limits = OnDemandLimits{1, 1},
                     .stream = std::optional(StreamView::KeysOnly)}),
            invalid + "OnDemandThroughput can only be combined with BillingMode in an UpdateTable request");
  EXPECT_EQ(refusal({.table_name = "Things",
                     .billing_mode = BillingMode::Provisioned,
                     .throughput = Throughput{1, 1},
                     .stream = std::optional(StreamView::KeysOnly)}),
            invalid + "You cannot modify stream status while updating table IOPS");
  EXPECT_EQ(refusal(with(create, [](auto& r) { r.billing_mode = BillingMode::PayPerRequest; })), "updated");
}

TEST_P(BuildingIndexes, AnIndexOfATableWithProvisionedThroughputHasItsOwn) {
  ASSERT_TRUE(db_->update_table(
      {.table_name = "Things", .billing_mode = BillingMode::Provisioned, .throughput = Throughput{1, 1}}));
  GlobalIndex index = by_x();
  EXPECT_EQ(refusal(creating(index)),
            "ValidationException: One or more parameter values were invalid: Both ReadCapacityUnits and "
            "WriteCapacityUnits must be specified for index: byX");
  index.throughput = Throughput{3, 4};
  EXPECT_EQ(update(creating(index)).global_indexes[0].throughput, (Throughput{3, 4}));
}

}  // namespace
}  // namespace tavola::engine
