#include "bench/raw_rocks.h"

#include <rocksdb/db.h>
#include <rocksdb/env.h>
#include <rocksdb/options.h>
#include <rocksdb/write_batch.h>

#include "bench/data.h"
#include "store/rocks/rocks_options.h"
#include "store/store.h"

namespace tavola::bench {

namespace {

void require_ok(const rocksdb::Status& status, const char* what) {
  if (!status.ok()) give_up(what, status.ToString());
}

rocksdb::Slice slice(std::string_view text) { return {text.data(), text.size()}; }

}  // namespace

struct RawRocks::State {
  std::unique_ptr<rocksdb::DB> db;
};

RawRocks::RawRocks(const std::filesystem::path& directory, std::size_t cache_bytes)
    : state_(std::make_unique<State>()) {
  rocksdb::Options options = store::rocks_options({.cache_bytes = cache_bytes}, rocksdb::Env::Default());
  options.create_if_missing = true;
  rocksdb::DB* db = nullptr;
  require_ok(rocksdb::DB::Open(options, directory.string(), &db), "opening raw RocksDB");
  state_->db.reset(db);
}

RawRocks::~RawRocks() = default;

bool RawRocks::get(std::string_view key, std::string& value) const {
  rocksdb::PinnableSlice pinned;
  const auto status =
      state_->db->Get(rocksdb::ReadOptions(), state_->db->DefaultColumnFamily(), slice(key), &pinned);
  if (status.IsNotFound()) return false;
  require_ok(status, "raw get");
  value.assign(pinned.data(), pinned.size());
  return true;
}

void RawRocks::put(std::string_view key, std::string_view value, Sync sync) {
  rocksdb::WriteOptions options;
  options.sync = sync == Sync::Yes;
  require_ok(state_->db->Put(options, slice(key), slice(value)), "raw put");
}

void RawRocks::erase(std::string_view key, Sync sync) {
  rocksdb::WriteOptions options;
  options.sync = sync == Sync::Yes;
  require_ok(state_->db->Delete(options, slice(key)), "raw delete");
}

void RawRocks::read_range(std::string_view from, std::size_t count, std::size_t bytes,
                          std::vector<std::string>& out) const {
  out.clear();
  std::size_t total = 0;
  const std::unique_ptr<rocksdb::Iterator> iterator(state_->db->NewIterator(rocksdb::ReadOptions()));
  for (iterator->Seek(slice(from)); iterator->Valid() && out.size() < count && total < bytes;
       iterator->Next()) {
    out.emplace_back(iterator->value().data(), iterator->value().size());
    total += out.back().size();
  }
  require_ok(iterator->status(), "raw range");
}

void RawRocks::read_through() const {
  const std::unique_ptr<rocksdb::Iterator> iterator(state_->db->NewIterator(rocksdb::ReadOptions()));
  for (iterator->SeekToFirst(); iterator->Valid(); iterator->Next()) {
  }
  require_ok(iterator->status(), "raw range");
}

void for_each_stored(const std::filesystem::path& directory,
                     const std::function<void(std::string_view, std::string_view)>& entry) {
  const auto opened = need(store::open_rocks(directory, {}), "opening the store");
  const auto snapshot = opened->snapshot();
  const auto cursor = snapshot->range({}, store::Direction::Forward);
  for (; cursor->valid(); cursor->next()) entry(cursor->key(), cursor->value());
  need(cursor->status(), "reading the store");
}

}  // namespace tavola::bench
