#include "tests/crash/consumer.h"

namespace tavola::crash {
namespace {

std::string name_of(const Key& key) { return key.partition + " " + std::to_string(key.sort); }

void apply(const StreamRecord& record, std::map<Key, Item>& items, Violations& found) {
  const Key key = key_of(record.keys.unpack());
  const auto before = items.find(key);
  const bool is_there = before != items.end();
  if (is_there != (record.kind != ChangeKind::Insert)) {
    found.push_back("record " + record.sequence_number + " of " + name_of(key) +
                    (is_there ? " inserts what is there" : " changes what is not there"));
  } else if (is_there && (!record.old_image || record.old_image->unpack() != before->second)) {
    found.push_back("record " + record.sequence_number + " of " + name_of(key) +
                    " does not follow the one before it");
  }
  if (record.new_image) {
    items[key] = record.new_image->unpack();
  } else {
    items.erase(key);
  }
}

void compare(const std::string& table, const std::map<Key, Item>& replayed, const std::map<Key, Item>& stored,
             Violations& found) {
  for (const auto& [key, item] : stored) {
    const auto same = replayed.find(key);
    if (same == replayed.end() || same->second != item)
      found.push_back(table + ": the records do not give " + name_of(key));
  }
  for (const auto& [key, item] : replayed) {
    if (!stored.contains(key))
      found.push_back(table + ": the records give " + name_of(key) + ", which is not there");
  }
}

// Returns the stream of the current table, which is the last one: the others belong to deleted tables of that name. A
// page has at most a hundred of them.
Result<std::string> latest_stream(Database& database, const std::string& table) {
  std::string latest;
  ListStreamsRequest request{.table_name = table};
  do {
    TAVOLA_TRY(const ListStreamsResponse page, database.list_streams(request));
    if (!page.streams.empty()) latest = page.streams.back().stream;
    request.exclusive_start_stream = page.last_evaluated_stream;
  } while (!request.exclusive_start_stream.empty());
  return latest;
}

}  // namespace

Result<void> StreamConsumer::read_shard(Database& database, const GetShardIteratorRequest& from,
                                        Followed& followed, Violations& found) {
  TAVOLA_TRY(const GetShardIteratorResponse start, database.get_shard_iterator(from));
  std::string iterator = start.shard_iterator;
  while (!iterator.empty()) {
    TAVOLA_TRY(const GetRecordsResponse page, database.get_records({.shard_iterator = iterator}));
    if (page.records.empty()) return {};
    for (const StreamRecord& record : page.records) apply(record, followed.items, found);
    records_ += page.records.size();
    followed.last_numbers[from.shard_id] = page.records.back().sequence_number;
    iterator = page.next_shard_iterator;
  }
  return {};
}

Result<void> StreamConsumer::read(Database& database, const std::string& stream, Followed& followed,
                                  Violations& found) {
  TAVOLA_TRY(const DescribeStreamResponse described, database.describe_stream({.stream = stream}));
  for (const Shard& shard : described.stream.shards) {
    GetShardIteratorRequest from{.stream = stream, .shard_id = shard.shard_id};
    if (const auto last = followed.last_numbers.find(shard.shard_id); last != followed.last_numbers.end()) {
      from.type = ShardIteratorType::AfterSequenceNumber;
      from.sequence_number = last->second;
    }
    TAVOLA_CHECK(read_shard(database, from, followed, found));
  }
  return {};
}

Violations StreamConsumer::follow(Database& database, const Stored& stored) {
  Violations found;
  for (const auto& [table, contents] : stored) {
    const Result<std::string> stream = latest_stream(database, table);
    if (!stream || stream->empty()) {
      found.push_back(table + " has no stream");
      continue;
    }
    Followed& followed = streams_[*stream];
    const Result<void> done = read(database, *stream, followed, found);
    if (!done) found.push_back(*stream + " cannot be read: " + done.error().message());
    compare(table, followed.items, contents.items, found);
  }
  return found;
}

}  // namespace tavola::crash
