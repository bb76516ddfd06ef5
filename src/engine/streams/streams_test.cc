// The records of a stream for the changes of its table, on both stores.
#include <atomic>
#include <map>
#include <random>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/test_clock.h"
#include "engine/records/change_number.h"
#include "engine/streams/shard_iterator.h"
#include "engine/test_actions.h"
#include "engine/test_database.h"
#include "engine/test_stream_reader.h"
#include "engine/test_tables.h"

namespace tavola::engine {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

class Streams : public testing::TestWithParam<StoreKind> {
 protected:
  Streams() : db_(GetParam(), clock_) {}

  void create(StreamView view, const std::string& name = "Music") {
    CreateTableRequest request = good_table(name);
    request.stream = view;
    const auto created = db_->create_table(request);
    ASSERT_TRUE(created) << text_of(created.error());
  }
  void switch_stream(std::optional<StreamView> view) {
    const auto updated = db_->update_table({.table_name = "Music", .stream = std::optional(view)});
    ASSERT_TRUE(updated) << text_of(updated.error());
  }
  template <class Write>
  void done(const Write& outcome) {
    ASSERT_TRUE(outcome) << text_of(outcome.error());
  }
  void put(std::string_view notation) { done(db_->put_item(engine::put("Music", notation))); }

  std::vector<std::string> streams(const std::string& table = "Music") {
    std::vector<std::string> names;
    const auto listed = db_->list_streams({.table_name = table});
    for (const StreamSummary& stream : listed->streams) names.push_back(stream.stream);
    return names;
  }
  std::vector<Shard> shards() { return db_->describe_stream({.stream = streams().at(0)})->stream.shards; }
  StreamReader reader(std::size_t stream = 0) { return {*db_, streams().at(stream)}; }
  std::vector<StreamRecord> records(std::size_t stream = 0) { return reader(stream).next(); }

  TestClock clock_;
  TestDatabase db_;
};

INSTANTIATE_TEST_SUITE_P(Engine, Streams, testing::ValuesIn(kStoreKinds),
                         [](const auto& kind) { return to_string(kind.param); });

TEST_P(Streams, EveryChangeIsARecordInOrder) {
  create(StreamView::NewAndOldImages);
  put(R"({pk: "p", sk: 1, x: "a"})");
  done(db_->update_item(update("Music", R"({pk: "p", sk: 1})", "SET x = :x", {"", R"({:x: "b"})"})));
  done(db_->delete_item(remove("Music", R"({pk: "p", sk: 1})")));
  const auto seen = records();
  ASSERT_THAT(seen, SizeIs(3));
  const PackedItem first = item(R"({pk: "p", sk: 1, x: "a"})");
  const PackedItem second = item(R"({pk: "p", sk: 1, x: "b"})");
  EXPECT_EQ(seen[0].kind, ChangeKind::Insert);
  EXPECT_EQ(seen[0].old_image, std::nullopt);
  EXPECT_EQ(seen[0].new_image, first);
  EXPECT_EQ(seen[1].kind, ChangeKind::Modify);
  EXPECT_EQ(seen[1].old_image, first);
  EXPECT_EQ(seen[1].new_image, second);
  EXPECT_EQ(seen[2].kind, ChangeKind::Remove);
  EXPECT_EQ(seen[2].old_image, second);
  EXPECT_EQ(seen[2].new_image, std::nullopt);
  for (const StreamRecord& record : seen) {
    EXPECT_EQ(record.keys, item(R"({pk: "p", sk: 1})"));
    EXPECT_EQ(record.view, StreamView::NewAndOldImages);
    EXPECT_EQ(record.created_at, clock_.now());
    EXPECT_FALSE(record.by_time_to_live);
    EXPECT_EQ(record.sequence_number.size(), 21U);
    EXPECT_EQ(record.event_id.size(), 32U);
  }
  EXPECT_LT(seen[0].sequence_number, seen[1].sequence_number);
  EXPECT_LT(seen[1].sequence_number, seen[2].sequence_number);
  EXPECT_NE(seen[0].event_id, seen[1].event_id);
}

struct Shown {
  StreamView view;
  bool old_image;
  bool new_image;
};

TEST_P(Streams, AViewShowsWhatItIsFor) {
  for (const Shown& shown :
       {Shown{StreamView::KeysOnly, false, false}, Shown{StreamView::NewImage, false, true},
        Shown{StreamView::OldImage, true, false}, Shown{StreamView::NewAndOldImages, true, true}}) {
    const std::string name = "table" + std::to_string(static_cast<int>(shown.view));
    create(shown.view, name);
    done(db_->put_item(engine::put(name, R"({pk: "p", sk: 1, x: "a"})")));
    done(db_->put_item(engine::put(name, R"({pk: "p", sk: 1, x: "b"})")));
    done(db_->delete_item(remove(name, R"({pk: "p", sk: 1})")));
    const auto seen = StreamReader(*db_, streams(name).at(0)).next();
    ASSERT_THAT(seen, SizeIs(3)) << name;
    EXPECT_EQ(seen[1].old_image.has_value(), shown.old_image) << name;
    EXPECT_EQ(seen[1].new_image.has_value(), shown.new_image) << name;
    EXPECT_EQ(seen[2].old_image.has_value(), shown.old_image) << name;
    EXPECT_EQ(seen[2].new_image, std::nullopt) << name;
    EXPECT_EQ(seen[2].keys, item(R"({pk: "p", sk: 1})")) << name;
    EXPECT_EQ(seen[2].kind, ChangeKind::Remove) << name;
  }
}

// The example of the developer guide: keys of 5 bytes and an image of 21.
TEST_P(Streams, SizesAreThoseOfTheKeysAndImages) {
  CreateTableRequest request{.table_name = "Music",
                             .attribute_definitions = {{"Id", Type::Number}},
                             .key_schema = {hash("Id")},
                             .stream = StreamView::NewAndOldImages};
  done(db_->create_table(request));
  put(R"({Id: 101, Message: "New item!"})");
  EXPECT_EQ(records().at(0).size_bytes, 26);
}

TEST_P(Streams, WhatChangesNothingIsNoRecord) {
  create(StreamView::KeysOnly);
  put(R"({pk: "p", sk: 1, x: "a"})");
  put(R"({pk: "p", sk: 1, x: "a"})");
  done(db_->update_item(update("Music", R"({pk: "p", sk: 1})", "SET x = :x", {"", R"({:x: "a"})"})));
  done(db_->delete_item(remove("Music", R"({pk: "p", sk: 9})")));
  EXPECT_FALSE(
      db_->put_item(engine::put("Music", R"({pk: "p", sk: 1, x: "c"})", {"attribute_not_exists(pk)"})));
  EXPECT_THAT(records(), SizeIs(1));
}

TEST_P(Streams, BatchesAndTransactionsAreRecordsOfTheirItems) {
  create(StreamView::NewImage);
  BatchWriteItemRequest batch;
  batch.tables.push_back({"Music",
                          {{BatchWrite::Kind::Put, item(R"({pk: "a", sk: 1})")},
                           {BatchWrite::Kind::Put, item(R"({pk: "b", sk: 1})")}}});
  done(db_->batch_write_item(batch));
  TransactWriteItemsRequest transaction;
  transaction.actions = {engine::put("Music", R"({pk: "c", sk: 1})"), remove("Music", R"({pk: "a", sk: 1})"),
                         check("Music", R"({pk: "b", sk: 1})", {"attribute_exists(pk)"})};
  done(db_->transact_write_items(transaction));
  transaction.actions = {engine::put("Music", R"({pk: "d", sk: 1})"),
                         check("Music", R"({pk: "x", sk: 1})", {"attribute_exists(pk)"})};
  EXPECT_FALSE(db_->transact_write_items(transaction));
  std::map<std::string, int> by_kind;
  for (const StreamRecord& record : records()) ++by_kind[std::to_string(static_cast<int>(record.kind))];
  EXPECT_THAT(by_kind, ElementsAre(testing::Pair("0", 3), testing::Pair("2", 1)));
}

TEST_P(Streams, WhatExpiredSaysSo) {
  create(StreamView::OldImage);
  done(db_->update_time_to_live({.table_name = "Music", .attribute_name = "ttl", .enabled = true}));
  done(db_->put_item(
      {.table_name = "Music", .item = *pack({{"pk", "p"}, {"sk", 1}, {"ttl", clock_.seconds() - 10}})}));
  done(db_->sweep());
  done(db_->put_item({.table_name = "Music", .item = *pack({{"pk", "p"}, {"sk", 1}})}));
  done(db_->delete_item(remove("Music", R"({pk: "p", sk: 1})")));
  const auto seen = records();
  ASSERT_THAT(seen, SizeIs(4));
  EXPECT_EQ(seen[1].kind, ChangeKind::Remove);
  EXPECT_TRUE(seen[1].by_time_to_live);
  EXPECT_FALSE(seen[3].by_time_to_live);
}

TEST_P(Streams, ATableWithoutAStreamKeepsNoLog) {
  done(db_->create_table(good_table()));
  put(R"({pk: "p", sk: 1})");
  EXPECT_THAT(streams(), IsEmpty());
  for (const auto& [key, value] : db_.dump()) EXPECT_FALSE(key.starts_with('\x0a'));
}

// ---- Shards, pages, iterators ----

TEST_P(Streams, ShardsDivideTheItems) {
  create(StreamView::KeysOnly);
  for (int i = 0; i < 64; ++i)
    done(db_->put_item({.table_name = "Music", .item = *pack({{"pk", std::to_string(i)}, {"sk", 1}})}));
  const auto described = db_->describe_stream({.stream = streams().at(0)});
  ASSERT_TRUE(described);
  EXPECT_THAT(described->stream.shards, SizeIs(4));
  std::size_t most = 0;
  std::size_t all = 0;
  for (const Shard& shard : described->stream.shards) {
    EXPECT_TRUE(shard.ending_sequence_number.empty());
    EXPECT_TRUE(shard.parent_shard_id.empty());
    const auto iterator = db_->get_shard_iterator({.stream = streams().at(0), .shard_id = shard.shard_id});
    const std::size_t count = db_->get_records({.shard_iterator = iterator->shard_iterator})->records.size();
    most = std::max(most, count);
    all += count;
  }
  EXPECT_EQ(all, 64U);
  EXPECT_LT(most, 40U);
}

TEST_P(Streams, ShardsAndStreamsComeInPages) {
  for (const char* name : {"ccc", "aaa", "bbb"}) create(StreamView::KeysOnly, name);
  const auto first = db_->list_streams({.limit = 2});
  ASSERT_THAT(first->streams, SizeIs(2));
  EXPECT_EQ(first->streams[0].table_name, "aaa");
  EXPECT_EQ(first->last_evaluated_stream, first->streams[1].stream);
  const auto second = db_->list_streams({.limit = 2, .exclusive_start_stream = first->last_evaluated_stream});
  ASSERT_THAT(second->streams, SizeIs(1));
  EXPECT_EQ(second->streams[0].table_name, "ccc");
  EXPECT_EQ(second->last_evaluated_stream, "");
  const std::string stream = first->streams[0].stream;
  const auto three = db_->describe_stream({.stream = stream, .limit = 3});
  ASSERT_THAT(three->stream.shards, SizeIs(3));
  EXPECT_EQ(three->stream.last_evaluated_shard_id, three->stream.shards[2].shard_id);
  const auto last = db_->describe_stream(
      {.stream = stream, .exclusive_start_shard_id = three->stream.last_evaluated_shard_id});
  EXPECT_THAT(last->stream.shards, SizeIs(1));
  EXPECT_THAT(
      db_->describe_stream({.stream = stream, .children_of = last->stream.shards[0].shard_id})->stream.shards,
      IsEmpty());
}

TEST_P(Streams, IteratorsBeginWhereTheyAreAsked) {
  create(StreamView::KeysOnly);
  for (const char* x : {"a", "b", "c"})
    done(db_->put_item({.table_name = "Music", .item = *pack({{"pk", "p"}, {"sk", 1}, {"x", x}})}));
  const auto all = records();
  ASSERT_THAT(all, SizeIs(3));
  const auto from = [&](ShardIteratorType type, const std::string& number) {
    std::vector<std::string> seen;
    for (const Shard& shard : shards()) {
      const auto iterator = db_->get_shard_iterator(
          {.stream = streams().at(0), .shard_id = shard.shard_id, .type = type, .sequence_number = number});
      EXPECT_TRUE(iterator) << text_of(iterator.error());
      const auto page = db_->get_records({.shard_iterator = iterator->shard_iterator});
      for (const StreamRecord& record : page->records) seen.push_back(record.sequence_number);
    }
    return seen;
  };
  const std::string& second = all[1].sequence_number;
  EXPECT_THAT(from(ShardIteratorType::TrimHorizon, ""), SizeIs(3));
  EXPECT_THAT(from(ShardIteratorType::Latest, ""), IsEmpty());
  EXPECT_THAT(from(ShardIteratorType::AtSequenceNumber, second), ElementsAre(second, all[2].sequence_number));
  EXPECT_THAT(from(ShardIteratorType::AfterSequenceNumber, second), ElementsAre(all[2].sequence_number));
}

TEST_P(Streams, LatestSeesWhatComesLater) {
  create(StreamView::KeysOnly);
  put(R"({pk: "p", sk: 1})");
  StreamReader latest(*db_, streams().at(0), ShardIteratorType::Latest);
  EXPECT_THAT(latest.next(), IsEmpty());
  put(R"({pk: "p", sk: 2})");
  EXPECT_THAT(latest.next(), SizeIs(1));
  EXPECT_THAT(latest.next(), IsEmpty());
}

TEST_P(Streams, RecordsComeInPagesOfALimitAndAMegabyte) {
  create(StreamView::NewImage);
  const std::string large(300'000, 'x');
  for (int i = 0; i < 5; ++i)
    done(db_->put_item({.table_name = "Music", .item = *pack({{"pk", "p"}, {"sk", i}, {"x", large}})}));
  std::vector<std::size_t> pages;
  for (const Shard& shard : shards()) {
    std::string next =
        db_->get_shard_iterator({.stream = streams().at(0), .shard_id = shard.shard_id})->shard_iterator;
    for (int i = 0; i < 3; ++i) {
      const auto page = db_->get_records({.shard_iterator = next});
      if (!page->records.empty()) pages.push_back(page->records.size());
      next = page->next_shard_iterator;
    }
  }
  EXPECT_THAT(pages, ElementsAre(3, 2));
  StreamReader one_by_one(*db_, streams().at(0), ShardIteratorType::TrimHorizon, 1);
  EXPECT_THAT(one_by_one.next(), SizeIs(1));
  EXPECT_THAT(one_by_one.next(), SizeIs(1));
}

TEST_P(Streams, AnIteratorEndsAfterAQuarterOfAnHour) {
  create(StreamView::KeysOnly);
  StreamReader reader(*db_, streams().at(0));
  clock_.advance(minutes(15));
  EXPECT_THAT(reader.next(), IsEmpty());  // which also renews them
  clock_.advance(minutes(15) + std::chrono::milliseconds(1));
  EXPECT_EQ(reader.try_next().error().code(), ErrorCode::ExpiredIterator);
}

TEST_P(Streams, WhatIsNoneIsRefused) {
  create(StreamView::KeysOnly);
  const std::string stream = streams().at(0);
  const std::string shard = db_->describe_stream({.stream = stream})->stream.shards[0].shard_id;
  const auto code = [](const auto& outcome) {
    return outcome ? std::string("none") : text_of(outcome.error());
  };
  EXPECT_EQ(code(db_->describe_stream({.stream = "nonsense"})), "ValidationException: Invalid StreamArn");
  EXPECT_EQ(code(db_->describe_stream({.stream = "Music/stream/2020-01-01T00:00:00.000"})),
            "ResourceNotFoundException: Requested resource not found: Stream: "
            "Music/stream/2020-01-01T00:00:00.000 not found");
  EXPECT_EQ(
      code(db_->describe_stream({.stream = stream, .limit = 101})),
      "ValidationException: One or more parameter values were invalid: Limit cannot be greater than the "
      "maximum: 100");
  EXPECT_EQ(
      code(db_->list_streams({.limit = 0})),
      "ValidationException: 1 validation error detected: Value '0' at 'limit' failed to satisfy constraint: "
      "Member must have value greater than or equal to 1");
  EXPECT_EQ(
      code(db_->get_shard_iterator({.stream = stream, .shard_id = "shardId-00000000000000000000-00000000"})),
      "ResourceNotFoundException: Requested resource not found: Shard: "
      "shardId-00000000000000000000-00000000 not found");
  EXPECT_EQ(code(db_->get_shard_iterator(
                {.stream = stream, .shard_id = shard, .type = ShardIteratorType::AtSequenceNumber})),
            "ValidationException: One or more parameter values were invalid: SequenceNumber is required with "
            "ShardIteratorType AT_SEQUENCE_NUMBER");
  EXPECT_EQ(code(db_->get_shard_iterator({.stream = stream,
                                          .shard_id = shard,
                                          .type = ShardIteratorType::AtSequenceNumber,
                                          .sequence_number = "999999999999999999999"})),
            "ValidationException: One or more parameter values were invalid: Invalid SequenceNumber "
            "999999999999999999999 for shard " +
                shard);
  EXPECT_EQ(code(db_->get_records({.shard_iterator = stream + "|1|AAAA"})),
            "ValidationException: Invalid ShardIterator");
  const auto iterator = db_->get_shard_iterator({.stream = stream, .shard_id = shard});
  EXPECT_EQ(
      code(db_->get_records({.shard_iterator = iterator->shard_iterator, .limit = 1001})),
      "ValidationException: One or more parameter values were invalid: Limit should be less than or equal to "
      "1000");
}

// ---- Switched off and on ----

TEST_P(Streams, SwitchedOffItIsReadToItsEnd) {
  create(StreamView::NewImage);
  put(R"({pk: "p", sk: 1})");
  switch_stream(std::nullopt);
  put(R"({pk: "p", sk: 2})");
  switch_stream(StreamView::OldImage);
  put(R"({pk: "p", sk: 1, x: "new"})");
  ASSERT_THAT(streams(), SizeIs(2));
  const auto closed = db_->describe_stream({.stream = streams()[0]});
  EXPECT_EQ(closed->stream.status, StreamStatus::Disabled);
  EXPECT_EQ(closed->stream.view, StreamView::NewImage);
  for (const Shard& shard : closed->stream.shards) EXPECT_FALSE(shard.ending_sequence_number.empty());
  StreamReader old_one = reader(0);
  EXPECT_THAT(old_one.next(), SizeIs(1));
  EXPECT_TRUE(old_one.is_at_end());
  const auto open = db_->describe_stream({.stream = streams()[1]});
  EXPECT_EQ(open->stream.status, StreamStatus::Enabled);
  StreamReader new_one = reader(1);
  const auto seen = new_one.next();
  ASSERT_THAT(seen, SizeIs(1));
  EXPECT_EQ(seen[0].old_image, item(R"({pk: "p", sk: 1})"));
  EXPECT_FALSE(new_one.is_at_end());
}

TEST_P(Streams, OfADeletedTableItStaysForADay) {
  create(StreamView::NewImage);
  put(R"({pk: "p", sk: 1})");
  done(db_->delete_table({"Music"}));
  create(StreamView::NewImage);
  put(R"({pk: "p", sk: 2})");
  ASSERT_THAT(streams(), SizeIs(2)) << "another table, whose stream was switched on in the same millisecond";
  EXPECT_EQ(records(0).at(0).new_image, item(R"({pk: "p", sk: 1})"));
  EXPECT_EQ(records(1).at(0).new_image, item(R"({pk: "p", sk: 2})"));
  done(db_->delete_table({"Music"}));
  clock_.advance(hours(24) + minutes(1));
  done(db_->sweep());
  EXPECT_THAT(streams(), IsEmpty());
  EXPECT_THAT(db_.leftovers(), IsEmpty());
}

// ---- Retention ----

TEST_P(Streams, RecordsAreKeptForADay) {
  create(StreamView::KeysOnly);
  put(R"({pk: "p", sk: 1})");
  StreamReader lagging(*db_, streams().at(0), ShardIteratorType::TrimHorizon, 1);
  const std::string first = records().at(0).sequence_number;
  clock_.advance(hours(23));
  put(R"({pk: "p", sk: 2})");
  EXPECT_THAT(records(), SizeIs(2));
  clock_.advance(hours(1) + std::chrono::milliseconds(1));
  EXPECT_THAT(records(), SizeIs(1)) << "also before it is swept";
  done(db_->sweep());
  EXPECT_THAT(records(), SizeIs(1));
  std::size_t stored = 0;
  for (const auto& [key, value] : db_.dump()) stored += key.starts_with('\x0a') ? 1 : 0;
  EXPECT_EQ(stored, 1U);
  int trimmed = 0;
  for (const Shard& shard : shards()) {
    const auto iterator = db_->get_shard_iterator({.stream = streams()[0],
                                                   .shard_id = shard.shard_id,
                                                   .type = ShardIteratorType::AfterSequenceNumber,
                                                   .sequence_number = first});
    trimmed += !iterator && iterator.error().code() == ErrorCode::TrimmedDataAccess ? 1 : 0;
  }
  EXPECT_EQ(trimmed, 4);
}

TEST_P(Streams, AReaderThatKeptUpIsNeverTrimmed) {
  create(StreamView::KeysOnly);
  put(R"({pk: "p", sk: 1})");
  StreamReader reader(*db_, streams().at(0));
  EXPECT_THAT(reader.next(), SizeIs(1));
  for (int i = 0; i < 150; ++i) {
    clock_.advance(minutes(14));
    ASSERT_TRUE(reader.try_next());
  }
  put(R"({pk: "p", sk: 2})");
  EXPECT_THAT(reader.next(), SizeIs(1));
}

// A page ended at its limit, and its rest was trimmed before it was read.
TEST_P(Streams, AReaderThatLagsBehindIsToldWhatItMissed) {
  create(StreamView::KeysOnly);
  put(R"({pk: "p", sk: 1})");
  put(R"({pk: "p", sk: 2})");
  clock_.advance(hours(24) - minutes(1));
  StreamReader lagging(*db_, streams().at(0), ShardIteratorType::TrimHorizon, 1);
  EXPECT_THAT(lagging.next(), SizeIs(1));
  clock_.advance(minutes(2));
  EXPECT_EQ(lagging.try_next().error().code(), ErrorCode::TrimmedDataAccess);
}

// ---- The clock ----

TEST_P(Streams, NumbersGrowWhenTheClockIsSetBack) {
  create(StreamView::NewImage);
  put(R"({pk: "p", sk: 1, x: "a"})");
  clock_.advance(-hours(2));
  put(R"({pk: "p", sk: 1, x: "b"})");
  if (GetParam() != StoreKind::Memory) db_.reopen();
  put(R"({pk: "p", sk: 1, x: "c"})");
  std::vector<std::string> seen;
  for (const StreamRecord& record : records()) seen.push_back(record.new_image->find("x")->unpack().string());
  EXPECT_THAT(seen, ElementsAre("a", "b", "c"));
}

// ---- The records replayed give the table ----

using Table = std::map<std::string, std::string>;

Table stored_table(TestDatabase& db) {
  Table stored;
  for (const PackedItem& one : db.scan_all("Music")) {
    const Item whole = one.unpack();
    stored[pack({{"pk", whole.at("pk")}, {"sk", whole.at("sk")}})->bytes()] = one.bytes();
  }
  return stored;
}

void replay(const std::vector<StreamRecord>& records, Table& table) {
  for (const StreamRecord& record : records) {
    const auto found = table.find(record.keys.bytes());
    EXPECT_EQ(found != table.end(), record.kind != ChangeKind::Insert);
    if (found != table.end()) {
      ASSERT_TRUE(record.old_image);
      EXPECT_EQ(found->second, record.old_image->bytes()) << "a change follows the one before it";
    }
    if (record.new_image) {
      table[record.keys.bytes()] = record.new_image->bytes();
    } else {
      table.erase(record.keys.bytes());
    }
  }
}

TEST_P(Streams, ReplayedWhileManyWriteTheyGiveTheTable) {
  create(StreamView::NewAndOldImages);
  constexpr int kWriters = 4;
  constexpr int kWrites = 250;
  std::atomic<int> running = kWriters;
  std::vector<std::jthread> writers;
  for (int writer = 0; writer < kWriters; ++writer) {
    writers.emplace_back([&, writer] {
      std::mt19937 random(static_cast<std::mt19937::result_type>(writer));
      for (int i = 0; i < kWrites; ++i) {
        const Item key{{"pk", std::to_string(random() % 10)}, {"sk", static_cast<int>(random() % 3)}};
        if (random() % 4 == 0) {
          EXPECT_TRUE(db_->delete_item({.table_name = "Music", .key = *pack(key)}));
        } else if (random() % 5 == 0) {
          TransactWriteItemsRequest both;
          for (const char* half : {"left", "right"}) {
            both.actions.emplace_back(
                PutItemRequest{.table_name = "Music",
                               .item = *pack({{"pk", half}, {"sk", i % 3}, {"i", writer * 1000 + i}})});
          }
          static_cast<void>(db_->transact_write_items(both));  // two may meet
        } else {
          EXPECT_TRUE(db_->update_item({.table_name = "Music",
                                        .key = *pack(key),
                                        .update_expression = "ADD n :one",
                                        .values = *pack({{":one", 1}})}));
        }
        if (i % 50 == 0) clock_.advance(std::chrono::milliseconds(1));
      }
      --running;
    });
  }
  Table replayed;
  StreamReader reader(*db_, streams().at(0));
  for (bool last_round = false; !last_round;) {
    last_round = running == 0;
    replay(reader.next(), replayed);
  }
  EXPECT_EQ(replayed, stored_table(db_));
  db_.expect_consistent("Music");
}

// First follow, then scan: nothing is missed in between, though some of it may be seen twice.
TEST_P(Streams, WhoFollowsFromNowOnAndThenScansHasTheTable) {
  create(StreamView::NewAndOldImages);
  for (int round = 0; round < 20; ++round) {
    std::vector<std::jthread> writers;
    for (int writer = 0; writer < 4; ++writer) {
      writers.emplace_back([&, writer] {
        for (int i = 0; i < 20; ++i) {
          EXPECT_TRUE(db_->put_item(
              {.table_name = "Music",
               .item = *pack({{"pk", std::to_string(i % 7)}, {"sk", writer}, {"i", round * 1000 + i}})}));
        }
      });
    }
    StreamReader reader(*db_, streams().at(0), ShardIteratorType::Latest);
    Table copy = stored_table(db_);
    writers.clear();
    for (const StreamRecord& record : reader.next()) copy[record.keys.bytes()] = record.new_image->bytes();
    ASSERT_EQ(copy, stored_table(db_));
  }
}

}  // namespace
}  // namespace tavola::engine
