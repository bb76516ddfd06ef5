// The design of a table changes while several fronts have it: all of them follow, and none writes by the old one after another has
// written by the new one.
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "governed/test_fronts.h"

namespace tavola::governed {
namespace {

using testing::HasSubstr;

constexpr const char* kNote = R"({PK: "NOTE#1", SK: "META"})";

// The shop's design with another text, and another key of an index.
std::string changed_shop() {
  std::string changed = kShop;
  changed.replace(changed.find("TOPIC#<topic>"), 13, "THEME#<topic>");
  changed.replace(changed.find("grade: string"), 13, "grade: { type: string, max_length: 3 }");
  return changed;
}

GovernTableRequest change_to(const std::string& design) {
  return {.table_name = "shop", .design = design, .file_name = "shop.yaml"};
}

PutItemRequest note(const std::string& grade) {
  return put(R"({PK: "NOTE#1", SK: "META", text: "a", topic: "t", grade: ")" + grade + R"("})");
}

class DesignChange : public testing::Test {
 protected:
  TestFronts fronts_{kShop};
  GovernedDatabase& front_ = fronts_.front(0);
  GovernedDatabase& other_ = fronts_.front(1);
};

TEST_F(DesignChange, EveryFrontFollows) {
  ASSERT_TRUE(other_.put_item(note("long")));
  const auto changed = front_.govern_table(change_to(changed_shop()));
  ASSERT_TRUE(changed) << changed.error().message();
  other_.look();
  for (GovernedDatabase* const front : {&front_, &other_}) {
    const auto refused = front->put_item(note("long"));
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().message(), HasSubstr("grade"));
  }
  ASSERT_TRUE(other_.put_item(note("new")));
  EXPECT_EQ(fronts_.stored(kNote).at("byTopic"), Value("THEME#t#new"));
  EXPECT_EQ(other_.governing_design("shop").value()->text, changed_shop());
}

// Between the read and the write of one front, another one changes the design, and the first one gets to know.
TEST_F(DesignChange, AWriteThatHasBegunEndsByNoOldDesign) {
  ASSERT_TRUE(front_.put_item(note("a")));
  bool is_first = true;
  fronts_.remote(1).before = [&](std::string_view operation) -> Result<void> {
    if (operation != "GetItem" || !std::exchange(is_first, false)) return {};
    TAVOLA_CHECK(front_.govern_table(change_to(changed_shop())));
    std::jthread([this] { other_.look(); }).join();
    return {};
  };
  UpdateItemRequest request = update(kNote, "SET topic = :v", R"({":v": "b"})");
  const auto done = other_.update_item(request);
  ASSERT_TRUE(done) << done.error().message();  // by the new design: it began again
  EXPECT_EQ(fronts_.stored(kNote).at("byTopic"), Value("THEME#b#a"));
}

TEST_F(DesignChange, AFrontThatSeesAnotherDesignWaitsForTheOthers) {
  TestFronts slow(kShop, {.settles = std::chrono::hours(1)});
  ASSERT_TRUE(slow.front(0).put_item(note("a")));
  auto record = slow.stored(R"({PK: "$design#current", SK: "$design"})");
  record.insert_or_assign("$digest", Value("another"));
  ASSERT_TRUE(slow.engine().put_item({.table_name = "shop", .item = *pack(record)}));
  slow.front(0).look();
  const auto early = slow.front(0).put_item(note("b"));
  ASSERT_FALSE(early);
  EXPECT_EQ(early.error().code(), ErrorCode::Throttling);
  EXPECT_THAT(early.error().message(), HasSubstr("is getting another design"));
}

// Its items are checked: until then every front counts violations, and then every front refuses them.
TEST_F(DesignChange, EveryFrontCountsWhileItemsAreChecked) {
  ASSERT_TRUE(front_.put_item(note("long")));
  GovernTableRequest request = change_to(changed_shop());
  request.adoption = GovernTableRequest::Adoption::Begin;
  ASSERT_TRUE(front_.govern_table(request));
  other_.look();
  EXPECT_TRUE(other_.put_item(note("longer")));
  EXPECT_TRUE(other_.describe_table({.table_name = "shop"})->table.governed_by->adopting);
  request.adoption = GovernTableRequest::Adoption::End;
  ASSERT_TRUE(front_.govern_table(request));
  other_.look();
  EXPECT_FALSE(other_.put_item(note("longest")));
  EXPECT_FALSE(other_.describe_table({.table_name = "shop"})->table.governed_by->adopting);
}

TEST_F(DesignChange, OnlyOneOfTwoChangesAtOnceWins) {
  ASSERT_TRUE(front_.put_item(note("a")));
  std::string third = kShop;
  third.replace(third.find("name: shop"), 10, "name: else");
  bool is_first = true;
  fronts_.remote(0).before = [&](std::string_view operation) -> Result<void> {
    if (operation != "PutItem" || !std::exchange(is_first, false)) return {};
    TAVOLA_CHECK(other_.govern_table(change_to(third)));
    return {};
  };
  const auto changed = front_.govern_table(change_to(changed_shop()));
  ASSERT_FALSE(changed);
  front_.look();
  EXPECT_EQ(front_.governing_design("shop").value()->text, third);
}

// An operator deletes the record: fronts that run have no design, until one of them gives the table its own.
TEST_F(DesignChange, ADeletedRecordStopsWrites) {
  ASSERT_TRUE(front_.put_item(note("a")));
  ASSERT_TRUE(fronts_.engine().delete_item(
      {.table_name = "shop", .key = item(R"({PK: "$design#current", SK: "$design"})")}));
  front_.look();
  const auto late = front_.put_item(note("b"));
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code(), ErrorCode::Throttling);
  const auto next = fronts_.open_front(changed_shop());
  ASSERT_TRUE(next) << next.error().message();
  const auto early = (*next)->put_item(note("b"));
  ASSERT_FALSE(early);  // the items are not taken over yet
  EXPECT_EQ(early.error().code(), ErrorCode::Throttling);
  front_.look();
  EXPECT_EQ(front_.governing_design("shop").value()->text, changed_shop());
}

}  // namespace
}  // namespace tavola::governed
