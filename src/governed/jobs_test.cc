// Deletions that others follow, and copies that are too many for one transaction: finished by the front that began or, if it is killed, by
// any other.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "governed/test_fronts.h"

namespace tavola::governed {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

constexpr std::chrono::milliseconds kLong{60'000};

constexpr const char* kBlog = R"yaml(design: 1
name: blog
table: { name: shop, hash: PK, range: SK }
indexes:
  byTag: { hash: tagKey, project: all }
entities:
  Post:
    key: { PK: POST#<post>, SK: META }
    ids: { post: string }
    on_delete: { Comment: commentsOf }
    attributes:
      text: { type: string, required: true }
      tags: { type: list<string> }
      comments: { type: integer, default: 0 }
  Tag:
    key: { PK: TAG#<tag>, SK: POST#<post> }
    ids: { tag: string, post: string }
    index: { byTag: { hash: TAG#<tag> } }
    attributes: { text: string }
  Comment:
    key: { PK: USER#<user>, SK: COMMENT#<post>#<comment> }
    ids: { user: string, comment: string }
    index: { byTag: { hash: POST#<post> } }
    attributes:
      post: { type: string, required: true, ref: Post }
copies:
  counting: { kind: counter, from: Comment, to: Post, count: comments }
  tagging: { kind: fanout, from: Post, each: tags as tag, to: Tag, carry: [text], key: { tag: tag } }
patterns:
  commentsOf: { query: Comment, via: byTag, hash: POST#<post> }
)yaml";

PutItemRequest post(const std::string& name, const std::string& more = "") {
  return put(R"({PK: "POST#)" + name + R"(", SK: "META", text: "t")" + more + "}");
}
PutItemRequest comment(const std::string& on, std::size_t number) {
  const std::string n = std::to_string(number);
  return put(R"({PK: "USER#u)" + n + R"(", SK: "COMMENT#)" + on + "#c" + n + R"(", post: ")" + on + R"("})");
}
DeleteItemRequest deletion(const std::string& name) {
  return {.table_name = "shop", .key = item(R"({PK: "POST#)" + name + R"(", SK: "META"})")};
}

class FrontsWithJobs : public testing::Test {
 protected:
  std::size_t items() {
    std::size_t count = 0;
    ScanRequest request{.table_name = "shop"};
    do {
      const auto page = front_.scan(request);
      EXPECT_TRUE(page);
      count += page->items.size();
      request.exclusive_start_key = page->last_evaluated_key;
    } while (request.exclusive_start_key);
    return count;
  }
  void write(std::size_t comments) {
    ASSERT_TRUE(front_.put_item(post("1")));
    for (std::size_t i = 0; i < comments; ++i) ASSERT_TRUE(front_.put_item(comment("1", i)));
    ASSERT_EQ(items(), comments + 1);
  }

  TestFronts fronts_{kBlog};
  GovernedDatabase& front_ = fronts_.front(0);
  GovernedDatabase& other_ = fronts_.front(1);
};

TEST_F(FrontsWithJobs, WhatNamesADeletedItemGoesWithIt) {
  write(130);
  const auto gone = front_.delete_item(deletion("1"));
  ASSERT_TRUE(gone) << gone.error().message();
  EXPECT_TRUE(front_.finish(kLong));
  EXPECT_EQ(items(), 0U);
  EXPECT_THAT(fronts_.engine().scan({.table_name = "shop"})->items, SizeIs(1));  // the design's record
}

TEST_F(FrontsWithJobs, AnotherFrontFinishesWhatAKilledOneBegan) {
  write(130);
  int transactions = 0;
  bool is_killed = false;
  fronts_.remote(0).before = [&](std::string_view operation) -> Result<void> {
    if (operation == "TransactWriteItems" && ++transactions == 3) is_killed = true;
    if (is_killed) return fail(Error(ErrorCode::Validation, "killed"));
    return {};
  };
  const auto gone = front_.delete_item(deletion("1"));
  ASSERT_TRUE(gone) << gone.error().message();
  EXPECT_TRUE(gone->unfinished);
  fronts_.remote(0).before = {};
  EXPECT_GT(items(), 0U);
  EXPECT_EQ(other_.describe_governance({.table_name = "shop"})->unfinished, 1U);
  const auto back = other_.put_item(post("1"));
  ASSERT_FALSE(back);  // its new comments would be deleted
  EXPECT_THAT(back.error().message(), HasSubstr("deleted"));
  EXPECT_TRUE(other_.finish(kLong));
  EXPECT_GT(items(), 0U) << "the lease of the first front is over too early";
  fronts_.clock().advance(std::chrono::minutes(1));
  EXPECT_TRUE(other_.finish(kLong));
  EXPECT_EQ(items(), 0U);
  EXPECT_TRUE(other_.put_item(post("1")));
}

TEST_F(FrontsWithJobs, NothingIsAddedToADeletedItem) {
  write(3);
  bool is_first = true;
  fronts_.remote(0).before = [&](std::string_view operation) -> Result<void> {
    if (operation != "TransactWriteItems" || !std::exchange(is_first, false)) return {};
    TAVOLA_CHECK(other_.put_item(comment("1", 7)));  // before the deletion, behind the look
    return {};
  };
  ASSERT_TRUE(front_.delete_item(deletion("1")));
  const auto late = other_.put_item(comment("1", 8));
  ASSERT_FALSE(late);
  EXPECT_THAT(late.error().message(), HasSubstr("Post"));
  EXPECT_EQ(items(), 0U);
}

TEST_F(FrontsWithJobs, CopiesTooManyForOneTransactionAreFinished) {
  std::string tags;
  for (int i = 0; i < 150; ++i) tags += (i == 0 ? "\"t" : ", \"t") + std::to_string(i) + "\"";
  ASSERT_TRUE(front_.put_item(post("1", ", tags: [" + tags + "]")));
  EXPECT_TRUE(front_.finish(kLong));
  EXPECT_EQ(items(), 151U);
  ASSERT_TRUE(front_.update_item(update(R"({PK: "POST#1", SK: "META"})", "SET #t = :v", R"({":v": "new"})")));
  EXPECT_TRUE(front_.finish(kLong));
  EXPECT_EQ(fronts_.stored(R"({PK: "TAG#t149", SK: "POST#1"})").at("text"), Value("new"));
}

}  // namespace
}  // namespace tavola::governed
