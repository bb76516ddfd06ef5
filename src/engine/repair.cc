#include "engine/repair.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <system_error>
#include <utility>

#include "base/files.h"
#include "engine/records/keys.h"
#include "engine/records/schema.h"
#include "engine/write/stored_change.h"
#include "store/directory.h"
#include "store/store.h"
#include "value/key_codec.h"

namespace tavola::engine {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kBatchBytes = std::size_t{1024} * 1024;
constexpr std::uint32_t kHashes = 65'536;

using Schema = std::shared_ptr<TableSchema>;

// Writes in batches.
class BatchWriter {
 public:
  explicit BatchWriter(store::Store& store) : store_(store) {}

  std::vector<store::Write>& writes() { return decision_.writes; }
  Result<void> put(std::string_view key, std::string_view value) {
    decision_.writes.push_back(store::Write::put(std::string(key), std::string(value)));
    return wrote(key.size() + value.size());
  }
  // Must be called after this many bytes were added to writes().
  Result<void> wrote(std::size_t bytes) {
    bytes_ += bytes;
    return bytes_ < kBatchBytes ? Result<void>() : flush();
  }
  Result<void> flush() {
    TAVOLA_CHECK(
        store_.transact({}, {}, [this](const store::View&) -> Result<store::Decision> { return decision_; }));
    decision_.writes.clear();
    bytes_ = 0;
    return {};
  }

 private:
  store::Store& store_;
  store::Decision decision_;
  std::size_t bytes_ = 0;
};

// Copies a salvaged store into a new one. Reads the salvaged one with cursors only: its get() may return an older
// value.
class Rebuild {
 public:
  Rebuild(const store::Store& from, store::Store& to, const RepairWatch& watch, RepairReport& report)
      : snapshot_(from.snapshot()), out_(to), watch_(watch), report_(report) {}

  Result<void> run() {
    TAVOLA_CHECK(read_catalog());
    for (const Schema& table : tables_) TAVOLA_CHECK(copy_items(*table));
    TAVOLA_CHECK(copy_others());
    TAVOLA_CHECK(set_next_table_id());
    return out_.flush();
  }

 private:
  Result<void> read_catalog() {
    const auto cursor = snapshot_->range(catalog_range(), store::Direction::Forward);
    for (; cursor->valid(); cursor->next()) {
      Result<Schema> table = decode_schema(cursor->value());
      if (!table) {
        report_.lost_tables.emplace_back(table_name_in(cursor->key()));
        continue;
      }
      // Restored items are not changes that a stream shows, or recovery would undo.
      (*table)->description.stream.reset();
      (*table)->description.recovery.reset();
      last_table_ = std::max(last_table_, (*table)->id.value());
      tables_.push_back(*std::move(table));
    }
    return cursor->status();
  }

  Result<void> copy_items(const TableSchema& table) {
    RepairedTable repaired{.name = table.description.table_name};
    const auto cursor =
        snapshot_->range(entry_range(table.id, kTableItself, 0, kHashes), store::Direction::Forward);
    for (; cursor->valid(); cursor->next()) {
      const std::string key(cursor->key());
      UsedUnits units(table);
      TAVOLA_CHECK(
          append_writes({.table = table, .key = key, .before = {}, .after = ItemView(cursor->value())}, units,
                        out_.writes()));
      TAVOLA_CHECK(out_.wrote(key.size() + cursor->value().size()));
      ++repaired.items;
      if (watch_) watch_("copying items", ++items_, 0);
    }
    TAVOLA_CHECK(cursor->status());
    TAVOLA_TRY(repaired.counted, counted_items(table.id));
    if (!repaired.counted && repaired.items == 0)
      repaired.counted = 0;  // a table's first item brings its count
    report_.tables.push_back(std::move(repaired));
    return {};
  }

  Result<std::optional<std::uint64_t>> counted_items(TableId table) {
    const std::string key = counters_key(table);
    const auto cursor = snapshot_->range({key, key + '\0'}, store::Direction::Forward);
    TAVOLA_CHECK(cursor->status());
    if (!cursor->valid()) return std::nullopt;
    TAVOLA_TRY(const std::vector<std::int64_t> counts, store::decode_counters(cursor->value(), 1));
    return static_cast<std::uint64_t>(std::max<std::int64_t>(counts[0], 0));
  }

  // Copies everything except what copy_items() derives from the items.
  Result<void> copy_others() {
    std::map<std::string, std::string> made;  // ranges, by their beginning
    for (const Schema& table : tables_) {
      const std::string counters = counters_key(table->id);
      for (const store::KeyRange& range :
           {all_entries(table->id), all_collections(table->id), all_expiries(table->id),
            store::KeyRange{counters, counters + '\0'}}) {
        made.emplace(range.from, range.to);
      }
    }
    const char entries = all_entries(TableId(0)).from.front();
    const auto cursor = snapshot_->range({}, store::Direction::Forward);
    for (; cursor->valid(); cursor->next()) {
      const auto next = made.upper_bound(std::string(cursor->key()));
      if (next != made.begin() && cursor->key() < std::prev(next)->second) continue;
      if (cursor->key().front() == entries) note_stray(cursor->key());
      TAVOLA_CHECK(out_.put(cursor->key(), cursor->value()));
    }
    return cursor->status();
  }

  void note_stray(std::string_view key) {
    ++report_.stray_items;
    key.remove_prefix(1);
    if (const Result<std::uint32_t> table = read_ordered_u32(key))
      last_table_ = std::max(last_table_, *table);
  }

  // Ids of tables are never reused: remains of a table would reappear in another one.
  Result<void> set_next_table_id() {
    const std::string key = next_table_id_key();
    const auto cursor = snapshot_->range({key, key + '\0'}, store::Direction::Forward);
    TAVOLA_CHECK(cursor->status());
    if (cursor->valid()) return {};
    std::string next;
    append_ordered_u32(next, last_table_ + 1);
    return out_.put(key, next);
  }

  const std::unique_ptr<store::Snapshot> snapshot_;
  BatchWriter out_;
  const RepairWatch& watch_;
  RepairReport& report_;
  std::vector<Schema> tables_;
  std::uint32_t last_table_ = 0;
  std::uint64_t items_ = 0;
};

bool is_of_the_store(const std::string& name) {
  static constexpr std::string_view kNames[] = {"FORMAT",  "OWNER",    "SYNCED", "CLOSED",
                                                "CURRENT", "IDENTITY", "LOCK",   "LOG"};
  return std::ranges::find(kNames, name) != std::end(kNames) || name.ends_with(".sst") ||
         name.ends_with(".log") || name.starts_with("MANIFEST-") || name.starts_with("OPTIONS-") ||
         name.starts_with("LOG.old") || name.ends_with(".tmp") || name.ends_with(".dbtmp") ||
         name == "lost+found";
}

// Copies files beside the store: backups, records of exports and imports, the secret of pages. A file that cannot be
// copied is a problem, not an error: it still exists in the source, and the items matter more.
class Neighbours {
 public:
  Neighbours(const fs::path& from, const fs::path& to, std::vector<store::FileProblem>& problems)
      : from_(from), to_(to), problems_(problems) {}

  // Syncs everything afterwards.
  Result<void> copy() {
    TAVOLA_TRY(const std::vector<std::string> names, list_directory(from_));
    for (const std::string& name : names) {
      if (!is_of_the_store(name)) copy(name);
    }
    return sync_directory(to_);
  }

 private:
  void copy(const fs::path& name) {
    std::error_code error;
    const fs::file_status status = fs::status(from_ / name, error);
    if (fs::is_directory(status)) return copy_directory(name);
    if (fs::is_regular_file(status)) return copy_file(name);
    blame(name, error ? error.message() : "it is neither a file nor a directory");
  }

  void copy_file(const fs::path& name) {
    std::error_code error;
    fs::copy_file(from_ / name, to_ / name, error);
    std::string why = error ? error.message() : "";
    if (!error) {
      const Result<void> synced = sync_file(to_ / name);
      if (synced) return;
      why = synced.error().message();
    }
    fs::remove(to_ / name, error);  // half of a file must not pass for the whole
    blame(name, why);
  }

  void copy_directory(const fs::path& name) {
    std::error_code error;
    fs::create_directory(to_ / name, from_ / name, error);
    if (error) return blame(name, error.message());
    const Result<std::vector<std::string>> names = list_directory(from_ / name);
    if (!names) return blame(name, names.error().message());
    for (const std::string& inner : *names) copy(name / inner);
    if (const Result<void> synced = sync_directory(to_ / name); !synced)
      blame(name, synced.error().message());
  }

  void blame(const fs::path& name, const std::string& why) {
    problems_.push_back({name.string(), "it was not copied (" + why + ")"});
  }

  const fs::path& from_;
  const fs::path& to_;
  std::vector<store::FileProblem>& problems_;
};

// A directory that is removed at the end.
struct WorkDirectory {
  explicit WorkDirectory(fs::path where) : path(std::move(where)) {}
  WorkDirectory(const WorkDirectory&) = delete;
  WorkDirectory& operator=(const WorkDirectory&) = delete;
  ~WorkDirectory() {
    std::error_code left_there;
    fs::remove_all(path, left_there);
  }
  const fs::path path;
};

}  // namespace

bool RepairReport::is_complete() const {
  const bool all_items = std::ranges::all_of(
      tables, [](const RepairedTable& table) { return table.counted && table.items >= *table.counted; });
  const bool all_files = std::ranges::none_of(problems, &store::FileProblem::is_loss);
  return all_files && lost_tables.empty() && stray_items == 0 && all_items;
}

Result<RepairReport> repair(const fs::path& from, const fs::path& to, const RepairWatch& watch) {
  std::error_code error;
  const fs::path source = fs::canonical(from, error);
  if (error) return fail(system_error("open", from, error.value()));
  TAVOLA_TRY(const store::DirectoryLock lock, store::lock_unchanged(source));
  TAVOLA_TRY(const store::CheckpointDirectory target, store::CheckpointDirectory::prepare(fs::absolute(to)));
  const WorkDirectory work(target.building().string() + "-work");
  fs::remove_all(work.path, error);  // left by an interrupted repair
  if (error) return fail(system_error("remove", work.path, error.value()));
  RepairReport report;
  const auto look = [&](std::uint64_t done, std::uint64_t all) {
    if (watch) watch("reading files", done, all);
  };
  TAVOLA_TRY(report.problems, store::salvage({.from = source, .work = work.path, .watch = look}));
  if (!lock.format_problem.empty())
    report.problems.insert(report.problems.begin(), {"FORMAT", lock.format_problem, false});
  {
    TAVOLA_TRY(
        const std::unique_ptr<store::Store> salvaged,
        store::open_rocks(work.path, {.durability = store::Durability::Relaxed, .is_only_read = true}));
    TAVOLA_TRY(const std::unique_ptr<store::Store> rebuilt,
               store::open_rocks(target.building(), {.durability = store::Durability::Relaxed}));
    TAVOLA_CHECK(Rebuild(*salvaged, *rebuilt, watch, report).run());
    TAVOLA_CHECK(rebuilt->sync());
  }
  TAVOLA_CHECK(Neighbours(source, target.building(), report.problems).copy());
  TAVOLA_CHECK(target.publish());
  return report;
}

}  // namespace tavola::engine
