// Pages of many items: the 1 MB limit, pagination, parallel segments.
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/test_database.h"
#include "engine/test_tables.h"
#include "value/limits.h"

namespace tavola::engine {
namespace {

class Pages : public testing::TestWithParam<StoreKind> {
 protected:
  Pages() : db_(GetParam()) { EXPECT_TRUE(db_->create_table(good_table("Music"))); }

  void put(const Item& tree) {
    const auto written = db_->put_item({.table_name = "Music", .item = *pack(tree)});
    ASSERT_TRUE(written) << written.error().message();
  }

  // 200 partitions of two items; every third item is in the indexes.
  void fill() {
    for (int i = 0; i < 400; ++i) {
      Item tree{{"pk", "p" + std::to_string(i / 2)}, {"sk", i % 2}};
      if (i % 3 == 0) tree["a"] = Binary{std::to_string(i % 7)};
      put(tree);
    }
  }

  // Returns all pages of a request, one after the other.
  template <class Request, class Read>
  std::vector<std::string> read_all(Request request, const Read& read) {
    std::vector<std::string> items;
    do {
      const Result<Page> page = read(request);
      EXPECT_TRUE(page) << page.error().message();
      if (!page) break;
      for (const PackedItem& found : page->items) items.push_back(found.bytes());
      request.exclusive_start_key = page->last_evaluated_key;
    } while (request.exclusive_start_key);
    return items;
  }
  std::vector<std::string> scan_all(const ScanRequest& request) {
    return read_all(request, [&](const ScanRequest& next) { return db_->scan(next); });
  }
  std::vector<std::string> query_all(const QueryRequest& request) {
    return read_all(request, [&](const QueryRequest& next) { return db_->query(next); });
  }

  TestDatabase db_;
};

INSTANTIATE_TEST_SUITE_P(Engine, Pages, testing::ValuesIn(kStoreKinds),
                         [](const auto& kind) { return to_string(kind.param); });

// Neither items nor counts nor the ends of pages reveal invisible items.
TEST_P(Pages, WhatMayNotBeSeenIsPassedOver) {
  fill();
  const ItemTest is_second = [](const ItemView& item) { return item.find("sk")->unpack() == Value(1); };
  ScanRequest request{.table_name = "Music", .limit = 7, .may_see = is_second};
  EXPECT_THAT(scan_all(request), testing::SizeIs(200));
  int pages = 0;
  do {
    const auto page = db_->scan(request);
    ASSERT_TRUE(page) << page.error().message();
    EXPECT_EQ(page->scanned_count, page->count);
    request.exclusive_start_key = page->last_evaluated_key;
    if (page->last_evaluated_key) {
      EXPECT_TRUE(is_second(page->last_evaluated_key->view()));
    }
    ++pages;
  } while (request.exclusive_start_key);
  EXPECT_EQ(pages, 200 / 7 + 1);
  request.select = Select::Count;
  request.limit.reset();
  EXPECT_EQ(db_->scan(request)->count, 200);
}

TEST_P(Pages, PassingOverHasABound) {
  for (int i = 0; i < 43; ++i) put({{"pk", "p"}, {"sk", i}, {"v", std::string(400'000, 'x')}});
  const auto page = db_->query({.table_name = "Music",
                                .key_condition_expression = "pk = :p",
                                .values = item(R"({:p: "p"})"),
                                .may_see = [](const ItemView&) { return false; }});
  ASSERT_FALSE(page);
  EXPECT_EQ(page.error().code(), ErrorCode::AccessDenied);
  EXPECT_THAT(page.error().message(), testing::HasSubstr("narrower key condition"));
}

// Each item is 100,000 bytes, so the 11th exceeds 1 MB.
TEST_P(Pages, APageEndsAtOneMegabyte) {
  for (int i = 0; i < 25; ++i) {
    const std::size_t rest = 100'000 - item_size(pack({{"pk", "p"}, {"sk", i}, {"v", ""}})->view());
    put({{"pk", "p"}, {"sk", i}, {"v", std::string(rest, 'x')}});
  }
  QueryRequest request{.table_name = "Music",
                       .key_condition_expression = "pk = :p",
                       .filter_expression = "sk2 = :none OR attribute_exists(v)",
                       .values = item(R"({:p: "p", :none: 0})")};
  std::vector<std::int64_t> counts;
  do {
    const auto page = db_->query(request);
    ASSERT_TRUE(page) << page.error().message();
    EXPECT_EQ(page->count, page->scanned_count);
    counts.push_back(page->count);
    request.exclusive_start_key = page->last_evaluated_key;
  } while (request.exclusive_start_key);
  EXPECT_THAT(counts, testing::ElementsAre(11, 11, 3));

  // Items that a filter drops and attributes that a projection omits still count.
  request.filter_expression = "sk2 = :none";
  request.projection_expression = "pk";
  const auto dropped = db_->query(request);
  ASSERT_TRUE(dropped) << dropped.error().message();
  EXPECT_EQ(dropped->count, 0);
  EXPECT_EQ(dropped->scanned_count, 11);
  EXPECT_TRUE(dropped->last_evaluated_key.has_value());

  // The entries of an index count by their own size.
  const auto scanned = db_->scan({.table_name = "Music", .limit = 12});
  EXPECT_EQ(scanned->scanned_count, 11);
}

// Entries of localA are small, their items are not: a page that fetches them is bounded by those.
TEST_P(Pages, FetchedItemsCountTowardsThePage) {
  for (int i = 0; i < 12; ++i)
    put({{"pk", "p"}, {"sk", i}, {"a", Binary{"b"}}, {"v", std::string(200'000, 'x')}});
  const auto page = db_->query({.table_name = "Music",
                                .index_name = "localA",
                                .key_condition_expression = "pk = :p",
                                .values = item(R"({:p: "p"})"),
                                .select = Select::AllAttributes});
  ASSERT_TRUE(page) << page.error().message();
  EXPECT_EQ(page->count, 6);
  EXPECT_TRUE(page->last_evaluated_key.has_value());
}

TEST_P(Pages, PagesOfAnySizeGiveTheSameItems) {
  fill();
  const std::vector<std::string> whole = scan_all({.table_name = "Music"});
  EXPECT_EQ(whole.size(), 400U);
  EXPECT_EQ(std::set(whole.begin(), whole.end()).size(), 400U);
  for (const std::int64_t limit : {1, 2, 3, 7, 399, 400, 401})
    EXPECT_EQ(scan_all({.table_name = "Music", .limit = limit}), whole) << "limit " << limit;
  for (const char* index : {"byA", "localA"}) {
    const std::vector<std::string> entries = scan_all({.table_name = "Music", .index_name = index});
    EXPECT_EQ(entries.size(), 134U);
    for (const std::int64_t limit : {1, 5, 134})
      EXPECT_EQ(scan_all({.table_name = "Music", .index_name = index, .limit = limit}), entries) << index;
  }
}

TEST_P(Pages, QueriesGoOnPageByPageInBothDirections) {
  fill();
  QueryRequest request{.table_name = "Music",
                       .index_name = "byA",
                       .key_condition_expression = "a = :a",
                       .values = item(R"({:a: b"3"})")};
  const std::vector<std::string> forward = query_all(request);
  EXPECT_GT(forward.size(), 10U);
  request.scan_index_forward = false;
  std::vector<std::string> backward = query_all(request);
  std::ranges::reverse(backward);
  EXPECT_EQ(backward, forward);
  for (const bool ahead : {true, false}) {
    for (const std::int64_t limit : {1, 3, 10}) {
      request.scan_index_forward = ahead;
      request.limit = limit;
      std::vector<std::string> paged = query_all(request);
      if (!ahead) std::ranges::reverse(paged);
      EXPECT_EQ(paged, forward) << "limit " << limit;
    }
  }
}

TEST_P(Pages, SegmentsAreDisjointAndTogetherTheTable) {
  fill();
  for (const std::string index : {"", "byA"}) {
    std::vector<std::string> whole = scan_all({.table_name = "Music", .index_name = index});
    for (const int total : {1, 2, 3, 16, 100}) {
      std::vector<std::string> together;
      for (int segment = 0; segment < total; ++segment) {
        std::ranges::copy(scan_all({.table_name = "Music",
                                    .index_name = index,
                                    .limit = 3,
                                    .segment = segment,
                                    .total_segments = total}),
                          std::back_inserter(together));
      }
      EXPECT_EQ(together, whole) << total << " segments of '" << index << "'";
    }
  }
}

// More segments than there are hashes: most are empty, and one holds the item.
TEST_P(Pages, AMillionSegments) {
  put({{"pk", "only"}, {"sk", 1}});
  const auto schema = decode_schema(db_.record("Music"));
  const std::string key = item_key(**schema, item(R"({pk: "only", sk: 1})").view());
  const std::int64_t hash = static_cast<unsigned char>(key[7]) * 256 + static_cast<unsigned char>(key[8]);
  constexpr std::int64_t kTotal = 1'000'000;
  const std::int64_t about = hash * kTotal / 0x10000;
  std::int64_t found = 0;
  for (std::int64_t segment = std::max<std::int64_t>(0, about - 40);
       segment <= std::min(about + 40, kTotal - 1); ++segment) {
    const auto page = db_->scan({.table_name = "Music",
                                 .segment = static_cast<int>(segment),
                                 .total_segments = static_cast<int>(kTotal)});
    ASSERT_TRUE(page) << page.error().message();
    found += page->count;
  }
  EXPECT_EQ(found, 1);
  for (const int segment : {0, 999'999}) {
    const auto page = db_->scan({.table_name = "Music", .segment = segment, .total_segments = 1'000'000});
    EXPECT_TRUE(page);
  }
}

TEST_P(Pages, AStartingKeyOfAnotherSegmentIsRefused) {
  fill();
  const auto first = db_->scan({.table_name = "Music", .limit = 1, .segment = 0, .total_segments = 4});
  ASSERT_TRUE(first && first->last_evaluated_key);
  const auto refused = db_->scan({.table_name = "Music",
                                  .exclusive_start_key = first->last_evaluated_key,
                                  .segment = 3,
                                  .total_segments = 4});
  ASSERT_FALSE(refused);
  EXPECT_EQ(
      refused.error().message(),
      "The provided starting key is invalid: Invalid ExclusiveStartKey. Please use ExclusiveStartKey with "
      "correct Segment. TotalSegments: 4 Segment: 3");
}

// A page is one snapshot: a write between pages is seen only if it lies ahead.
TEST_P(Pages, WritesBetweenPages) {
  for (const int i : {1, 3, 5}) put({{"pk", "p"}, {"sk", i}});
  QueryRequest request{.table_name = "Music",
                       .key_condition_expression = "pk = :p",
                       .values = item(R"({:p: "p"})"),
                       .limit = 2};
  const auto page = db_->query(request);
  ASSERT_TRUE(page);
  put({{"pk", "p"}, {"sk", 2}});
  put({{"pk", "p"}, {"sk", 4}});
  ASSERT_TRUE(db_->delete_item({.table_name = "Music", .key = item(R"({pk: "p", sk: 3})")}));
  request.exclusive_start_key = page->last_evaluated_key;  // of an item that is gone
  EXPECT_THAT(query_all(request), testing::ElementsAre(pack({{"pk", "p"}, {"sk", 4}})->bytes(),
                                                       pack({{"pk", "p"}, {"sk", 5}})->bytes()));
}

}  // namespace
}  // namespace tavola::engine
