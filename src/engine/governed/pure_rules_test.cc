// The rules of governed writes read their view and nothing else: further keys and ranges are part of the transaction, and the random
// values that they generate are the same in every call.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/test_clock.h"
#include "design/items/table_schema.h"
#include "design/load.h"
#include "engine/engine.h"
#include "engine/test_watched_store.h"

namespace tavola::engine {
namespace {

using testing::HasSubstr;

// A cascade by a filter, which must look at more entries than it finds; and groups that a table knows.
constexpr const char* kClubDesign = R"yaml(design: 1
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
  Ticket:
    key: { PK: TICKET#<number>, SK: META }
    ids: { number: string }
    attributes: { code: { type: string, generate: uuid, unique: true }, seat: { type: integer, min: 1 } }
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
  PureRules() : engine_(std::make_unique<WatchedStore>(watch_), clock_) {
    const design::Loaded loaded = design::load(kClubDesign, "club.yaml");
    EXPECT_TRUE(loaded.design) << loaded.diagnostics.front().message;
    if (!loaded.design) return;
    schema_ = design::table_schema(*loaded.design);
    EXPECT_TRUE(engine_.create_table(schema_));
    govern(kClubDesign);
    watch_ = {};
  }

  void govern(const std::string& design, std::optional<Enforcement> enforcement = std::nullopt) {
    const auto done = engine_.govern_table(
        {.table_name = "club", .design = design, .file_name = "club.yaml", .enforcement = enforcement});
    EXPECT_TRUE(done) << done.error().message();
  }
  DescribeGovernanceResponse governance() {
    return engine_.describe_governance({.table_name = "club"}).value_or(DescribeGovernanceResponse());
  }

  std::string put(const Item& item, std::shared_ptr<const Caller> caller = nullptr) {
    const auto done =
        engine_.put_item({.table_name = "club", .item = *pack(item), .caller = std::move(caller)});
    return done ? "put" : done.error().message();
  }
  bool is_there(const Item& key) {
    return engine_.get_item({.table_name = "club", .key = *pack(key)})->item.has_value();
  }
  static Item many(int number) {
    return {{"PK", "TEAM#a"}, {"SK", "GAME#" + std::to_string(100'000 + number)}};
  }
  static Item game(int number) { return {{"PK", "TEAM#a"}, {"SK", "GAME#" + std::to_string(1000 + number)}}; }

  CreateTableRequest schema_;
  TestClock clock_;
  WatchedStore::Watch watch_;
  Engine engine_;
};

TEST_F(PureRules, ACascadeReadsItsRangesThroughTheStore) {
  const Item team{{"PK", "TEAM#a"}, {"SK", "META"}};
  ASSERT_EQ(put(team), "put");
  EXPECT_EQ(watch_.further_keys, 0U) << "the key of an unfinished cascade is known before the write";
  for (int i = 0; i < 150; ++i) {
    Item item = game(i);
    item["state"] = i < 120 ? "OPEN" : "PLAYED";
    ASSERT_EQ(put(item), "put");
  }
  ASSERT_TRUE(engine_.delete_item({.table_name = "club", .key = *pack(team)}));
  EXPECT_EQ(watch_.further_ranges, 2U) << "the first 101 entries, and those behind them";
  EXPECT_GE(watch_.further_keys, 30U) << "the items that it found";
  EXPECT_EQ(watch_.reads_in_rules, 0);
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
  EXPECT_GE(watch_.further_ranges, 2U);
  EXPECT_EQ(watch_.reads_in_rules, 0);
}

TEST_F(PureRules, AGeneratedValueIsTheSameInEveryCall) {
  const Item ticket{{"PK", "TICKET#1"}, {"SK", "META"}};
  ASSERT_EQ(put(ticket), "put") << "the key of the unique guard contains the generated value";
  EXPECT_EQ(watch_.further_keys, 1U);
  EXPECT_EQ(watch_.changed_decisions, 0);
  const auto first = engine_.get_item({.table_name = "club", .key = *pack(ticket)})->item->unpack();
  const Item other{{"PK", "TICKET#2"}, {"SK", "META"}};
  ASSERT_EQ(put(other), "put");
  const auto second = engine_.get_item({.table_name = "club", .key = *pack(other)})->item->unpack();
  EXPECT_EQ(first.at("code").string().size(), 36U);
  EXPECT_NE(first.at("code"), second.at("code"));
}

// More entries than the calls of a rule could read one portion at a time.
TEST_F(PureRules, ACascadeThatPassesOverManyItemsIsFinishedInTheBackground) {
  const Item team{{"PK", "TEAM#a"}, {"SK", "META"}};
  ASSERT_EQ(put(team), "put");
  constexpr int kGames = 20'500;
  for (int i = 0; i < kGames; ++i) {
    Item item = many(i);
    item["state"] = i < kGames - 10 ? "OPEN" : "PLAYED";
    ASSERT_EQ(put(item), "put");
  }
  watch_ = {};
  const auto deleted = engine_.delete_item({.table_name = "club", .key = *pack(team)});
  ASSERT_TRUE(deleted) << deleted.error().message();
  EXPECT_LE(watch_.further_ranges, 8U);
  EXPECT_EQ(watch_.changed_decisions, 0) << "the id of the job is the same in every call";
  EXPECT_TRUE(is_there(many(kGames - 1)));
  EXPECT_EQ(governance().unfinished, 1U);
  ASSERT_TRUE(engine_.sweep());
  EXPECT_EQ(governance().unfinished, 0U);
  EXPECT_TRUE(is_there(many(kGames - 11)));
  EXPECT_FALSE(is_there(many(kGames - 10)));
  EXPECT_FALSE(is_there(many(kGames - 1)));
}

TEST_F(PureRules, ACallerWithTooManyGroupsIsRefused) {
  const auto ben = std::make_shared<const Caller>(Caller{"ben", {}});
  ASSERT_EQ(put({{"PK", "TEAM#chiefs"}, {"SK", "META"}, {"may", StringSet::of({"write:Game"}).value()}}),
            "put");
  ASSERT_EQ(put({{"PK", "HOLDER#ben"}, {"SK", "BADGE#chiefs"}}), "put");
  const auto put_badges = [&](int from, int to) {
    for (int i = from; i < to; ++i)
      ASSERT_EQ(put({{"PK", "HOLDER#ben"}, {"SK", "BADGE#" + std::to_string(i)}}), "put");
  };
  put_badges(1, 1'000);
  EXPECT_EQ(put({{"PK", "HOLDER#ann"}, {"SK", "BADGE#chiefs"}}, ben), "put");
  put_badges(1'000, 4'097);
  EXPECT_THAT(put({{"PK", "HOLDER#eve"}, {"SK", "BADGE#chiefs"}}, ben),
              HasSubstr("the pattern badges reads more than 4096 items or 64 MB about ben"));
}

// ---- Counters ----

constexpr const char* kTillDesign = R"yaml(design: 1
name: till
table: { name: till, hash: PK, range: SK }
entities:
  Sale:
    key: { PK: SHOP#<shop>, SK: SALE#<sale> }
    ids: { shop: string, sale: string }
    attributes: { amount: { type: number, required: true }, soldAt: { type: timestamp, required: true } }
  Totals:
    key: { PK: SHOP#<shop>, SK: DAY#<day> }
    ids: { shop: string, day: string }
    attributes: { sales: integer, revenue: number }
copies:
  totals: { kind: counter, from: Sale, to: Totals, key: { day: date(soldAt) }, count: sales, sum: { revenue: amount }, create: true }
patterns:
  sale: { get: Sale }
)yaml";

TEST(CountersOfPuts, AreReadWithTheItem) {
  TestClock clock;
  WatchedStore::Watch watch;
  Engine engine(std::make_unique<WatchedStore>(watch), clock);
  const design::Loaded loaded = design::load(kTillDesign, "till.yaml");
  ASSERT_TRUE(loaded.design) << loaded.diagnostics.front().message;
  ASSERT_TRUE(engine.create_table(design::table_schema(*loaded.design)));
  ASSERT_TRUE(engine.govern_table({.table_name = "till", .design = kTillDesign, .file_name = "till.yaml"}));
  const auto put = [&](const std::string& sale, int amount, const std::string& day) {
    watch = {};
    const Item item{
        {"PK", "SHOP#a"}, {"SK", "SALE#" + sale}, {"amount", amount}, {"soldAt", day + "T10:00:00Z"}};
    EXPECT_TRUE(engine.put_item({.table_name = "till", .item = *pack(item)}));
    return watch.further_keys;
  };
  const auto revenue = [&](const std::string& day) {
    const Item key{{"PK", "SHOP#a"}, {"SK", "DAY#" + day}};
    return engine.get_item({.table_name = "till", .key = *pack(key)})->item->unpack()["revenue"];
  };
  put("1", 5, "2026-01-01");  // creates the counter
  EXPECT_EQ(put("2", 6, "2026-01-01"), 0U);
  EXPECT_EQ(put("1", 9, "2026-01-01"), 0U);
  EXPECT_EQ(revenue("2026-01-01"), Value(15));
  put("3", 1, "2026-01-02");
  EXPECT_EQ(put("2", 6, "2026-01-02"), 1U) << "only the stored item names the day that it leaves";
  EXPECT_EQ(revenue("2026-01-01"), Value(9));
  EXPECT_EQ(revenue("2026-01-02"), Value(7));
}

// ---- Another writer comes first ----

TEST_F(PureRules, ADesignIsStoredWithItsOwnDigest) {
  std::string other = kClubDesign;
  other.replace(other.find("name: club"), 10, "name: guild");
  watch_.meanwhile = [&] { govern(other); };
  govern(kClubDesign, Enforcement::Warn);
  EXPECT_EQ(governance().governed_by->design, "club");
  EXPECT_EQ(governance().governed_by->enforcement, Enforcement::Warn);
}

TEST_F(PureRules, ATableThatWasCreatedAgainGetsTheDesign) {
  watch_.meanwhile = [&] {
    EXPECT_TRUE(engine_.delete_table({"club"}));
    EXPECT_TRUE(engine_.create_table(schema_));
  };
  govern(kClubDesign, Enforcement::Warn);
  ASSERT_TRUE(governance().governed_by);
  EXPECT_EQ(governance().governed_by->design, "club");
  EXPECT_EQ(governance().governed_by->enforcement, Enforcement::Warn);
}

TEST_F(PureRules, ARequestThatWasDoneBeforeCountsNothing) {
  govern("", Enforcement::Warn);
  const TransactWriteItemsRequest request{
      .actions = {PutItemRequest{
          .table_name = "club",
          .item = *pack({{"PK", "TICKET#1"}, {"SK", "META"}, {"seat", 0}, {"code", "c"}})}},
      .client_request_token = "once"};
  watch_.meanwhile = [&] { EXPECT_TRUE(engine_.transact_write_items(request)); };
  EXPECT_TRUE(engine_.transact_write_items(request));
  ASSERT_EQ(governance().broken_rules.size(), 1U);
  EXPECT_EQ(governance().broken_rules[0].writes, 1U);
}

}  // namespace
}  // namespace tavola::engine
