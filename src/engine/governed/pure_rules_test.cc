// The rules of governed writes read their view and nothing else: further keys and ranges are part of the transaction.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/test_clock.h"
#include "design/items/table_schema.h"
#include "design/load.h"
#include "engine/engine.h"

namespace tavola::engine {
namespace {

using testing::HasSubstr;

// Counts what a rule reads besides its view, and what rules ask for.
class WatchedStore final : public store::Store {
 public:
  struct Counts {
    int reads_in_rules = 0;
    std::size_t further_keys = 0;
    std::size_t further_ranges = 0;
  };
  WatchedStore(std::unique_ptr<store::Store> store, Counts& counts)
      : store_(std::move(store)), counts_(counts) {}

  Result<std::optional<std::string>> get(std::string_view key) const override {
    if (in_rule_) ++counts_.reads_in_rules;
    return store_->get(key);
  }
  std::unique_ptr<store::Snapshot> snapshot() const override {
    if (in_rule_) ++counts_.reads_in_rules;
    return store_->snapshot();
  }
  Result<void> transact(std::span<const std::string> keys, std::span<const store::Guard> guards,
                        const store::WriteRule& rule, store::Contention contention) override {
    const auto watched = [&](const store::View& view) -> Result<store::Decision> {
      in_rule_ = true;
      Result<store::Decision> decision = rule(view);
      in_rule_ = false;
      if (decision) counts_.further_keys += decision->further_keys.size();
      if (decision) counts_.further_ranges += decision->further_ranges.size();
      return decision;
    };
    return store_->transact(keys, guards, watched, contention);
  }
  Result<std::uint64_t> settled(std::string_view prefix) override { return store_->settled(prefix); }
  void when_durable(std::function<void(Result<void>)> done) override {
    store_->when_durable(std::move(done));
  }
  Result<void> checkpoint(const std::filesystem::path& directory) override {
    return store_->checkpoint(directory);
  }
  Result<void> sync() override { return store_->sync(); }

 private:
  std::unique_ptr<store::Store> store_;
  Counts& counts_;
  bool in_rule_ = false;
};

// A cascade by a filter, which must look at more entries than it finds; and groups that a table knows.
constexpr const char* kDesign = R"yaml(design: 1
name: club
table: { name: club, hash: PK, range: SK }
entities:
  Team:
    key: { PK: TEAM#<team>, SK: META }
    ids: { team: string }
    on_delete: { Game: played }
    attributes: { may: set<string> }
  Game:
    key: { PK: TEAM#<team>, SK: GAME#<game> }
    ids: { team: string, game: string }
    attributes: { state: { type: enum, values: [OPEN, PLAYED], required: true } }
  Badge:
    key: { PK: HOLDER#<sub>, SK: BADGE#<team> }
    ids: { sub: string, team: string }
    attributes: { note: string }
patterns:
  played: { query: Game, via: table, hash: TEAM#<team>, range: begins_with GAME#, filter: state = 'PLAYED' }
  badges: { query: Badge, via: table, hash: HOLDER#<sub>, range: begins_with BADGE# }
  team: { get: Team }
roles:
  keeper: { is: keepers, write: [Badge, Team] }
  chief: { is: chiefs, extends: keeper, read: [Team] }
groups: { member_of: badges.team, permissions: team.may }
)yaml";

class PureRules : public testing::Test {
 protected:
  PureRules() : engine_(std::make_unique<WatchedStore>(store::open_memory(), counts_), clock_) {
    const design::Loaded loaded = design::load(kDesign, "club.yaml");
    EXPECT_TRUE(loaded.design) << loaded.diagnostics.front().message;
    if (!loaded.design) return;
    EXPECT_TRUE(engine_.create_table(design::table_schema(*loaded.design)));
    const auto done =
        engine_.govern_table({.table_name = "club", .design = kDesign, .file_name = "club.yaml"});
    EXPECT_TRUE(done) << done.error().message();
    counts_ = {};
  }

  std::string put(const Item& item, std::shared_ptr<const Caller> caller = nullptr) {
    const auto done =
        engine_.put_item({.table_name = "club", .item = *pack(item), .caller = std::move(caller)});
    return done ? "put" : done.error().message();
  }
  bool is_there(const Item& key) {
    return engine_.get_item({.table_name = "club", .key = *pack(key)})->item.has_value();
  }
  static Item game(int number) { return {{"PK", "TEAM#a"}, {"SK", "GAME#" + std::to_string(1000 + number)}}; }

  TestClock clock_;
  WatchedStore::Counts counts_;
  Engine engine_;
};

TEST_F(PureRules, ACascadeReadsItsRangesThroughTheStore) {
  const Item team{{"PK", "TEAM#a"}, {"SK", "META"}};
  ASSERT_EQ(put(team), "put");
  EXPECT_EQ(counts_.further_keys, 0U) << "the key of an unfinished cascade is known before the write";
  for (int i = 0; i < 150; ++i) {
    Item item = game(i);
    item["state"] = i < 120 ? "OPEN" : "PLAYED";
    ASSERT_EQ(put(item), "put");
  }
  ASSERT_TRUE(engine_.delete_item({.table_name = "club", .key = *pack(team)}));
  EXPECT_EQ(counts_.further_ranges, 2U) << "the first 101 entries, and those behind them";
  EXPECT_GE(counts_.further_keys, 30U) << "the items that it found";
  EXPECT_EQ(counts_.reads_in_rules, 0);
  EXPECT_TRUE(is_there(game(119)));
  EXPECT_FALSE(is_there(game(120)));
  EXPECT_FALSE(is_there(game(149)));
}

TEST_F(PureRules, TheGroupsOfACallerAreReadThroughTheStore) {
  const auto ben = std::make_shared<const Caller>(Caller{"ben", {}});
  ASSERT_EQ(put({{"PK", "TEAM#chiefs"}, {"SK", "META"}, {"may", StringSet::of({"write:Game"}).value()}}),
            "put");
  const Item badge{{"PK", "HOLDER#ann"}, {"SK", "BADGE#chiefs"}};
  EXPECT_THAT(put(badge, ben), HasSubstr("cannot make anybody a member of chiefs"));
  ASSERT_EQ(put({{"PK", "HOLDER#ben"}, {"SK", "BADGE#chiefs"}}), "put");
  EXPECT_EQ(put(badge, ben), "put");
  EXPECT_GE(counts_.further_ranges, 2U);
  EXPECT_EQ(counts_.reads_in_rules, 0);
}

}  // namespace
}  // namespace tavola::engine
