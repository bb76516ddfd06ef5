#include "store/rocks/rocks_options.h"

#include <algorithm>
#include <memory>
#include <sys/resource.h>

#include <rocksdb/cache.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/merge_operator.h>
#include <rocksdb/options.h>
#include <rocksdb/table.h>

#include "store/counters.h"

namespace tavola::store {
namespace {

// Never rename: the name is stored in the data files.
class CounterMerge final : public rocksdb::AssociativeMergeOperator {
 public:
  const char* Name() const override { return "tavola.counters.1"; }
  bool Merge(const rocksdb::Slice&, const rocksdb::Slice* existing, const rocksdb::Slice& deltas,
             std::string* total, rocksdb::Logger*) const override {
    if (existing != nullptr) total->assign(existing->data(), existing->size());
    return add_counters(*total, {deltas.data(), deltas.size()});
  }
};

rocksdb::BlockBasedTableOptions table_options(const RocksOptions& options) {
  rocksdb::BlockBasedTableOptions table;
  table.block_cache = rocksdb::NewLRUCache(options.cache_bytes);
  // Measured with 1 KB items: 4 KB blocks read no faster and take 4 % more disk and twice the index.
  table.block_size = std::size_t{8} * 1024;
  table.format_version = 5;
  table.checksum = rocksdb::kXXH3;
  // A put of a new item first checks for an old one: ten bits per key answer 99 % of these from memory.
  table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(10));
  table.whole_key_filtering = true;
  // Indexes and filters are outside the cache while their file is open: about 2 bytes per item. Inside, the index of
  // one large file can exceed a shard of the cache and is then read again for every get (measured: 160 us).
  table.cache_index_and_filter_blocks = false;
  table.index_block_restart_interval = 16;  // halves their size at no measurable cost
  return table;
}

// A file handle costs kilobytes, and the usual limit of a process is 1024. Most are left for others: while RocksDB
// cannot open a file for writing, it refuses writes.
int open_files_max() {
  constexpr rlim_t kMost = 512;
  constexpr rlim_t kFewest = 20;  // RocksDB's own
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return kMost;
  return static_cast<int>(std::clamp(limit.rlim_cur / 4, kFewest, kMost));
}

void set_memory(rocksdb::Options& rocks, const RocksOptions& options) {
  rocks.write_buffer_size = options.write_buffer_bytes;
  rocks.max_write_buffer_number = 3;  // one filling, one being flushed, one in reserve
  // Memory is allocated in small steps: an idle store has next to none.
  rocks.arena_block_size = std::min(std::size_t{64} * 1024, options.write_buffer_bytes / 8);
  rocks.stats_dump_period_sec = 0;
  rocks.stats_persist_period_sec = 0;
  rocks.max_open_files = open_files_max();
  rocks.max_file_opening_threads = 1;  // sixteen threads would not pay for the sixteen files read at opening
}

void set_files(rocksdb::Options& rocks) {
  // JSON-like items shrink to a half. ZSTD in the last level would halve that again, but a get that misses
  // the cache would cost 19 us instead of 10 (measured).
  rocks.compression = rocksdb::kLZ4Compression;
  rocks.level_compaction_dynamic_level_bytes = true;  // keeps dead versions to about a tenth of the data
  rocks.max_background_jobs = 2;
  rocks.bytes_per_sync =
      std::uint64_t{1024} * 1024;  // spreads the writing of large files instead of a burst at their end
  // Reserved space beyond the end of the log would make an empty store look like 35 MB.
  rocks.allow_fallocate = false;
  rocks.avoid_unnecessary_blocking_io =
      true;  // files are deleted in the background, not by the thread that closes a cursor
  rocks.skip_stats_update_on_db_open = true;  // would read every file: opening must not depend on the size
  rocks.info_log_level = rocksdb::WARN_LEVEL;
}

// How torn logs are replayed: rocks_recovery.cc.
void set_recovery(rocksdb::Options& rocks) {
  rocks.paranoid_checks = true;
  rocks.track_and_verify_wals_in_manifest = true;  // a synced log that is missing or too short is damage, too
  // Recovery flushes the log. RocksDB never syncs the end of a log that it found: if it were kept, a power cut after a
  // crash of the process would lose data that was read and built upon in between (tests/crash shows lost items and
  // index entries without an item).
  rocks.avoid_flush_during_recovery = false;
  rocks.avoid_flush_during_shutdown = true;  // RocksStore decides that
}

}  // namespace

rocksdb::Options rocks_options(const RocksOptions& options, rocksdb::Env* env) {
  rocksdb::Options rocks;
  rocks.env = env;
  rocks.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table_options(options)));
  rocks.merge_operator = std::make_shared<CounterMerge>();
  // Without it the deltas of a busy counter pile up until a flush, and a read adds them all.
  rocks.max_successive_merges = 16;
  set_memory(rocks, options);
  set_files(rocks);
  set_recovery(rocks);
  rocks.disable_auto_compactions = options.is_only_read;
  return rocks;
}

}  // namespace tavola::store
