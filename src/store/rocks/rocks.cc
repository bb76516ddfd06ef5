// The store on RocksDB: our striped locks around plain reads and one WriteBatch per transaction.
#include <algorithm>
#include <atomic>
#include <utility>
#include <vector>

#include <rocksdb/db.h>
#include <rocksdb/env.h>
#include <rocksdb/file_system.h>
#include <rocksdb/listener.h>
#include <rocksdb/utilities/checkpoint.h>
#include <rocksdb/wal_filter.h>

#include "base/assert.h"
#include "base/files.h"
#include "base/locks.h"
#include "store/difference.h"
#include "store/directory.h"
#include "store/durable_reads.h"
#include "store/fair_mutex.h"
#include "store/key_locks.h"
#include "store/rocks/changed_keys.h"
#include "store/rocks/closed_mark.h"
#include "store/rocks/guard_mirror.h"
#include "store/rocks/log_place.h"
#include "store/rocks/log_sync.h"
#include "store/rocks/passing_errors.h"
#include "store/rocks/rocks_log.h"
#include "store/rocks/rocks_options.h"
#include "store/rocks/rocks_recovery.h"
#include "store/rocks/synced_files.h"
#include "store/rocks/torn_log.h"
#include "store/rocks/watched_disk.h"
#include "store/store.h"
#include "store/syncer.h"
#include "store/transaction.h"

namespace tavola::store {
namespace {

namespace fs = std::filesystem;

std::string_view view_of(const rocksdb::Slice& slice) { return {slice.data(), slice.size()}; }

// A bound of an iterator, which keeps pointers to the Slice and to its bytes.
struct Bound {
  explicit Bound(const std::string& key) : bytes(key), slice(bytes) {}
  Bound(const Bound&) = delete;
  Bound& operator=(const Bound&) = delete;
  const std::string bytes;
  const rocksdb::Slice slice;
};

class RocksCursor final : public Cursor {
 public:
  RocksCursor(rocksdb::DB& db, const rocksdb::Snapshot* snapshot, const fs::path& directory,
              const KeyRange& range, Direction direction)
      : directory_(directory), from_(range.from), to_(range.to), direction_(direction) {
    rocksdb::ReadOptions options;
    options.snapshot = snapshot;
    if (!range.from.empty()) options.iterate_lower_bound = &from_.slice;
    if (!range.to.empty()) options.iterate_upper_bound = &to_.slice;
    // RocksDB leaves bounds that cross undefined.
    is_empty_ = !range.to.empty() && range.to <= range.from;
    if (is_empty_) return;
    iterator_.reset(db.NewIterator(options));
    direction == Direction::Forward ? iterator_->SeekToFirst() : iterator_->SeekToLast();
  }

  bool valid() const override { return !is_empty_ && iterator_->Valid(); }
  std::string_view key() const override { return view_of(iterator_->key()); }
  std::string_view value() const override { return view_of(iterator_->value()); }
  void next() override { direction_ == Direction::Forward ? iterator_->Next() : iterator_->Prev(); }
  Result<void> status() const override {
    if (is_empty_ || iterator_->status().ok()) return {};
    return fail(rocks_error(iterator_->status(), directory_));
  }

 private:
  const fs::path& directory_;  // the store's
  Bound from_;
  Bound to_;
  Direction direction_;
  bool is_empty_ = false;
  std::unique_ptr<rocksdb::Iterator> iterator_;
};

Result<std::optional<std::string>> get_from(rocksdb::DB& db, const rocksdb::ReadOptions& options,
                                            std::string_view key, const fs::path& directory) {
  std::string value;
  const rocksdb::Status status = db.Get(options, key, &value);
  if (status.ok()) return value;
  if (status.IsNotFound()) return std::nullopt;
  return fail(rocks_error(status, directory));
}

class RocksSnapshot final : public Snapshot {
 public:
  RocksSnapshot(rocksdb::DB& db, const fs::path& directory, HeldState state)
      : db_(db), directory_(directory), state_(std::move(state)) {}

  Result<std::optional<std::string>> get(std::string_view key) const override {
    rocksdb::ReadOptions options;
    options.snapshot = state_.get();
    return get_from(db_, options, key, directory_);
  }
  std::unique_ptr<Cursor> range(const KeyRange& range, Direction direction) const override {
    return std::make_unique<RocksCursor>(db_, state_.get(), directory_, range, direction);
  }

 private:
  rocksdb::DB& db_;            // the store's
  const fs::path& directory_;  // the store's
  HeldState state_;
};

struct RocksBranch final : Branch {
  RocksBranch(ChangedKeys& all, rocksdb::DB& db) : changed(all), mark(all.begin()), state(hold_state(db)) {}
  RocksBranch(const RocksBranch&) = delete;
  RocksBranch& operator=(const RocksBranch&) = delete;
  ~RocksBranch() override { changed.end(mark); }

  ChangedKeys& changed;  // the store's
  ChangedKeys::Mark mark;
  const HeldState state;
};

class RocksView final : public View {
 public:
  struct Value {
    rocksdb::PinnableSlice bytes;
    bool present = false;
  };
  explicit RocksView(std::size_t size) : values_(size) {}

  std::optional<std::string_view> operator[](std::size_t index) const override {
    TAVOLA_ASSERT(index < values_.size());
    if (!values_[index].present) return std::nullopt;
    return view_of(values_[index].bytes);
  }
  std::size_t size() const override { return values_.size(); }
  Value& at(std::size_t index) { return values_[index]; }

 private:
  std::vector<Value> values_;
};

// The error of a flush or a log switch that makes RocksDB refuse writes, until RocksDB has recovered.
//
// Thread safety: all methods; RocksDB calls the inherited ones.
class BackgroundError final : public rocksdb::EventListener {
 public:
  std::optional<rocksdb::Status> get() const {
    const MutexLock lock(mutex_);
    return error_;
  }

  void OnBackgroundError(rocksdb::BackgroundErrorReason reason, rocksdb::Status* error) override {
    // A compaction that may be retried stops no writes, and RocksDB does not report its later success. After a more
    // severe error (of the disk, or damaged data) it refuses all writes.
    const bool passes = error->severity() < rocksdb::Status::Severity::kHardError;
    if (reason == rocksdb::BackgroundErrorReason::kCompaction && passes) return;
    const MutexLock lock(mutex_);
    error_ = *error;
  }
  void OnErrorRecoveryEnd(const rocksdb::BackgroundErrorRecoveryInfo& info) override {
    const MutexLock lock(mutex_);
    if (info.new_bg_error.ok()) error_.reset();
  }

 private:
  mutable Mutex mutex_;
  std::optional<rocksdb::Status> error_ TAVOLA_GUARDED_BY(mutex_);
};

// Invariants: (1) everything is written by commit(), with the locks of the transaction held until RocksDB has
// acknowledged it. (2) guards_ never holds a value that an acknowledged write has replaced.
class RocksStore final : public Store {
 public:
  RocksStore(ClaimedDirectory directory, Durability durability)
      : directory_(std::move(directory)), durability_(durability) {}
  ~RocksStore() override;

  // `disk`: the file system beneath, or null for the usual one.
  Result<void> open(const std::shared_ptr<rocksdb::FileSystem>& disk, const RocksOptions& options);

  Result<std::optional<std::string>> get(std::string_view key) const override {
    DurableReads::end();
    return get_from(*db_, {}, key, directory_.files());
  }
  std::unique_ptr<Snapshot> snapshot() const override {
    DurableReads::end();
    return std::make_unique<RocksSnapshot>(*db_, directory_.files(), hold_state(*db_));
  }
  Result<std::optional<std::string>> get_for_answer(std::string_view key) const override {
    const HeldState durable = durable_state();
    rocksdb::ReadOptions options;
    options.snapshot = durable.get();
    return get_from(*db_, options, key, directory_.files());
  }
  std::unique_ptr<Snapshot> snapshot_for_answer() const override {
    HeldState durable = durable_state();
    return std::make_unique<RocksSnapshot>(*db_, directory_.files(),
                                           durable ? std::move(durable) : hold_state(*db_));
  }
  Position position() const override { return db_->GetLatestSequenceNumber(); }
  bool is_durable(Position position) const override { return !syncer_ || log_sync_->synced() >= position; }
  Result<void> transact(std::span<const std::string> keys, std::span<const Guard> guards,
                        const WriteRule& rule, Contention contention) override {
    TAVOLA_CHECK(check_before_write());
    const FairSharedLock lock(transactions_);
    return run_transaction(*this, order_, {keys, guards, rule, contention});
  }
  Result<std::uint64_t> settled(std::string_view prefix) override {
    DurableReads::end();
    return order_.appends.settled(prefix);
  }
  void when_durable(std::function<void(Result<void>)> done) override {
    syncer_ ? syncer_->when_durable(std::move(done)) : done({});
  }
  std::unique_ptr<Branch> branch() override {
    const FairExclusiveLock alone(transactions_);  // no commit is noted and not yet in the state
    return std::make_unique<RocksBranch>(changed_, *db_);
  }
  Result<void> return_to(Branch* branch, const KeyRange& kept) override;
  Result<void> checkpoint(const fs::path& directory) override;
  std::optional<Error> trouble() override;
  std::vector<Figure> figures() const override;
  Result<void> sync() override { return log_sync_ ? log_sync_->sync() : Result<void>{}; }
  fs::path directory() const override { return directory_.path(); }

  // The parts of run_transaction.
  Result<bool> holds(const Guard& guard);
  Result<RocksView> read(std::span<const std::string> keys) const;
  Result<void> commit(std::span<const Write> writes);

 private:
  Result<void> result_of(const rocksdb::Status& status) const {
    if (status.ok()) return {};
    return fail(rocks_error(status, directory_.files()));
  }

  std::uint64_t background_errors() const {
    std::uint64_t count = 0;
    db_->GetIntProperty(rocksdb::DB::Properties::kBackgroundErrors, &count);
    return count;
  }
  // The state that this thread must read for a response; null: the latest one. They differ only in a Deferred store.
  HeldState durable_state() const {
    return syncer_ && DurableReads::active() ? log_sync_->durable_state() : nullptr;
  }
  Result<void> check_before_write() const {
    DurableReads::end();
    TAVOLA_CHECK(directory_.check_owner());
    if (log_sync_) TAVOLA_CHECK(log_sync_->status());
    return log_place_->check();
  }
  Result<void> check_writable();
  Result<std::vector<Write>> erasure(const KeyRange& kept) const;
  Result<std::vector<Write>> way_back(const RocksBranch& target, const KeyRange& kept) const;
  Result<void> leave_failed_log();
  Result<void> occupy_memory();
  bool close();

  ClaimedDirectory directory_;  // released last
  std::unique_ptr<SyncedFiles> synced_;
  std::unique_ptr<rocksdb::Env> env_;  // records in synced_ what is written
  Durability durability_;
  LogSecret log_secret_ = 0;
  FairSharedMutex transactions_;  // held exclusively while the store returns to a branch
  ChangedKeys changed_;
  TransactionOrder order_{.locks = {}, .appends = AppendOrder([this](std::string_view prefix) {
                                         return first_free_number(*this, prefix);
                                       })};
  GuardMirror guards_;
  std::shared_ptr<BackgroundError> background_error_ = std::make_shared<BackgroundError>();
  std::unique_ptr<rocksdb::WalFilter> log_watch_;  // db_ keeps a pointer to it
  std::unique_ptr<rocksdb::DB> db_;
  std::unique_ptr<LogPlace> log_place_;
  std::unique_ptr<LogSync> log_sync_;       // unless every write is synced
  std::unique_ptr<Syncer> syncer_;          // Deferred stores only
  std::atomic<bool> write_failed_ = false;  // and RocksDB may still write to that log
  Mutex failed_log_mutex_;
  std::string failed_log_ TAVOLA_GUARDED_BY(failed_log_mutex_);
};

// Compares everything before RocksDB may change or delete a file.
Result<void> RocksStore::open(const std::shared_ptr<rocksdb::FileSystem>& disk, const RocksOptions& options) {
  TAVOLA_TRY(FileCheck check, check_files(directory_.files()));
  if (!check.losses.empty() && options.given_up == nullptr) return fail(check.losses.front());
  for (const Error& loss : check.losses) options.given_up->push_back(fault_of(loss));
  rocksdb::Options rocks = rocks_options(options, rocksdb::Env::Default());
  rocks.listeners.push_back(background_error_);
  rocks.create_if_missing = directory_.is_new();
  rocks.info_log = open_rocks_log(directory_.files());
  if (check.is_copy_of_open_store) {
    rocksdb::Warn(
        rocks.info_log,
        "This may be a copy of an open store, or an older Tavola opened it: reading all data files to check "
        "them.");
    TAVOLA_CHECK(verify_data_files(rocks, directory_.files()));
  }
  TAVOLA_TRY(synced_, SyncedFiles::begin(directory_.files(), std::move(check.facts), durability_));
  std::error_code left_there;
  fs::remove(directory_.files() / kClosedFile, left_there);  // SYNCED contains more
  env_ = rocksdb::NewCompositeEnv(with_passing_errors(watch_disk(disk, directory_.files(), *synced_)));
  rocks.env = env_.get();
  TAVOLA_TRY(OpenedDatabase opened,
             open_database(std::move(rocks), directory_.files(), {check.missing_logs, options.given_up}));
  // The rest of these logs is in data files now. RocksDB deletes them later, and a kill may come first.
  for (const std::uint64_t log : check.missing_logs) synced_->log_given_up(log);
  for (const std::uint64_t log : check.cut_logs) synced_->log_given_up(log);
  log_watch_ = std::move(opened.watch);
  db_ = std::move(opened.db);
  std::string identity;
  TAVOLA_CHECK(result_of(db_->GetDbIdentity(identity)));
  log_secret_ = log_secret(identity);
  TAVOLA_CHECK(occupy_memory());
  log_place_ = std::make_unique<LogPlace>(*db_, directory_.path());
  if (durability_ == Durability::Synced) return {};
  log_sync_ = std::make_unique<LogSync>(*db_, *env_->GetFileSystem(), *log_place_, directory_.files());
  if (durability_ == Durability::Relaxed) return {};
  log_sync_->hold_durable_state();
  syncer_ = std::make_unique<Syncer>(Syncer::Log{.written = [this] { return log_sync_->written(); },
                                                 .sync = [this] { return log_sync_->sync(); }});
  return {};
}

RocksStore::~RocksStore() {
  syncer_.reset();
  if (db_ && close() && directory_.check_owner()) synced_->closed();
}

// Not needed for safety: acknowledged writes are safe already. But a flushed log need not be replayed, and somebody
// waits for the next opening. Returns whether everything written is on disk.
bool RocksStore::close() {
  constexpr std::uint64_t kReplayedQuicklyBytes = std::uint64_t{1024} * 1024;
  std::uint64_t in_memory = 0;
  db_->GetIntProperty(rocksdb::DB::Properties::kCurSizeAllMemTables, &in_memory);
  bool is_whole = !write_failed_;
  if (is_whole && in_memory > kReplayedQuicklyBytes) is_whole = db_->Flush({}).ok();
  if (log_sync_) is_whole = log_sync_->sync().has_value() && is_whole;
  log_sync_.reset();
  is_whole = db_->Close().ok() && is_whole;
  db_.reset();
  return is_whole;
}

Result<bool> RocksStore::holds(const Guard& guard) {
  if (const std::optional<bool> known = guards_.holds(guard)) return *known;
  const GuardMirror::Ticket ticket = guards_.expect(guard.key);
  TAVOLA_TRY(const std::optional<std::string> value, get(guard.key));
  guards_.remember(guard.key, value, ticket);
  return guard.expected.empty() ? !value : value == guard.expected;
}

Result<RocksView> RocksStore::read(std::span<const std::string> keys) const {
  RocksView view(keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) {
    RocksView::Value& value = view.at(i);
    const rocksdb::Status status = db_->Get({}, db_->DefaultColumnFamily(), keys[i], &value.bytes);
    value.present = status.ok();
    if (!status.ok() && !status.IsNotFound()) return fail(rocks_error(status, directory_.files()));
  }
  return view;
}

rocksdb::Status append(rocksdb::WriteBatch& batch, const Write& write) {
  switch (write.kind) {
    case Write::Kind::Put:
      return batch.Put(write.key, write.value);
    case Write::Kind::Erase:
      return batch.Delete(write.key);
    case Write::Kind::Add:
      return batch.Merge(write.key, write.value);
    case Write::Kind::Append:
      return rocksdb::Status::InvalidArgument("an append without its number");  // transaction.h assigns it
    case Write::Kind::EraseRange:
      break;
  }
  // RocksDB's ranges need an end. check_writes refuses all keys that are not below this one.
  const std::string_view end = write.value.empty() ? kReservedPrefix : write.value;
  return write.key < end ? batch.DeleteRange(write.key, end) : rocksdb::Status::OK();
}

Result<void> RocksStore::commit(std::span<const Write> writes) {
  constexpr std::size_t kHeaderBytes = 12;
  constexpr std::size_t kWriteBytesMax = 16;  // tag and lengths
  std::size_t bytes = kHeaderBytes + kWriteBytesMax;
  for (const Write& write : writes) bytes += write.key.size() + write.value.size() + kWriteBytesMax;
  rocksdb::WriteBatch batch(bytes);
  // Everything visible in a Synced store is on disk.
  const std::uint64_t durable = log_sync_ ? log_sync_->synced() : db_->GetLatestSequenceNumber();
  TAVOLA_CHECK(result_of(batch.PutLogData(log_mark(durable, log_secret_))));
  for (const Write& write : writes) TAVOLA_CHECK(result_of(append(batch, write)));
  if (write_failed_) TAVOLA_CHECK(leave_failed_log());
  rocksdb::WriteOptions options;
  options.sync = durability_ == Durability::Synced;
  changed_.note(writes);  // also if the write fails: nobody knows what became of it
  const rocksdb::Status status = db_->Write(options, &batch);
  guards_.forget(writes);  // also after a failure: then only the disk knows
  if (status.ok()) return {};
  // The log is intact, and RocksDB retries by itself.
  if (is_out_of_descriptors(status)) return fail(rocks_write_error(status, directory_.files()));
  const MutexLock lock(failed_log_mutex_);
  failed_log_ = log_place_->find().value_or("");
  write_failed_ = true;
  return fail(rocks_write_error(status, directory_.files()));
}

// The writes are made from the difference, and go the way of every commit: so the log, the disk and readers see one more write.
Result<void> RocksStore::return_to(Branch* branch, const KeyRange& kept) {
  TAVOLA_ASSERT(!kept.to.empty());
  TAVOLA_CHECK(check_before_write());
  const FairExclusiveLock alone(transactions_);
  auto* const target = static_cast<RocksBranch*>(branch);
  TAVOLA_TRY(const std::vector<Write> writes, target == nullptr ? erasure(kept) : way_back(*target, kept));
  if (!writes.empty()) TAVOLA_CHECK(commit(writes));
  if (target != nullptr) {
    changed_.end(target->mark);
    target->mark = changed_.begin();
  }
  return sync();
}

// Few entries are erased one by one: an erased range slows reads until it is compacted away.
Result<std::vector<Write>> RocksStore::erasure(const KeyRange& kept) const {
  constexpr std::size_t kFew = 10'000;
  const std::unique_ptr<Snapshot> now = snapshot();
  std::vector<Write> writes;
  for (const KeyRange& range : {KeyRange{"", kept.from}, KeyRange{kept.to, std::string(kReservedPrefix)}}) {
    const std::unique_ptr<Cursor> cursor = now->range(range, Direction::Forward);
    for (; cursor->valid() && writes.size() < kFew; cursor->next())
      writes.push_back(Write::erase(std::string(cursor->key())));
    TAVOLA_CHECK(cursor->status());
  }
  if (writes.size() < kFew) return writes;
  return std::vector<Write>{Write::erase_range("", kept.from), Write::erase_range(kept.to, "")};
}

Result<std::vector<Write>> RocksStore::way_back(const RocksBranch& target, const KeyRange& kept) const {
  const std::unique_ptr<Snapshot> now = snapshot();
  const RocksSnapshot wanted(*db_, directory_.files(), target.state);
  const ChangedKeys::Changes changes = changed_.since(target.mark);
  Difference difference(*now, wanted);
  for (const std::string& key : changes.keys) {
    const bool stays = key >= kReservedPrefix || (key >= kept.from && key < kept.to);
    if (!stays) TAVOLA_CHECK(difference.add_key(key));
  }
  for (const KeyRange& range : changes.ranges) {
    const std::string end = range.to.empty() ? std::string(kReservedPrefix) : range.to;
    TAVOLA_CHECK(difference.add_range({range.from, std::min(end, kept.from)}));
    TAVOLA_CHECK(difference.add_range({std::max(range.from, kept.to), end}));
  }
  return difference.take_writes();
}

// After a failed write RocksDB refuses all others. If the disk was full it checks for space every five seconds and then
// resumes by itself, with a new log. (DB::Resume would be sooner, but in 7.8 it can wait for ever for a flush that is
// never run: one that was queued when the error came stays queued, and prevents that of the recovery.)
//
// But if it has nothing in memory it resumes with the same log, whose file accepts nothing any more, and the next write
// stops the process (7.8 with its assertions on, as Debian builds it). Hence occupy_memory(); where that does not help,
// because the failed write was the first one to a new log, writing does not resume.
Result<void> RocksStore::leave_failed_log() {
  const MutexLock lock(failed_log_mutex_);
  if (!write_failed_) return {};
  TAVOLA_CHECK(occupy_memory());  // fails while RocksDB refuses writes
  TAVOLA_TRY(const std::string log, log_place_->find());
  if (log == failed_log_) return fail(log_is_stuck(directory_.files()));
  write_failed_ = false;
  return {};
}

// Erases a key that does not exist, bypassing the log. It takes a sequence number that no log contains, and must
// therefore not be the last write before a log switch (torn_log.h): here the log is new, and everything before it is in
// data files.
Result<void> RocksStore::occupy_memory() {
  rocksdb::WriteBatch nothing;
  TAVOLA_CHECK(result_of(nothing.Delete(kReservedKey)));
  rocksdb::WriteOptions options;
  options.disableWAL = true;
  const rocksdb::Status status = db_->Write(options, &nothing);
  if (!status.ok()) return fail(rocks_write_error(status, directory_.files()));
  return {};
}

std::optional<Error> RocksStore::trouble() {
  const Result<void> writable = check_writable();
  if (writable) return std::nullopt;
  return writable.error();
}

Result<void> RocksStore::check_writable() {
  if (log_sync_) TAVOLA_CHECK(log_sync_->status());
  TAVOLA_CHECK(log_place_->find());
  if (log_sync_) TAVOLA_CHECK(log_sync_->last_sync());
  if (write_failed_) TAVOLA_CHECK(leave_failed_log());
  if (const auto error = background_error_->get()) return fail(rocks_write_error(*error, directory_.files()));
  return {};
}

std::vector<Store::Figure> RocksStore::figures() const {
  using Properties = rocksdb::DB::Properties;
  struct Known {
    std::string_view name;
    std::string_view help;
    const std::string& property;
  };
  const Known known[] = {
      {"rocksdb_files_bytes", "Bytes of the data files.", Properties::kTotalSstFilesSize},
      {"rocksdb_memtable_bytes", "Bytes written but not yet in a data file.",
       Properties::kCurSizeAllMemTables},
      {"rocksdb_cache_bytes", "Bytes of data files kept in memory.", Properties::kBlockCacheUsage},
      {"rocksdb_keys", "Keys, estimated.", Properties::kEstimateNumKeys},
      {"rocksdb_pending_compaction_bytes", "Bytes that compactions still have to rewrite, estimated.",
       Properties::kEstimatePendingCompactionBytes},
      {"rocksdb_running_compactions", "Compactions that run now.", Properties::kNumRunningCompactions},
      {"rocksdb_running_flushes", "Memtables being written to files now.", Properties::kNumRunningFlushes},
      {"rocksdb_write_stopped", "1 while writers must wait for compactions.", Properties::kIsWriteStopped},
      {"rocksdb_background_errors", "Errors of flushes and compactions since the start.",
       Properties::kBackgroundErrors},
  };
  std::vector<Figure> figures;
  for (const Known& one : known) {
    std::uint64_t value = 0;
    if (db_->GetIntProperty(one.property, &value)) figures.push_back({one.name, one.help, value});
  }
  return figures;
}

Result<void> RocksStore::checkpoint(const fs::path& directory) {
  TAVOLA_CHECK(log_place_->find());  // its parent may be in another directory now
  TAVOLA_TRY(const CheckpointDirectory target, CheckpointDirectory::prepare(directory));
  rocksdb::Checkpoint* checkpoint = nullptr;
  TAVOLA_CHECK(result_of(rocksdb::Checkpoint::Create(db_.get(), &checkpoint)));
  const std::unique_ptr<rocksdb::Checkpoint> owner(checkpoint);
  // RocksDB empties the memory and switches the log. There must be no empty log (torn_log.h) and no empty memory
  // (leave_failed_log).
  const Write nothing = Write::erase(std::string(kReservedKey));
  TAVOLA_CHECK(commit({&nothing, 1}));
  const std::uint64_t errors_before = background_errors();
  const rocksdb::Status created = checkpoint->CreateCheckpoint(target.building());
  // Also if it failed half-way. But if data could not be flushed RocksDB refuses all writes, which is not a failure of
  // the log.
  const bool is_refused = background_errors() != errors_before;
  const Result<void> occupied = is_refused ? Result<void>() : commit({&nothing, 1});
  TAVOLA_CHECK(result_of(created));
  TAVOLA_CHECK(occupied);
  // The copy's log contains the marks of this store.
  TAVOLA_TRY(const std::string identity, read_small_file(directory_.files() / kIdentityFile));
  TAVOLA_CHECK(replace_file(target.building() / kIdentityFile, identity));
  TAVOLA_CHECK(write_format_file(target.building()));
  TAVOLA_CHECK(write_synced_file(target.building()));
  return target.publish();
}

}  // namespace

Result<std::unique_ptr<Store>> open_rocks_on(const std::shared_ptr<rocksdb::FileSystem>& files,
                                             const fs::path& directory, const RocksOptions& options) {
  TAVOLA_TRY(ClaimedDirectory claimed, ClaimedDirectory::claim(directory));
  auto store = std::make_unique<RocksStore>(std::move(claimed), options.durability);
  TAVOLA_CHECK(store->open(files, options));
  return store;
}

Result<std::unique_ptr<Store>> open_rocks(const fs::path& directory, const RocksOptions& options) {
  return open_rocks_on(nullptr, directory, options);
}

}  // namespace tavola::store
