// Records of changes, iterators and sequence numbers: they are read as written, and malformed ones are refused.
#include "engine/write/change_log.h"

#include <gtest/gtest.h>

#include "database/item_key.h"
#include "engine/catalog/stream_catalog.h"
#include "engine/records/change_number.h"
#include "engine/records/keys.h"
#include "engine/streams/shard_iterator.h"
#include "engine/test_tables.h"

namespace tavola::engine {
namespace {

WallTime at(std::int64_t milliseconds) { return WallTime(std::chrono::milliseconds(milliseconds)); }

TEST(ChangeNumbers, GrowWithTime) {
  EXPECT_EQ(first_number(at(1)), std::uint64_t{1} << 20U);
  EXPECT_EQ(moment_of(first_number(at(1'800'000'000'000)) + 77), at(1'800'000'000'000));
  EXPECT_EQ(first_number(at(-5)), 0U);
}

TEST(SequenceNumbers, Have21DigitsAndGrow) {
  std::string last;
  for (const std::uint64_t number :
       {std::uint64_t{0}, std::uint64_t{9}, std::uint64_t{10}, first_number(at(1'800'000'000'000)),
        std::numeric_limits<std::uint64_t>::max()}) {
    const std::string text = sequence_number(number);
    EXPECT_EQ(text.size(), 21U);
    EXPECT_LT(last, text);
    EXPECT_EQ(parse_sequence_number(text), number);
    last = text;
  }
  for (const char* text : {"", "1", "200000000000000000000", "1000000000000000000000",
                           "10000000000000000000x", "199999999999999999999"}) {
    EXPECT_EQ(parse_sequence_number(text), std::nullopt) << text;
  }
}

TEST(ShardIterators, AreReadBack) {
  const ShardIterator iterator{.stream = {"Music", at(1'800'000'000'123)},
                               .shard = 3,
                               .position = 77,
                               .issued = at(1'800'000'000'456),
                               .misses_what_is_trimmed = true};
  EXPECT_EQ(parse_shard_iterator(to_text(iterator)), iterator);
  std::string text = to_text(iterator);
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string cut = text.substr(0, i);
    EXPECT_EQ(parse_shard_iterator(cut), std::nullopt) << cut;
  }
}

TEST(ChangeRecords, AreReadBack) {
  TableSchema table;
  table.id = TableId(7);
  table.description.key_schema = {hash("pk")};
  const PackedItem old_item = item(R"({pk: "p", x: 1})");
  const PackedItem new_item = item(R"({pk: "p", x: 2})");
  for (const StreamView view :
       {StreamView::KeysOnly, StreamView::NewImage, StreamView::OldImage, StreamView::NewAndOldImages}) {
    table.description.stream = view;
    std::vector<store::Write> writes;
    const std::string key("\x02\0\0\0\x07\0\0\xc0\x01p\0\0", 12);
    append_change({.table = table,
                   .key = key,
                   .before = old_item.view(),
                   .after = new_item.view(),
                   .now = at(5),
                   .expired = true},
                  writes);
    ASSERT_EQ(writes.size(), 1U);
    EXPECT_EQ(writes[0].kind, store::Write::Kind::Append);
    EXPECT_EQ(writes[0].key, change_key(TableId(7), 3, first_number(at(5))));
    const auto change = decode_change(writes[0].value);
    ASSERT_TRUE(change) << change.error().message();
    EXPECT_EQ(change->kind, ChangeKind::Modify);
    EXPECT_TRUE(change->by_time_to_live);
    const KeptImages kept = kept_images(view);
    EXPECT_EQ(change->before.has_value(), kept.before);
    EXPECT_EQ(change->after.has_value(), kept.after);
    EXPECT_EQ(change->key.has_value(), !kept.before && !kept.after);
    EXPECT_EQ(key_of_item(table.description.key_schema, change->item()), item(R"({pk: "p"})"));
    for (std::size_t i = 0; i < writes[0].value.size(); ++i) {
      const auto cut = decode_change(std::string_view(writes[0].value).substr(0, i));
      EXPECT_TRUE(!cut || cut->item() != new_item.view()) << "cut to " << i;
    }
  }
}

TEST(ChangeRecords, OfANewerTavolaAreNotGuessedAt) {
  EXPECT_EQ(decode_change(std::string("\x02\x01\0\0\0\0\0\0\0\0\0", 11)).error().code(),
            ErrorCode::NewerFormat);
  EXPECT_EQ(decode_change(std::string("\x01\x09\0\0\0\0\0\0\0\0\0", 11)).error().code(), ErrorCode::Corrupt);
}

}  // namespace
}  // namespace tavola::engine
