#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/test_clock.h"
#include "base/test_scratch_directory.h"
#include "objects/codec/s3_error.h"
#include "objects/storage/key_path.h"
#include "objects/storage/object_store.h"

namespace tavola::objects {
namespace {

namespace fs = std::filesystem;

// ---- Where keys lie ----

TEST(KeyPath, OrdinaryKeysArePaths) {
  for (const std::string key : {"a", "a/b.txt", ".hidden", "a/.b", "...", "a b/ü"})
    EXPECT_TRUE(is_path(key)) << key;
  for (const std::string key : {"", "/a", "a/", "a//b", ".", "..", "a/../b", "./a"})
    EXPECT_FALSE(is_path(key)) << key;
  EXPECT_FALSE(is_path(std::string(256, 'n')));
  EXPECT_FALSE(is_path(std::string_view("a\0b", 3)));
}

RC_GTEST_PROP(KeyPath, OddPathsBelongToOneKeyAndCanHoldIt, (const std::string& text)) {
  const std::string key = "k" + text.substr(0, kKeyBytesMax - 1);
  const std::string path = odd_path(key);
  RC_ASSERT(is_path(path) || path.size() > kKeyBytesMax);
  RC_ASSERT(key_of_odd_path(path) == key);
}

TEST(KeyPath, NoOddPathIsTheFolderOfAnother) {
  std::string key;
  std::set<std::string> files;
  std::set<std::string> folders;
  for (std::size_t i = 0; i < kKeyBytesMax; ++i) {
    key += static_cast<char>('a' + i % 7);
    const std::string path = odd_path(key);
    EXPECT_TRUE(files.insert(path).second);
    for (std::size_t at = path.find('/'); at != std::string::npos; at = path.find('/', at + 1))
      folders.insert(path.substr(0, at));
  }
  for (const std::string& folder : folders) EXPECT_FALSE(files.contains(folder)) << folder;
}

// ---- The store ----

class ObjectStoreTest : public testing::Test {
 protected:
  void SetUp() override {
    open();
    ASSERT_TRUE(store_->create_bucket("bucket"));
  }
  void open() {
    store_.reset();
    auto opened = ObjectStore::open((scratch_ / "dir").string(), clock_);
    ASSERT_TRUE(opened) << opened.error().message();
    store_ = *std::move(opened);
  }

  Result<ObjectRecord> put(const std::string& key, const std::string& text, Conditions conditions = {}) {
    TAVOLA_TRY(const Bucket bucket, store_->bucket("bucket"));
    TAVOLA_TRY(Draft draft, Draft::create(bucket));
    TAVOLA_CHECK(draft.write(text));
    return store_->put(
        {.bucket = "bucket",
         .record = {.key = key, .etag = "etag of " + text, .headers = {{"x-amz-meta-text", text}}},
         .draft = std::move(draft),
         .conditions = std::move(conditions)});
  }
  std::string read(const std::string& key) {
    const auto found = store_->get("bucket", key);
    if (!found) return "error: " + found.error().message();
    std::string text(found->record.facts.size_bytes, '\0');
    if (!read_bytes(found->file, 0, text)) return "unreadable";
    const bool has_record = !found->record.headers.empty() && found->record.headers[0].second == text;
    return text + (has_record ? "" : " without its record");
  }
  std::vector<std::string> listed(const ListQuery& query = {}) {
    std::vector<std::string> keys;
    const auto page = store_->list("bucket", query);
    if (!page) return {page.error().message()};
    for (const ListPage::Entry& entry : page->entries)
      keys.push_back(entry.is_group ? "[" + entry.key + "]" : entry.key);
    if (page->is_truncated) keys.emplace_back("…");
    return keys;
  }
  // Every file below the directory, without folders.
  std::size_t files() const {
    std::size_t count = 0;
    for (const auto& entry : fs::recursive_directory_iterator(scratch_ / "dir"))
      count += entry.is_regular_file() ? 1 : 0;
    return count;
  }
  fs::path path(const std::string& key) const { return scratch_ / "dir" / "bucket" / key; }

  ScratchDirectory scratch_;
  TestClock clock_;
  std::unique_ptr<ObjectStore> store_;
};

TEST_F(ObjectStoreTest, ReplacesAnObjectWithItsRecord) {
  ASSERT_TRUE(put("a/b", "one"));
  ASSERT_TRUE(put("a/b", "two"));
  EXPECT_EQ(read("a/b"), "two");
  EXPECT_EQ(files(), 2U);  // the object, and its record
  ASSERT_TRUE(store_->remove("bucket", "a/b"));
  EXPECT_EQ(files(), 0U);
  EXPECT_FALSE(fs::exists(path("a")));
}

TEST_F(ObjectStoreTest, KeepsKeysThatAreInEachOthersWay) {
  ASSERT_TRUE(put("a", "1"));
  ASSERT_TRUE(put("a/b", "2"));
  ASSERT_TRUE(put("a/b/c", "3"));
  EXPECT_EQ(read("a") + read("a/b") + read("a/b/c"), "123");
  EXPECT_THAT(listed(), testing::ElementsAre("a", "a/b", "a/b/c"));
  ASSERT_TRUE(store_->remove("bucket", "a"));
  EXPECT_EQ(read("a/b") + read("a/b/c"), "23");
  ASSERT_TRUE(put("a/b", "4"));  // the path is free now, but the key keeps its place
  EXPECT_EQ(read("a/b"), "4");
  EXPECT_THAT(listed(), testing::ElementsAre("a/b", "a/b/c"));
  ASSERT_TRUE(put("x/y", "5"));
  ASSERT_TRUE(put("x", "6"));
  EXPECT_EQ(read("x") + read("x/y"), "65");
}

TEST_F(ObjectStoreTest, AFileThatSomebodyElseWroteCounts) {
  ASSERT_TRUE(put("a", "1"));
  ASSERT_TRUE(put("a/b", "odd"));
  ASSERT_TRUE(store_->remove("bucket", "a"));
  fs::create_directory(path("a"));
  std::ofstream(path("a/b")) << "file";
  EXPECT_EQ(read("a/b"), "file without its record");
  EXPECT_THAT(listed(), testing::ElementsAre("a/b"));
  ASSERT_TRUE(store_->remove("bucket", "a/b"));
  EXPECT_THAT(listed(), testing::IsEmpty());
  EXPECT_EQ(files(), 0U);
}

TEST_F(ObjectStoreTest, OldRecordsDoNotFitNewFiles) {
  ASSERT_TRUE(put("a", "text"));
  const auto written = fs::last_write_time(path("a"));
  std::ofstream(path("a")) << "next";
  EXPECT_EQ(read("a"), "next without its record");
  const auto etag = store_->get("bucket", "a")->record.etag;
  EXPECT_TRUE(etag.ends_with("-1"));
  EXPECT_EQ(store_->get("bucket", "a")->record.etag, etag);
  fs::last_write_time(path("a"), written);  // as a copy with its times would have it
  EXPECT_EQ(store_->get("bucket", "a")->record.etag, "etag of text");
}

TEST_F(ObjectStoreTest, ChecksConditions) {
  EXPECT_TRUE(put("a", "1", {.if_none_match = "*"}));
  EXPECT_FALSE(put("a", "2", {.if_none_match = "*"}));
  EXPECT_FALSE(put("a", "2", {.if_match = "etag of 2"}));
  EXPECT_FALSE(put("b", "2", {.if_match = "*"}));
  EXPECT_EQ(read("a"), "1");
  EXPECT_TRUE(put("a", "2", {.if_match = "etag of 1"}));
  EXPECT_EQ(read("a"), "2");
  EXPECT_EQ(files(), 2U);
}

TEST_F(ObjectStoreTest, DropsDrafts) {
  const auto bucket = store_->bucket("bucket");
  ASSERT_TRUE(bucket);
  {
    auto draft = Draft::create(*bucket);
    ASSERT_TRUE(draft && draft->write("half"));
    EXPECT_EQ(files(), 1U);
  }
  EXPECT_EQ(files(), 0U);
  std::ofstream(scratch_ / "dir/.tavola-objects/bucket/drafts/of-a-crash") << "half";
  open();
  EXPECT_EQ(files(), 0U);
}

TEST_F(ObjectStoreTest, HasOneServer) {
  EXPECT_EQ(ObjectStore::open((scratch_ / "dir").string(), clock_).error().code(), ErrorCode::Locked);
}

TEST_F(ObjectStoreTest, TellsOfObjects) {
  std::vector<std::string> seen;
  store_->on_created(
      [&](const ObjectCreated& one) { seen.push_back(one.event + " " + one.bucket + "/" + one.record.key); });
  ASSERT_TRUE(put("a", "1"));
  ASSERT_FALSE(put("a", "1", {.if_none_match = "*"}));
  EXPECT_THAT(seen, testing::ElementsAre("ObjectCreated:Put bucket/a"));
}

// The obvious way of listing.
std::vector<std::string> expected_list(const std::set<std::string>& keys, const ListQuery& query) {
  std::vector<std::string> found;
  for (const std::string& key : keys) {
    if (!key.starts_with(query.prefix) || key <= query.after) continue;
    if (query.skips_group_of_after && key.starts_with(query.after)) continue;
    const std::size_t at =
        query.delimiter.empty() ? std::string::npos : key.find(query.delimiter, query.prefix.size());
    std::string entry = key;
    if (at != std::string::npos) entry = "[" + key.substr(0, at + 1) + "]";
    if (!found.empty() && found.back() == entry) continue;
    if (found.size() == query.entries_max) {
      found.emplace_back("…");
      break;
    }
    found.push_back(std::move(entry));
  }
  return found;
}

// Keys with many common beginnings, most of them odd or in each other's way: few buckets, since every object is synced, and
// many lists of each.
TEST_F(ObjectStoreTest, ListsKeysInOrder) {
  constexpr unsigned kSeed = 20261118;
  std::mt19937 random(kSeed);
  const auto below = [&](std::size_t end) {
    return std::uniform_int_distribution<std::size_t>(0, end - 1)(random);
  };
  const auto text = [&] {
    std::string made;
    for (std::size_t size = below(6); made.size() < size;) made += "ab./"[below(4)];
    return made;
  };
  for (int bucket = 0; bucket < 4; ++bucket) {
    std::set<std::string> keys;
    for (int i = 0; i < 25; ++i) {
      const std::string key = text();
      if (!key.empty() && keys.insert(key).second) ASSERT_TRUE(put(key, "x"));
    }
    ASSERT_EQ(listed(), expected_list(keys, {}));
    for (int i = 0; i < 200; ++i) {
      const std::string delimiters[] = {"", "/", "b"};
      ListQuery query{
          .prefix = text(), .delimiter = delimiters[below(3)], .after = text(), .entries_max = 1 + below(4)};
      query.skips_group_of_after = !query.after.empty() && below(2) == 1;
      ASSERT_EQ(listed(query), expected_list(keys, query))
          << "seed " << kSeed << ", prefix " << query.prefix << ", after " << query.after << ", by "
          << query.delimiter;
    }
    for (const std::string& key : keys) ASSERT_TRUE(store_->remove("bucket", key));
    ASSERT_EQ(files(), 0U);
  }
}

}  // namespace
}  // namespace tavola::objects
