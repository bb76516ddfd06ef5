#include "store/rocks_recovery.h"

#include <charconv>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include <rocksdb/db.h>
#include <rocksdb/options.h>
#include <rocksdb/wal_filter.h>
#include <rocksdb/write_batch.h>

#include "store/files.h"
#include "store/rocks_options.h"
#include "store/torn_log.h"

namespace tavola::store {
namespace {

namespace fs = std::filesystem;

// Sees every record that is replayed. RocksDB does not report a hole of zeros, nor one between two logs: the watch does,
// by the sequence numbers.
class LogWatch final : public rocksdb::WalFilter {
 public:
  // Without an end, a hole is an error; with one, the replay stops there.
  explicit LogWatch(std::optional<std::uint64_t> end) : end_(end) {}

  const char* Name() const override { return "tavola.log_watch"; }

  // The first log that has writes which are not in data files; nothing when no log was to be replayed.
  std::optional<std::uint64_t> first_log() const { return first_log_; }

  void ColumnFamilyLogNumberMap(const std::map<std::uint32_t, std::uint64_t>& log_of_family,
                                const std::map<std::string, std::uint32_t>&) override {
    if (!log_of_family.empty()) first_log_ = log_of_family.begin()->second;
  }

  WalProcessingOption LogRecordFound(unsigned long long, const std::string&, const rocksdb::WriteBatch& batch,
                                     rocksdb::WriteBatch*, bool*) override {
    std::uint64_t sequence = 0;
    std::memcpy(&sequence, batch.Data().data(), sizeof(sequence));  // RocksDB has checked its length
    if (end_ && sequence >= *end_) return WalProcessingOption::kStopReplay;
    if (!end_ && next_ && sequence != *next_) return WalProcessingOption::kCorruptedRecord;
    next_ = sequence + batch.Count();
    return WalProcessingOption::kContinueProcessing;
  }

 private:
  std::optional<std::uint64_t> end_;
  std::optional<std::uint64_t> next_;
  std::optional<std::uint64_t> first_log_;
};

Result<std::vector<fs::path>> logs_from(std::uint64_t first, const fs::path& directory) {
  TAVOLA_TRY(const std::vector<std::string> names, log_files(directory));
  std::vector<fs::path> logs;
  for (const std::string& name : names) {
    std::uint64_t number = 0;
    std::from_chars(name.data(), name.data() + name.size(), number);
    if (number >= first) logs.push_back(directory / name);
  }
  return logs;
}

rocksdb::Status try_to_open(rocksdb::Options& options, const fs::path& directory, OpenedDatabase& opened) {
  options.wal_filter = opened.watch.get();
  rocksdb::DB* db = nullptr;
  const rocksdb::Status status = rocksdb::DB::Open(options, directory, &db);
  opened.db.reset(db);
  return status;
}

}  // namespace

Result<OpenedDatabase> open_database(rocksdb::Options options, const fs::path& directory) {
  auto watch = std::make_unique<LogWatch>(std::nullopt);
  const LogWatch& seen = *watch;
  OpenedDatabase opened{std::move(watch), nullptr};
  options.wal_recovery_mode = rocksdb::WALRecoveryMode::kAbsoluteConsistency;
  rocksdb::Status status = try_to_open(options, directory, opened);
  if (const std::optional<std::uint64_t> first = seen.first_log(); first && status.IsCorruption()) {
    TAVOLA_TRY(const std::vector<fs::path> logs, logs_from(*first, directory));
    TAVOLA_TRY(const std::uint64_t tear, find_tear(logs));
    opened.watch = std::make_unique<LogWatch>(tear);
    options.wal_recovery_mode = rocksdb::WALRecoveryMode::kPointInTimeRecovery;
    status = try_to_open(options, directory, opened);
  }
  if (!status.ok()) return fail(rocks_open_error(status, directory));
  return opened;
}

}  // namespace tavola::store
