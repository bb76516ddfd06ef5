// The rules that change tables, policies and backups read their view and nothing else: neither the store, nor the clock, nor random values.
#include <gtest/gtest.h>

#include "engine/engine.h"
#include "engine/test_actions.h"
#include "engine/test_tables.h"
#include "engine/test_watched_store.h"

namespace tavola::engine {
namespace {

// Never shows the same time twice.
class TickingClock final : public Clock {
 public:
  WallTime now() const override { return WallTime(std::chrono::milliseconds(milliseconds_++)); }

 private:
  mutable std::int64_t milliseconds_ = 1'800'000'000'000;
};

class PureChanges : public testing::Test {
 protected:
  PureChanges() : engine_(std::make_unique<WatchedStore>(watch_), clock_) {}

  template <class Response>
  void expect_pure(const Result<Response>& response) {
    ASSERT_TRUE(response) << text_of(response.error());
    EXPECT_EQ(watch_.reads_in_rules, 0);
    EXPECT_EQ(watch_.changed_decisions, 0);
    watch_ = {};
  }
  void switch_stream(std::optional<StreamView> view) {
    expect_pure(engine_.update_table({.table_name = "Music", .stream = view}));
  }

  TickingClock clock_;
  WatchedStore::Watch watch_;
  Engine engine_;
};

TEST_F(PureChanges, Streams) {
  CreateTableRequest table = good_table();
  table.stream = StreamView::KeysOnly;
  expect_pure(engine_.create_table(table));
  expect_pure(engine_.put_item(put("Music", R"({pk: "a", sk: 1})")));
  switch_stream(std::nullopt);
  switch_stream(StreamView::NewImage);
  expect_pure(engine_.put_item(put("Music", R"({pk: "b", sk: 1})")));
  expect_pure(engine_.delete_table({"Music"}));
  const auto streams = engine_.list_streams({.table_name = "Music"});
  ASSERT_TRUE(streams) << text_of(streams.error());
  EXPECT_EQ(streams->streams.size(), 2U);
}

TEST_F(PureChanges, Settings) {
  expect_pure(engine_.create_table(provisioned_table("Music")));
  expect_pure(engine_.update_table({.table_name = "Music", .billing_mode = BillingMode::PayPerRequest}));
  expect_pure(engine_.update_time_to_live({"Music", "ttl", true}));
  expect_pure(engine_.update_time_to_live({"Music", "ttl", false}));
  const std::string policy =
      R"({"Version":"2012-10-17","Statement":[{"Effect":"Allow","Principal":{"AWS":"111122223333"},"Action":"dynamodb:GetItem",)"
      R"("Resource":"arn:aws:dynamodb:us-east-1:000000000000:table/Music"}]})";
  expect_pure(engine_.put_resource_policy({.resource = "Music", .policy = policy}));
}

TEST_F(PureChanges, Recovery) {
  expect_pure(engine_.create_table(good_table()));
  expect_pure(engine_.update_continuous_backups({.table_name = "Music", .enabled = true}));
  expect_pure(engine_.put_item(put("Music", R"({pk: "a", sk: 1})")));
  expect_pure(
      engine_.update_continuous_backups({.table_name = "Music", .enabled = true, .recovery_days = 3}));
  expect_pure(engine_.update_continuous_backups({.table_name = "Music", .enabled = false}));
  expect_pure(engine_.update_continuous_backups({.table_name = "Music", .enabled = true}));
}

TEST_F(PureChanges, IndexBuilds) {
  expect_pure(engine_.create_table(simple_table("Plain")));
  for (int i = 0; i < 10; ++i)
    expect_pure(engine_.put_item(put("Plain", R"({pk: ")" + std::to_string(i) + R"(", x: "a"})")));
  expect_pure(
      engine_.update_table({.table_name = "Plain",
                            .attribute_definitions = {{"x", Type::String}},
                            .created_indexes = {{"byX", {hash("x")}, {ProjectionType::All, {}}, {}}}}));
  const auto step = engine_.build_index("Plain", {.items = 4});
  expect_pure(step);
  EXPECT_FALSE(*step);
  expect_pure(engine_.sweep());
  EXPECT_EQ(engine_.scan({.table_name = "Plain", .index_name = "byX"})->count, 10);
}

TEST_F(PureChanges, Backups) {
  expect_pure(engine_.create_table(good_table()));
  expect_pure(engine_.put_item(put("Music", R"({pk: "a", sk: 1})")));
  const auto made = engine_.create_backup({.table_name = "Music", .backup_name = "daily"});
  expect_pure(made);
  const std::string backup = made->backup.backup;
  expect_pure(engine_.restore_table_from_backup({.backup = backup, .target_table_name = "Restored"}));
  EXPECT_EQ(engine_.delete_backup({backup}).error().code(), ErrorCode::BackupInUse);
  expect_pure(engine_.sweep());
  EXPECT_EQ(engine_.scan({.table_name = "Restored"})->count, 1);
  expect_pure(engine_.delete_backup({backup}));
  expect_pure(engine_.delete_table({"Restored"}));
}

}  // namespace
}  // namespace tavola::engine
