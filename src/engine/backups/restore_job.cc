#include "engine/backups/restore_job.h"

#include <array>
#include <limits>
#include <map>

#include "engine/records/job.h"
#include "engine/records/keys.h"
#include "engine/write/change_log.h"
#include "engine/write/stored_change.h"
#include "value/key_codec.h"

namespace tavola::engine {
namespace {

// A portion is in memory, with its index entries, and is written at once.
constexpr std::size_t kItemsAtOnce = 2000;
constexpr std::size_t kBytesAtOnce = std::size_t{1024} * 1024;
// The shelved store is opened once for this many portions.
constexpr int kPortionsAtOnce = 100;

Error damaged_restore() {
  return Error::corrupt("The record of a restore is damaged. Restore the data directory from a backup.");
}

Error log_is_short(const TableSchema& table) {
  const std::string& name = table.description.table_name;
  return Error::corrupt(
      "The table " + name +
      " cannot be restored: the change log of its source lacks the previous value of a change. Delete " +
      name + ", and restore to a later time or from a backup.");
}

Error log_is_damaged(const TableSchema& table) {
  const std::string& name = table.description.table_name;
  return Error::corrupt("The table " + name +
                        " cannot be restored: the change log of its source is damaged. Delete " + name +
                        ", and restore to a later time or from a backup.");
}

const Value* find_in_job(const Item& job, std::string_view name, Type type) {
  const auto found = job.find(name);
  return found == job.end() || found->second.type() != type ? nullptr : &found->second;
}

std::optional<std::uint64_t> number_in(const Item& job, std::string_view name) {
  const Value* const value = find_in_job(job, name, Type::Number);
  const auto number = value == nullptr ? std::nullopt : value->number().to_int64();
  return number && *number >= 0 ? std::optional(static_cast<std::uint64_t>(*number)) : std::nullopt;
}

// A running job: its source, and the table it fills.
class Restore {
 public:
  Restore(const RestoreContext& context, const TableSchema& table, const std::string& job_key)
      : context_(context), table_(table), job_key_(job_key) {}

  // Reads `from`, whose state is `job`, stored as `stored`; writes the next portion and the new state. Returns whether
  // nothing is left.
  Result<bool> next_portion(const store::Snapshot& from, const RestoreJob& job, const std::string& stored) {
    if (job.is_copied) return undo_some(from, job, stored);
    TAVOLA_CHECK(copy_some(from, job, stored));
    return false;
  }

  // Makes the table available; nothing shows that it was restored (as on AWS).
  Result<void> finish(const std::string& stored) {
    const auto change = [&](Catalog::TableChange& changed) -> Result<void> {
      const auto now = changed.reads.find(job_key_);
      if (!now) return {};
      if (changed.table.id != table_.id || *now != std::optional<std::string_view>(stored)) {
        return fail(Error(ErrorCode::Stale, "the restore ended concurrently"));
      }
      changed.description.restored_from.reset();
      changed.also.push_back(store::Write::erase(job_key_));
      return {};
    };
    TAVOLA_CHECK(context_.catalog.update_any(table_.description.table_name, change));
    return {};
  }

 private:
  Result<void> copy_some(const store::Snapshot& from, RestoreJob job, const std::string& stored) {
    std::vector<store::Write> writes;
    std::size_t items = 0;
    std::size_t bytes = 0;
    UsedUnits units(table_);  // not charged
    // Internal records follow the items: their key space is a later one.
    for (store::KeyRange range :
         {entry_range(job.source, kTableItself, 0, 0x10000), all_records(job.source)}) {
      if (job.position >= range.from) range.from = job.position + '\0';
      if (range.from >= range.to) continue;
      const auto cursor = from.range(range, store::Direction::Forward);
      for (; cursor->valid() && items < kItemsAtOnce && bytes < kBytesAtOnce; cursor->next()) {
        TAVOLA_CHECK(check_packed(cursor->value()));
        const std::string key = key_in_table(cursor->key(), table_.id);
        const StoredChange change{.table = table_,
                                  .key = key,
                                  .before = std::nullopt,
                                  .after = ItemView(cursor->value()),
                                  .is_ours = true};
        TAVOLA_CHECK(append_writes(change, units, writes));
        job.position = cursor->key();
        bytes += cursor->value().size();
        ++items;
      }
      TAVOLA_CHECK(cursor->status());
      if (items >= kItemsAtOnce || bytes >= kBytesAtOnce) return copy_in(stored, job, std::move(writes));
    }
    job.is_copied = true;
    job.position = changes_prefix(job.source, kChangeShards);  // after the last shard
    return copy_in(stored, job, std::move(writes));
  }

  // Shard by shard, newest change first. Of several changes of one item the oldest has the value before all of them.
  Result<bool> undo_some(const store::Snapshot& from, RestoreJob job, const std::string& stored) {
    if (!job.undo_from) return true;
    std::map<std::string, std::optional<std::string>> images;  // by the item's key in the new table
    const auto first = change_key(job.source, 0, 0);
    std::size_t bytes = 0;
    std::size_t changes = 0;
    auto cursor = from.range({first, job.position}, store::Direction::Backward);
    while (cursor->valid() && changes < kItemsAtOnce && bytes < kBytesAtOnce) {
      if (store::appended_number(cursor->key()) < *job.undo_from) {
        job.position = changes_prefix_of(cursor->key());  // the rest of this shard is older
        cursor = from.range({first, job.position}, store::Direction::Backward);
        continue;
      }
      TAVOLA_CHECK(note(cursor->value(), images));
      job.position = cursor->key();
      bytes += cursor->value().size();
      ++changes;
      cursor->next();
    }
    TAVOLA_CHECK(cursor->status());
    if (changes == 0) return true;
    TAVOLA_CHECK(put_back(stored, job, images));
    return false;
  }

  Result<void> note(std::string_view record,
                    std::map<std::string, std::optional<std::string>>& images) const {
    TAVOLA_TRY(const LoggedChange change, decode_change(record));
    if (!change.before && change.kind != ChangeKind::Insert) return fail(log_is_short(table_));
    TAVOLA_CHECK(table_.key.check_each([&](const KeyAttribute& attribute, KeyType) -> Result<void> {
      const auto value = change.item().find(attribute.name);
      return value && value->type() == attribute.type ? Result<void>() : fail(log_is_damaged(table_));
    }));
    std::string key = change.is_record ? record_key(table_, change.item()) : item_key(table_, change.item());
    std::optional<std::string>& image = images[std::move(key)];
    image.reset();
    if (change.before) image.emplace(change.before->bytes());
    return {};
  }

  Result<void> put_back(const std::string& stored, const RestoreJob& job,
                        const std::map<std::string, std::optional<std::string>>& images) {
    std::vector<std::string> keys{job_key_};
    for (const auto& [key, image] : images) keys.push_back(key);
    TAVOLA_TRY(const std::string next, encode_restore(job));
    const auto rule = [&](const store::View& view) -> Result<store::Decision> {
      store::Decision decision;
      if (view[0] != std::optional<std::string_view>(stored)) return decision;
      UsedUnits units(table_);
      std::size_t i = 0;
      for (const auto& [key, image] : images) {
        const std::optional<std::string_view> now = view[++i];
        StoredChange change{.table = table_, .key = key, .before = {}, .after = {}, .is_ours = true};
        if (now) change.before.emplace(*now);
        if (image) change.after.emplace(*image);
        TAVOLA_CHECK(append_writes(change, units, decision.writes));
      }
      join_additions(decision.writes);
      decision.writes.push_back(store::Write::put(job_key_, next));
      return decision;
    };
    return transact(keys, rule);
  }

  Result<void> copy_in(const std::string& stored, const RestoreJob& job, std::vector<store::Write> writes) {
    join_additions(writes);
    TAVOLA_TRY(const std::string next, encode_restore(job));
    writes.push_back(store::Write::put(job_key_, next));
    const std::array keys{job_key_};
    return transact(keys, [&](const store::View& view) -> Result<store::Decision> {
      if (view[0] != std::optional<std::string_view>(stored)) return store::Decision{};
      return store::Decision{writes, {}};
    });
  }

  Result<void> transact(std::span<const std::string> keys, const store::WriteRule& rule) {
    const std::array guards{table_guard(table_)};
    return context_.store.transact(keys, guards, rule);
  }

  const RestoreContext& context_;
  const TableSchema& table_;
  const std::string& job_key_;
};

// Records why the restore stopped. Corruption is permanent; any other failure is retried.
Result<void> note_failure(store::Store& store, const std::string& key, const Error& error) {
  const std::array keys{key};
  return store.transact(keys, {}, [&](const store::View& view) -> Result<store::Decision> {
    if (!view[0]) return store::Decision{};
    TAVOLA_TRY(RestoreJob job, decode_restore(*view[0]));
    const bool is_over = error.code() == ErrorCode::Corrupt;
    if (job.failure == error.message() && job.is_over == is_over) return store::Decision{};
    job.failure = error.message();
    job.is_over = is_over;
    TAVOLA_TRY(std::string record, encode_restore(job));
    return store::Decision{{store::Write::put(key, std::move(record))}, {}};
  });
}

enum class Progress : std::uint8_t { GoesOn, Complete, TableIsGone };

// Does one portion of the stored job, which is then in `stored`.
Result<Progress> do_portion(const RestoreContext& context, const std::string& key,
                            const store::Snapshot& from, std::string& stored) {
  TAVOLA_TRY(std::optional<std::string> found, context.store.get(key));
  if (!found) return Progress::TableIsGone;
  stored = *std::move(found);
  TAVOLA_TRY(RestoreJob job, decode_restore(stored));
  TAVOLA_TRY(const SchemaPtr table, context.catalog.find(job.table));
  TAVOLA_TRY(const TableId id, table_of_job_key(key));
  if (!table || table->id != id) return Progress::TableIsGone;
  job.failure.clear();
  const Result<bool> done = Restore(context, *table, key).next_portion(from, job, stored);
  if (!done && done.error().code() == ErrorCode::Stale) {
    context.catalog.forget(job.table);
    return Progress::GoesOn;
  }
  if (!done) return fail(done.error());
  return *done ? Progress::Complete : Progress::GoesOn;
}

// Returns whether the restore is done.
Result<bool> do_portions(const RestoreContext& context, const std::string& key,
                         const std::function<bool()>& stopping, const RestoreJob& job) {
  auto progress = Progress::GoesOn;
  std::string stored;
  {
    TAVOLA_TRY(const std::shared_ptr<store::Store> shelved, context.shelf.open(job.shelf_id));
    const std::unique_ptr<store::Snapshot> from = shelved->snapshot();
    for (int i = 0; i < kPortionsAtOnce && progress == Progress::GoesOn && !stopping(); ++i) {
      TAVOLA_TRY(progress, do_portion(context, key, *from, stored));
    }
  }
  // The source is closed: from now on it may be removed.
  if (progress != Progress::Complete) return progress == Progress::TableIsGone;
  TAVOLA_TRY(const SchemaPtr table, context.catalog.find(job.table));
  TAVOLA_TRY(const TableId id, table_of_job_key(key));
  if (!table || table->id != id) return true;
  const Result<void> finished = Restore(context, *table, key).finish(stored);
  if (!finished && finished.error().code() != ErrorCode::Stale) return fail(finished.error());
  if (!finished) context.catalog.forget(job.table);
  return finished.has_value();
}

}  // namespace

Result<std::string> encode_restore(const RestoreJob& job) {
  Item record{{"restore", job.shelf_id}, {"owns", job.owns_shelf}, {"source", job.source.value()},
              {"copied", job.is_copied}, {"failure", job.failure}, {"place", Value(Binary{job.position})}};
  if (job.undo_from) record.emplace("undo_from", static_cast<std::int64_t>(*job.undo_from));
  if (job.is_over) record.emplace("over", true);
  return encode_job(JobKind::Restore, job.table, std::move(record));
}

Result<RestoreJob> decode_restore(std::string_view bytes) {
  TAVOLA_CHECK(check_packed(bytes));
  const Item record = ItemView(bytes).unpack();
  const Value* const table = find_in_job(record, "table", Type::String);
  const Value* const shelf = find_in_job(record, "restore", Type::String);
  const Value* const owns = find_in_job(record, "owns", Type::Bool);
  const Value* const copied = find_in_job(record, "copied", Type::Bool);
  const Value* const position = find_in_job(record, "place", Type::Binary);
  const Value* const failure = find_in_job(record, "failure", Type::String);
  const auto source = number_in(record, "source");
  if (table == nullptr || shelf == nullptr || owns == nullptr || copied == nullptr || position == nullptr ||
      failure == nullptr || !source || *source > std::numeric_limits<std::uint32_t>::max()) {
    return fail(damaged_restore());
  }
  return RestoreJob{.table = table->string(),
                    .shelf_id = shelf->string(),
                    .owns_shelf = owns->boolean(),
                    .source = TableId(static_cast<std::uint32_t>(*source)),
                    .undo_from = number_in(record, "undo_from"),
                    .is_copied = copied->boolean(),
                    .position = position->binary().bytes,
                    .failure = failure->string(),
                    .is_over = record.contains("over")};
}

Result<std::optional<RestoreJob>> restore_job_in(std::string_view record) {
  TAVOLA_TRY(const Job job, decode_job(record));
  if (job.kind != JobKind::Restore) return std::optional<RestoreJob>();
  TAVOLA_TRY(RestoreJob restore, decode_restore(record));
  return std::optional(std::move(restore));
}

Result<std::vector<RestoreJob>> all_restore_jobs(const store::Store& store) {
  std::vector<RestoreJob> jobs;
  const auto snapshot = store.snapshot();
  const auto cursor = snapshot->range(every_job(), store::Direction::Forward);
  for (; cursor->valid(); cursor->next()) {
    TAVOLA_TRY(std::optional<RestoreJob> job, restore_job_in(cursor->value()));
    if (job) jobs.push_back(*std::move(job));
  }
  TAVOLA_CHECK(cursor->status());
  return jobs;
}

Result<RestoreJob> restore_job_of(const store::Store& store, TableId table) {
  TAVOLA_TRY(const std::optional<std::string> stored, store.get(job_key(table, kRestoreJob)));
  if (!stored) return fail(damaged_restore());
  return decode_restore(*stored);
}

Result<bool> restore_for_a_while(const RestoreContext& context, const std::string& key,
                                 const std::function<bool()>& stopping) {
  TAVOLA_TRY(const std::optional<std::string> stored, context.store.get(key));
  if (!stored) return true;
  TAVOLA_TRY(const RestoreJob job, decode_restore(*stored));
  if (job.is_over) return true;
  const Result<bool> done = do_portions(context, key, stopping, job);
  if (!done) {
    static_cast<void>(note_failure(context.store, key, done.error()));  // the caller gets the error, too
    return fail(Error(done.error().code(),
                      "The restore of the table " + job.table + " stopped: " + done.error().message()));
  }
  if (*done && job.owns_shelf) {
    TAVOLA_CHECK(context.store.sync());  // the job must not come back without its source
    context.shelf.remove(job.shelf_id);
  }
  return *done;
}

}  // namespace tavola::engine
