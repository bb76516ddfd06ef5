#include <gtest/gtest.h>

#include "base/test_clock.h"
#include "database/stream_names.h"
#include "engine/engine.h"
#include "engine/records/keys.h"
#include "engine/test_database.h"
#include "store/frozen.h"
#include "store/store.h"

namespace tavola::engine {
namespace {

constexpr std::string_view kDeny =
    R"({"Version":"2012-10-17","Statement":[{"Effect":"Deny","Principal":"*","Action":"dynamodb:DeleteTable","Resource":"*"}]})";
constexpr std::string_view kOther =
    R"({"Version":"2012-10-17","Statement":[{"Effect":"Deny","Principal":"*","Action":"dynamodb:PutItem","Resource":"*"}]})";
constexpr std::string_view kOfStream =
    R"({"Version":"2012-10-17","Statement":[{"Effect":"Deny","Principal":"*","Action":"dynamodb:GetRecords","Resource":"*"}]})";

class PoliciesTest : public ::testing::Test {
 protected:
  PoliciesTest() {
    auto opened = store::open_memory();
    store_ = opened.get();
    engine_.emplace(std::move(opened), clock_);
  }
  void create(const std::string& name) {
    ASSERT_TRUE(engine_->create_table({.table_name = name,
                                       .attribute_definitions = {{"pk"}},
                                       .key_schema = {{"pk"}},
                                       .stream = StreamView::KeysOnly}));
  }
  std::string put(std::string_view resource, std::string_view policy, std::string_view expected = "") {
    const auto done = engine_->put_resource_policy({.resource = std::string(resource),
                                                    .policy = std::string(policy),
                                                    .expected_revision_id = std::string(expected)});
    return done ? done->revision_id : done.error().message();
  }
  std::string get(std::string_view resource) {
    const auto found = engine_->get_resource_policy({.resource = std::string(resource)});
    return found ? found->policy : found.error().message();
  }
  std::string remove(std::string_view resource, std::string_view expected = "") {
    const auto done = engine_->delete_resource_policy(
        {.resource = std::string(resource), .expected_revision_id = std::string(expected)});
    return done ? done->revision_id : done.error().message();
  }
  std::string stream_of(const std::string& table) {
    const auto described = engine_->describe_table({.table_name = table});
    return to_text({table, *described->table.stream_since});
  }

  TestClock clock_;
  store::Store* store_ = nullptr;
  std::optional<Engine> engine_;
};

constexpr std::string_view kNone = "Resource-based policy not found for the provided ResourceArn: Music";

TEST_F(PoliciesTest, AreKeptAndReplaced) {
  create("Music");
  EXPECT_EQ(get("Music"), kNone);
  EXPECT_EQ(get("Music"), kNone);  // from memory
  const std::string first = put("Music", kDeny);
  EXPECT_EQ(first.size(), 13U) << first;
  EXPECT_EQ(get("Music"), kDeny);
  EXPECT_EQ(put("Music", "  " + std::string(kDeny) + "\n"), first);  // the same, with other blanks
  const std::string second = put("Music", kOther);
  EXPECT_GT(second, first);
  EXPECT_EQ(get("Music"), kOther);
  EXPECT_EQ(remove("Music"), second);
  EXPECT_EQ(get("Music"), kNone);
  EXPECT_EQ(remove("Music"), "");
}

TEST_F(PoliciesTest, OnTheConditionOfARevision) {
  create("Music");
  const std::string none = "Resource-based policy not found for the provided ResourceArn: ";
  EXPECT_EQ(
      put("Music", kDeny, "123"),
      none + "Requested update for policy with revision id 123, but table Music has no associated policy.");
  const std::string first = put("Music", kDeny, "NO_POLICY");
  EXPECT_EQ(
      put("Music", kOther, "NO_POLICY"),
      none +
          "Requested policy update expecting none to be present for table Music, but a policy exists with "
          "revision id " +
          first + ".");
  EXPECT_EQ(
      put("Music", kOther, "123"),
      none +
          "Requested update for policy with revision id 123, but the policy associated to target table Music "
          "has revision id " +
          first + ".");
  EXPECT_EQ(get("Music"), kDeny);
  const std::string second = put("Music", kOther, first);
  EXPECT_GT(second, first);
  EXPECT_EQ(remove("Music", first), none + "Requested update for policy with revision id " + first +
                                        ", but the policy associated to target table Music has revision id " +
                                        second + ".");
  EXPECT_EQ(remove("Music", second), second);
  EXPECT_EQ(remove("Music", second), none + "Requested update for policy with revision id " + second +
                                         ", but table Music has no associated policy.");
}

TEST_F(PoliciesTest, OfWhatIsNotThere) {
  for (const std::string& said : {get("Music"), put("Music", kDeny), remove("Music")}) {
    EXPECT_EQ(said, "Requested resource not found: Table: Music not found");
  }
  create("Music");
  for (const std::string& said : {get("Music/stream/2000-01-01T00:00:00.000"),
                                  put("Music/stream/2000-01-01T00:00:00.000", kOfStream)}) {
    EXPECT_EQ(said,
              "Requested resource not found: Stream: 2000-01-01T00:00:00.000 not found for Table: Music");
  }
  // A wrong policy is reported first.
  EXPECT_EQ(put("Nobody", "x").find("One or more parameter values were invalid: Invalid policy document"),
            0U);
}

TEST_F(PoliciesTest, StreamsHaveTheirOwn) {
  create("Music");
  const std::string stream = stream_of("Music");
  put("Music", kDeny);
  EXPECT_EQ(get(stream), "Resource-based policy not found for the provided ResourceArn: " + stream);
  put(stream, kOfStream);
  EXPECT_EQ(get(stream), kOfStream);
  EXPECT_EQ(get("Music"), kDeny);
  // The policy of a stream that was switched off, until it is forgotten.
  ASSERT_TRUE(engine_->update_table({.table_name = "Music", .stream = std::optional<StreamView>()}));
  EXPECT_EQ(get(stream), kOfStream);
  clock_.advance(std::chrono::hours(25));
  ASSERT_TRUE(engine_->sweep());
  EXPECT_TRUE(get(stream).starts_with("Requested resource not found: Stream")) << get(stream);
}

TEST_F(PoliciesTest, GoWithTheirTable) {
  create("Music");
  const std::string stream = stream_of("Music");
  put("Music", kDeny);
  put(stream, kOfStream);
  ASSERT_TRUE(engine_->delete_table({.table_name = "Music"}));
  EXPECT_EQ(get("Music"), "Requested resource not found: Table: Music not found");
  EXPECT_EQ(get(stream), "Resource-based policy not found for the provided ResourceArn: " + stream);
  EXPECT_EQ(put(stream, kOfStream), "Requested resource not found: Table: Music not found");
  const auto snapshot = store_->snapshot();
  EXPECT_FALSE(snapshot->range(all_policies(TableId(1)), store::Direction::Forward)->valid());
  create("Music");
  EXPECT_EQ(get("Music"), kNone);
  put("Music", kOther);
  EXPECT_EQ(get("Music"), kOther);
}

TEST_F(PoliciesTest, AreRememberedRightlyWhenTablesChange) {
  create("Music");
  put("Music", kDeny);
  EXPECT_EQ(get("Music"), kDeny);
  ASSERT_TRUE(engine_->update_table({.table_name = "Music", .deletion_protection = true}));
  EXPECT_EQ(get("Music"), kDeny);
  Engine again(store::freeze(*store_), clock_);
  EXPECT_EQ(again.get_resource_policy({.resource = "Music"})->policy, kDeny);
  EXPECT_FALSE(again.put_resource_policy({.resource = "Music", .policy = std::string(kOther)}));
}

}  // namespace
}  // namespace tavola::engine
