// The job that copies what was in a table before its migration began.
#include <array>

#include "base/random.h"
#include "engine/governed/design_rules.h"
#include "engine/governed/migration.h"
#include "engine/governed/migration_job.h"
#include "engine/governed/paired_table.h"
#include "engine/records/keys.h"
#include "engine/write/item_write.h"
#include "engine/write/stored_change.h"

namespace tavola::engine {
namespace {

// Their locks are held together, and their items are in memory together: up to 400 KB each, twice.
constexpr std::size_t kItemsAtOnce = 25;

// The items after `position`: those of the table first, then internal records.
Result<std::vector<std::string>> next_keys(const store::Store& store, const TableSchema& table,
                                           const std::string& position) {
  std::vector<std::string> keys;
  const auto snapshot = store.snapshot();
  for (store::KeyRange range : {entry_range(table.id, kTableItself, 0, 0x10000), all_records(table.id)}) {
    if (position >= range.from) range.from = position + '\0';
    if (range.from >= range.to) continue;
    const auto cursor = snapshot->range(range, store::Direction::Forward);
    for (; cursor->valid() && keys.size() < kItemsAtOnce; cursor->next()) keys.emplace_back(cursor->key());
    TAVOLA_CHECK(cursor->status());
  }
  return keys;
}

Result<store::Write> write_of(const std::string& key, const JobRecord& job) {
  TAVOLA_TRY(std::string record, encode(job));
  return store::Write::put(key, std::move(record));
}

// Puts the counterpart of one item where there is none yet. What cannot be converted is noted.
Result<void> copy_item(const PairedTable& paired, const Item& item, const std::string& key,
                       const design::Ambient& ambient, store::Decision& decision) {
  TAVOLA_TRY(const std::optional<Item> converted, paired.conversion.convert(paired.way, item, ambient));
  if (!converted) return {};
  const TableSchema& table = *paired.table;
  TAVOLA_TRY(const PackedItem bytes, pack(*converted));
  TAVOLA_CHECK(check_made_item(table, std::nullopt, bytes.view()));
  UsedUnits units(table);  // nobody pays for them
  return append_writes({.table = table, .key = key, .before = {}, .after = bytes.view(), .now = ambient.now},
                       units, decision.writes);
}

class Portion {
 public:
  Portion(const CopyingJob& job, JobRecord before, std::string stored, const design::Ambient& ambient)
      : job_(job),
        before_(std::move(before)),
        stored_(std::move(stored)),
        random_(*ambient.random),
        ambient_{ambient.now, &random_} {}

  Result<void> copy(const std::vector<std::string>& sources) {
    TAVOLA_CHECK(find_counterparts(sources));
    const auto rule = [&](const store::View& view) { return decide(view); };
    const std::array guards{table_guard(job_.table)};
    return job_.store.transact(keys_, guards, rule);
  }

 private:
  // Where a counterpart stands follows from the item's key: it is known before the transaction.
  Result<void> find_counterparts(const std::vector<std::string>& sources) {
    keys_ = {job_.key};
    keys_.insert(keys_.end(), sources.begin(), sources.end());
    for (const std::string& source : sources) {
      positions_.emplace_back();
      TAVOLA_TRY(const std::optional<std::string> stored, job_.store.get(source));
      if (!stored) continue;
      const auto found = counterpart_key(*paired_table_of(job_.table), ItemView(*stored).unpack());
      const std::optional<std::string> key = found.value_or(std::nullopt);
      if (!key) continue;
      positions_.back() = keys_.size();
      keys_.push_back(*key);
    }
    return {};
  }

  Result<store::Decision> decide(const store::View& view) {
    store::Decision decision;
    random_.rewind();
    if (view[0] != std::optional<std::string_view>(stored_)) return decision;  // somebody else did it
    JobRecord job = before_;
    job.position = keys_[positions_.size()];
    for (std::size_t i = 0; i < positions_.size(); ++i) {
      const std::optional<std::string_view> source = view[i + 1];
      if (!source) continue;
      const Item item = ItemView(*source).unpack();
      const Result<void> copied = copy_one(view, i, item, decision);
      if (copied) {
        ++job.copied;
      } else {
        job.note_failure(key_text(job_.table, ItemView(*source)), copied.error().message());
      }
    }
    join_additions(decision.writes);
    TAVOLA_TRY(decision.writes.emplace_back(), write_of(job_.key, job));
    return decision;
  }

  Result<void> copy_one(const store::View& view, std::size_t i, const Item& item,
                        store::Decision& decision) const {
    const PairedTable& paired = *paired_table_of(job_.table);
    const std::optional<std::size_t> position = positions_[i];
    if (!position) {
      TAVOLA_CHECK(counterpart_key(paired, item));  // fails if the item should have a counterpart
      return {};
    }
    if (view[*position]) return {};  // a later write has already copied the item
    return copy_item(paired, item, keys_[*position], ambient_, decision);
  }

  const CopyingJob& job_;
  const JobRecord before_;
  const std::string stored_;
  RecordedRandom random_;
  const design::Ambient ambient_;
  std::vector<std::string> keys_;                      // the job's, the items', those of their counterparts
  std::vector<std::optional<std::size_t>> positions_;  // of each item's counterpart in keys_
};

// Everything is copied: the newer table is there.
Result<void> end_copying(const CopyingJob& job) {
  const TableDescription& older = job.table.description;
  return job.catalog.update_pair(
      older.table_name, migration_of(older).other_table, [&](Catalog::Pair& pair) -> Result<void> {
        if (!pair.older_description.migration || !pair.newer_description.migration ||
            pair.older->record != job.table.record) {
          return fail(Error(ErrorCode::Stale, "the migration ended concurrently"));
        }
        pair.older_description.migration->copying = false;
        pair.newer_description.migration->copying = false;
        pair.also.push_back(store::Write::erase(job.key));
        return {};
      });
}

}  // namespace

Result<bool> copy_some(const CopyingJob& job, const design::Ambient& ambient) {
  if (paired_table_of(job.table) == nullptr) return true;
  TAVOLA_TRY(std::optional<std::string> stored, job.store.get(job.key));
  if (!stored) return true;
  TAVOLA_TRY(JobRecord record, decode_copying(*stored));
  if (record.walked) return true;
  TAVOLA_TRY(const std::vector<std::string> sources, next_keys(job.store, job.table, record.position));
  if (!sources.empty()) {
    TAVOLA_CHECK(Portion(job, std::move(record), *std::move(stored), ambient).copy(sources));
    return false;
  }
  if (record.failed == 0) {
    TAVOLA_CHECK(end_copying(job));
    return true;
  }
  record.walked = true;
  const std::array keys{job.key};
  const auto rule = [&](const store::View& view) -> Result<store::Decision> {
    store::Decision decision;
    if (view[0] != std::optional<std::string_view>(*stored)) return decision;
    TAVOLA_TRY(decision.writes.emplace_back(), write_of(job.key, record));
    return decision;
  };
  TAVOLA_CHECK(job.store.transact(keys, {}, rule));
  return true;
}

}  // namespace tavola::engine
