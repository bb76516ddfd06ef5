#include "store/rocks/rocks_recovery.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <rocksdb/db.h>
#include <rocksdb/options.h>
#include <rocksdb/sst_file_reader.h>
#include <rocksdb/wal_filter.h>
#include <rocksdb/write_batch.h>

#include "base/files.h"
#include "store/data_files.h"
#include "store/rocks/manifest.h"
#include "store/rocks/rocks_options.h"
#include "store/rocks/synced_facts.h"
#include "store/rocks/torn_log.h"

namespace tavola::store {
namespace {

namespace fs = std::filesystem;

struct Log {
  std::uint64_t number;
  fs::path path;
};

// Returns the logs, oldest first, with the missing ones: nothing after a missing one may be replayed.
Result<std::vector<Log>> find_logs(const fs::path& directory, const std::vector<std::uint64_t>& missing) {
  TAVOLA_TRY(const std::vector<std::string> names, log_files(directory));
  std::vector<Log> logs;
  logs.reserve(names.size() + missing.size());
  for (const std::string& name : names) logs.push_back({log_number(name), directory / name});
  for (const std::uint64_t number : missing) logs.push_back({number, directory / log_name(number)});
  std::ranges::sort(logs, {}, &Log::number);
  return logs;
}

// Sees every record that is replayed. RocksDB reports neither a hole of zeros nor one between two logs: this does, by
// the sequence numbers.
class LogWatch final : public rocksdb::WalFilter {
 public:
  // Without an end, a hole is an error; with one, the replay stops there.
  LogWatch(std::vector<Log> logs, std::optional<std::uint64_t> end) : logs_(std::move(logs)), end_(end) {}

  const char* Name() const override { return "tavola.log_watch"; }

  // The logs with writes that are not in data files; empty if RocksDB did not get so far.
  const std::vector<Log>& to_replay() const { return to_replay_; }

  void ColumnFamilyLogNumberMap(const std::map<std::uint32_t, std::uint64_t>& log_of_family,
                                const std::map<std::string, std::uint32_t>&) override {
    if (log_of_family.empty()) return;
    const std::uint64_t first = log_of_family.begin()->second;
    std::ranges::copy_if(logs_, std::back_inserter(to_replay_),
                         [&](const Log& log) { return log.number >= first; });
  }

  WalProcessingOption LogRecordFound(unsigned long long number, const std::string&,
                                     const rocksdb::WriteBatch& batch, rocksdb::WriteBatch*, bool*) override {
    std::uint64_t sequence = 0;
    std::memcpy(&sequence, batch.Data().data(), sizeof(sequence));  // RocksDB has checked its length
    if (end_ && sequence >= *end_) return WalProcessingOption::kStopReplay;
    if (!end_ && !follows(number, sequence)) return WalProcessingOption::kCorruptedRecord;
    next_ = sequence + batch.Count();
    return WalProcessingOption::kContinueProcessing;
  }

 private:
  bool follows(std::uint64_t log, std::uint64_t sequence) const {
    if (next_) return sequence == *next_;
    return to_replay_.empty() || log == to_replay_.front().number;  // a log with a successor is not empty
  }

  const std::vector<Log> logs_;
  std::vector<Log> to_replay_;
  std::optional<std::uint64_t> end_;
  std::optional<std::uint64_t> next_;
};

rocksdb::Status try_to_open(rocksdb::Options& options, const fs::path& directory, OpenedDatabase& opened) {
  options.wal_filter = opened.watch.get();
  rocksdb::DB* db = nullptr;
  const rocksdb::Status status = rocksdb::DB::Open(options, directory, &db);
  opened.db.reset(db);
  return status;
}

}  // namespace

Result<OpenedDatabase> open_database(rocksdb::Options options, const fs::path& directory,
                                     const AcceptedLosses& losses) {
  if (losses.given_up != nullptr) options.track_and_verify_wals_in_manifest = false;
  // Before RocksDB starts, which creates a new one if it is missing.
  const LogSecret secret = log_secret(read_small_file(directory / kIdentityFile).value_or(""));
  TAVOLA_TRY(const std::vector<Log> logs, find_logs(directory, losses.logs));
  auto watch = std::make_unique<LogWatch>(logs, std::nullopt);
  const LogWatch& seen = *watch;
  OpenedDatabase opened{std::move(watch), nullptr};
  options.wal_recovery_mode = rocksdb::WALRecoveryMode::kAbsoluteConsistency;
  rocksdb::Status status = try_to_open(options, directory, opened);
  if (status.IsCorruption() && !seen.to_replay().empty()) {
    std::vector<fs::path> paths;
    for (const Log& log : seen.to_replay()) paths.push_back(log.path);
    TAVOLA_TRY(const Tear tear, look_for_tear(paths, secret));
    if (tear.lost && losses.given_up == nullptr) return fail(*tear.lost);
    if (tear.lost) losses.given_up->push_back(fault_of(*tear.lost));
    opened.watch = std::make_unique<LogWatch>(logs, tear.sequence);
    options.wal_recovery_mode = rocksdb::WALRecoveryMode::kPointInTimeRecovery;
    status = try_to_open(options, directory, opened);
  }
  if (!status.ok()) return fail(rocks_open_error(status, directory));
  return opened;
}

// Opens the files one by one. RocksDB 7.8 stops the process if it opens a whole database read-only whose manifest still
// lists a log.
Result<void> verify_data_files(const rocksdb::Options& options, const fs::path& directory) {
  const fs::path manifest_file = directory / current_manifest(directory);
  TAVOLA_TRY(const std::string manifest, read_file(manifest_file));
  // A kill may have cut off the last change of the manifest; RocksDB also ignores such a change.
  const std::string_view whole = std::string_view(manifest).substr(0, whole_records(manifest).end);
  const std::optional<DataFiles> files = data_files_of(whole);
  if (!files) return fail(file_is_damaged(manifest_file, "its list of data files cannot be read"));
  for (const auto& [number, bytes] : *files) {
    const fs::path file = directory / data_file_name(number);
    std::error_code error;
    if (!fs::exists(file, error) && !error) return fail(file_is_missing(file));
    if (const std::uintmax_t found = fs::file_size(file, error); !error && found != bytes) {
      return fail(file_is_damaged(
          file, "it has " + std::to_string(found) + " bytes and had " + std::to_string(bytes)));
    }
    rocksdb::SstFileReader reader(options);
    rocksdb::Status status = reader.Open(file);
    if (status.ok()) status = reader.VerifyChecksum(rocksdb::ReadOptions());
    if (status.IsCorruption()) return fail(file_is_damaged(file, status.ToString()));
    if (!status.ok()) return fail(rocks_open_error(status, directory));
  }
  return {};
}

}  // namespace tavola::store
