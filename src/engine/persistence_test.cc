// The contents of a database that was closed and opened again, and the errors of open().
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/test_database.h"
#include "engine/test_tables.h"

namespace tavola::engine {
namespace {

using testing::HasSubstr;

class Persistence : public testing::Test {
 protected:
  // Writes a damaged record to the catalog, bypassing the engine.
  void replace_record(const std::string& table, const std::string& record) {
    const std::string keys[] = {catalog_key(table)};
    ASSERT_TRUE(db_.store().transact(keys, {}, [&](const store::View&) -> Result<store::Decision> {
      return store::Decision{{store::Write::put(keys[0], record)}, {}};
    }));
    db_.reopen();  // the catalog caches what it decoded
  }
  Item record_of(const std::string& table) {
    const std::string record = db_.record(table);
    return ItemView(record).unpack();
  }

  TestDatabase db_{StoreKind::Rocks};
};

TEST_F(Persistence, EverythingIsThereAfterOpeningAgain) {
  CreateTableRequest request = provisioned_table("Music");
  request.deletion_protection = true;
  request.table_class = TableClass::StandardInfrequentAccess;
  ASSERT_TRUE(db_->create_table(request));
  ASSERT_TRUE(db_->create_table(simple_table("Other")));
  for (int i = 0; i < 50; ++i) {
    ASSERT_TRUE(db_->put_item(
        {.table_name = "Music",
         .item = *pack({{"pk", "p" + std::to_string(i % 5)}, {"sk", i}, {"a", Binary{"b"}}, {"x", i}})}));
  }
  const auto before = db_->describe_table({"Music"})->table;
  const Dump dump = db_.dump();

  db_.reopen();
  EXPECT_TRUE(db_.dump() == dump);
  const auto after = db_->describe_table({"Music"})->table;
  EXPECT_EQ(after.table_id, before.table_id);
  EXPECT_EQ(after.created_at, before.created_at);
  EXPECT_EQ(after.attribute_definitions, before.attribute_definitions);
  EXPECT_EQ(after.key_schema, request.key_schema);
  EXPECT_EQ(after.global_indexes, before.global_indexes);
  EXPECT_EQ(after.global_indexes[0].key_schema, request.global_indexes[0].key_schema);
  EXPECT_EQ(after.local_indexes, request.local_indexes);
  EXPECT_EQ(after.throughput, request.throughput);
  EXPECT_EQ(after.billing_mode, BillingMode::Provisioned);
  EXPECT_TRUE(after.deletion_protection);
  EXPECT_EQ(after.table_class, TableClass::StandardInfrequentAccess);
  EXPECT_EQ(after.item_count, 50);
  EXPECT_EQ(after.size_bytes, before.size_bytes);
  db_.expect_consistent("Music");
  EXPECT_THAT(db_->list_tables({})->table_names, testing::ElementsAre("Music", "Other"));
}

TEST_F(Persistence, TableIdsAreNotUsedAgain) {
  ASSERT_TRUE(db_->create_table(simple_table("First")));
  const Number first = record_of("First").at("id").number();
  ASSERT_TRUE(db_->delete_table({"First"}));
  db_.reopen();
  ASSERT_TRUE(db_->create_table(simple_table("First")));
  EXPECT_GT(record_of("First").at("id").number(), first);
}

TEST_F(Persistence, CountsGoOnAfterOpeningAgain) {
  ASSERT_TRUE(db_->create_table(good_table("Music")));
  for (int i = 0; i < 5; ++i) {
    ASSERT_TRUE(
        db_->put_item({.table_name = "Music", .item = *pack({{"pk", "p"}, {"sk", i}, {"a", Binary{"b"}}})}));
    ASSERT_TRUE(db_->delete_item({.table_name = "Music", .key = *pack({{"pk", "p"}, {"sk", i - 2}})}));
    db_.reopen();
    db_.expect_consistent("Music");
  }
  EXPECT_EQ(db_->describe_table({"Music"})->table.item_count, 2);
}

// ---- Damage ----

TEST_F(Persistence, ADamagedCatalogRecordIsCorruptAndSaysSo) {
  ASSERT_TRUE(db_->create_table(good_table("Music")));
  ASSERT_TRUE(db_->create_table(simple_table("Sound")));
  const Item good = record_of("Music");
  const auto expect_corrupt = [&](const auto& result) {
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code(), ErrorCode::Corrupt) << result.error().message();
  };
  const auto expect_damaged = [&](const std::string& record) {
    replace_record("Music", record);
    const Dump dump = db_.dump();
    expect_corrupt(db_->describe_table({"Music"}));
    expect_corrupt(db_->put_item({.table_name = "Music", .item = item(R"({pk: "p", sk: 1})")}));
    expect_corrupt(db_->scan({.table_name = "Music"}));
    expect_corrupt(db_->update_table({.table_name = "Music", .deletion_protection = true}));
    expect_corrupt(db_->delete_table({"Music"}));
    EXPECT_TRUE(db_->describe_table({"Sound"})) << "another table must not suffer";
    EXPECT_TRUE(db_.dump() == dump);
  };

  for (const auto& [name, value] : good) {
    if (name == "throughput") continue;  // empty is a valid value
    const testing::ScopedTrace trace("", 0, name);
    if (name != "on_demand_since_ms") {  // which may be missing
      Item without = good;
      without.erase(name);
      expect_damaged(pack(without)->bytes());
    }
    Item mistyped = good;
    mistyped[name] = NumberSet::of({1}).value();
    expect_damaged(pack(mistyped)->bytes());
  }
  const std::string whole = pack(good)->bytes();
  for (const std::size_t length : {std::size_t{0}, std::size_t{1}, whole.size() / 2, whole.size() - 1})
    expect_damaged(whole.substr(0, length));

  replace_record("Music", whole);
  EXPECT_TRUE(db_->put_item({.table_name = "Music", .item = item(R"({pk: "p", sk: 1})")}));
}

TEST_F(Persistence, TheMessageNamesTheTable) {
  ASSERT_TRUE(db_->create_table(good_table("Music")));
  Item record = record_of("Music");
  record["billing"] = 17;
  replace_record("Music", pack(record)->bytes());
  EXPECT_EQ(db_->describe_table({"Music"}).error().message(),
            "The catalog record of table 'Music' is damaged. Restore the data directory from a backup or "
            "checkpoint.");
}

TEST_F(Persistence, AKeyWithoutADefinitionIsCorrupt) {
  ASSERT_TRUE(db_->create_table(good_table("Music")));
  Item record = record_of("Music");
  record["indexes"].list()[1].map()["key"].list()[0].map()["name"] = "nowhere";
  replace_record("Music", pack(record)->bytes());
  const auto described = db_->describe_table({"Music"});
  ASSERT_FALSE(described);
  EXPECT_EQ(described.error().code(), ErrorCode::Corrupt);
}

// ---- open() ----

TEST(Open, CreatesAndOpensAgain) {
  const ScratchDirectory scratch;
  {
    auto db = tavola::open(scratch / "data");
    ASSERT_TRUE(db) << db.error().message();
    ASSERT_TRUE((*db)->create_table(simple_table("Music")));
    ASSERT_TRUE((*db)->put_item({.table_name = "Music", .item = item(R"({pk: "p", x: 1})")}));
  }
  auto db = tavola::open(scratch / "data", {.durability = Durability::Relaxed});
  ASSERT_TRUE(db) << db.error().message();
  EXPECT_EQ((*db)->get_item({.table_name = "Music", .key = item(R"({pk: "p"})")})->item,
            item(R"({pk: "p", x: 1})"));
}

TEST(Open, TwiceIsLocked) {
  const ScratchDirectory scratch;
  auto first = tavola::open(scratch / "data");
  ASSERT_TRUE(first) << first.error().message();
  ASSERT_TRUE((*first)->create_table(simple_table("Music")));
  const auto second = tavola::open(scratch / "data");
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code(), ErrorCode::Locked);
  EXPECT_TRUE((*first)->put_item({.table_name = "Music", .item = item(R"({pk: "p"})")}));
  first->reset();
  EXPECT_TRUE(tavola::open(scratch / "data"));
}

TEST(Open, ANewerFormatIsRefusedUntouched) {
  const ScratchDirectory scratch;
  {
    ASSERT_TRUE(tavola::open(scratch / "data"));
  }
  std::ofstream(scratch / "data" / "FORMAT") << "tavola store 999\n";
  const auto opened = tavola::open(scratch / "data");
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code(), ErrorCode::NewerFormat);
  EXPECT_THAT(opened.error().message(), HasSubstr("newer Tavola"));
}

TEST(Open, ADirectoryOfSomethingElseIsRefused) {
  const ScratchDirectory scratch;
  std::filesystem::create_directory(scratch / "data");
  std::ofstream(scratch / "data" / "letter.txt") << "dear reader";
  const auto opened = tavola::open(scratch / "data");
  ASSERT_FALSE(opened);
  EXPECT_NE(opened.error().code(), ErrorCode::Internal);
  EXPECT_TRUE(std::filesystem::exists(scratch / "data" / "letter.txt"));
}

TEST(Open, InMemoryIsEmptyAndItsOwn) {
  const auto one = open_in_memory();
  const auto two = open_in_memory();
  ASSERT_TRUE(one->create_table(simple_table("Music")));
  EXPECT_TRUE(two->list_tables({})->table_names.empty());
}

}  // namespace
}  // namespace tavola::engine
