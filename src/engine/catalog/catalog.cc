#include "engine/catalog/catalog.h"

#include <array>

#include "engine/catalog/index_ids.h"
#include "engine/catalog/stream_catalog.h"
#include "engine/catalog/tables.h"
#include "engine/checks/messages.h"
#include "engine/records/keys.h"
#include "store/durable_reads.h"
#include "value/key_codec.h"

namespace tavola::engine {
namespace {

// Index ids count from 1 in the order of encode_schema: local indexes first.
std::vector<IndexId> first_index_ids(const TableDescription& description) {
  std::vector<IndexId> ids;
  const std::size_t count = description.local_indexes.size() + description.global_indexes.size();
  for (std::size_t i = 1; i <= count; ++i) {
    ids.emplace_back(static_cast<std::uint16_t>(i));
  }
  return ids;
}

Result<TableId> next_table_id(const std::optional<std::string_view>& stored) {
  if (!stored) {
    return TableId(1);
  }
  std::string_view bytes = *stored;
  TAVOLA_TRY(const std::uint32_t id, read_ordered_u32(bytes));
  return TableId(id);
}

Result<std::string> encode_tags(const Tags& tags) {
  Item item;
  for (const auto& [key, value] : tags) {
    item.emplace(key, value);
  }
  TAVOLA_TRY(const PackedItem packed, pack(item));
  return packed.bytes();
}

Result<Tags> decode_tags(const std::optional<std::string_view>& stored) {
  Tags tags;
  if (!stored) {
    return tags;
  }
  TAVOLA_CHECK(check_packed(*stored));
  for (const auto& [key, value] : ItemView(*stored)) {
    if (value.type() != Type::String) {
      return fail(
          Error::corrupt("The tags of a table are damaged. Restore the data directory from a backup."));
    }
    tags.emplace(key, value.string());
  }
  return tags;
}

IndexIds index_ids_of(const TableSchema& schema) {
  std::vector<IndexId> ids;
  ids.reserve(schema.indexes.size());
  for (const IndexSchema& index : schema.indexes) ids.push_back(index.id);
  IndexIds all(std::move(ids));
  all.next = schema.next_index_id;
  return all;
}

// Returns the record without the position of an index build.
Result<std::string> record_without_place(const TableSchema& schema) {
  if (!schema.description.index_build) return schema.record;
  TableRecord description = schema.description;
  description.index_build_position.clear();
  return encode_schema(schema.id, index_ids_of(schema), description);
}

// Clients can only describe such a table (as on AWS).
bool is_being_restored(const TableDescription& table) { return table.restored_from.has_value(); }

// Appends the removal of everything of a table, its record included, except its change log, which streams need.
void append_removal(const TableSchema& table, std::vector<store::Write>& writes) {
  append_emptying(table, writes);
  writes.push_back(store::Write::erase(catalog_key(table.description.table_name)));
  for (std::string key : {tags_key(table.id), collecting_key(table.id), design_key(table.id)})
    writes.push_back(store::Write::erase(std::move(key)));
  const store::KeyRange policies = all_policies(table.id);
  writes.push_back(store::Write::erase_range(policies.from, policies.to));
}

}  // namespace

void append_emptying(const TableSchema& table, std::vector<store::Write>& writes) {
  writes.push_back(store::Write::erase(counters_key(table.id)));
  for (const store::KeyRange& range :
       {all_entries(table.id), all_collections(table.id), all_expiries(table.id), all_records(table.id),
        all_watches(table.id), all_jobs(table.id)}) {
    writes.push_back(store::Write::erase_range(range.from, range.to));
  }
}

class Catalog::Changing {
 public:
  Changing(Catalog& catalog, std::vector<std::string> tables)
      : catalog_(catalog), tables_(std::move(tables)) {
    const ExclusiveLock lock(catalog_.mutex_);
    ++catalog_.changes_;
    for (const std::string& table : tables_) {
      catalog_.changing_.insert(table);
      catalog_.schemas_.erase(table);
    }
  }
  ~Changing() {
    const ExclusiveLock lock(catalog_.mutex_);
    ++catalog_.changes_;
    const store::Store::Position position = catalog_.store_.position();
    std::erase_if(catalog_.unsettled_,
                  [this](const auto& table) { return catalog_.store_.is_durable(table.second); });
    for (const std::string& table : tables_) {
      catalog_.changing_.erase(catalog_.changing_.find(table));
      catalog_.unsettled_.insert_or_assign(table, position);
    }
  }
  Changing(const Changing&) = delete;
  Changing& operator=(const Changing&) = delete;

 private:
  Catalog& catalog_;
  const std::vector<std::string> tables_;
};

// Requests on items do not see a table that is being created, as on AWS.
Result<SchemaPtr> Catalog::find_existing(const std::string& table_name) {
  TAVOLA_CHECK(drop_what_others_changed());
  return recent(table_name);
}

Result<SchemaPtr> Catalog::recent(const std::string& table_name) {
  TAVOLA_TRY(SchemaPtr schema, find_recent(table_name));
  if (!schema || schema->description.status == TableStatus::Creating) {
    TAVOLA_CHECK(check_table_reference(table_name));
    return fail(table_not_found());
  }
  return schema;
}

Result<Schemas> Catalog::recent(std::span<const std::string> table_names) {
  Schemas schemas;
  for (const std::string& name : table_names) {
    TAVOLA_TRY(schemas[name], recent(name));
  }
  return schemas;
}

Result<SchemaPtr> Catalog::find(std::string_view table_name) {
  TAVOLA_CHECK(drop_what_others_changed());
  return find_recent(table_name);
}

Result<void> Catalog::drop_what_others_changed() {
  if (!store_.is_shared()) return {};
  const store::ReadStamp reads;
  TAVOLA_CHECK(store_.get_for_answer(next_table_id_key()));
  const ExclusiveLock lock(mutex_);
  if (const std::optional<std::string> stamp = reads.seen()) keep_only(*stamp);
  return {};
}

void Catalog::keep_only(const std::string& stamp) {
  if (stamp == stamp_) return;
  schemas_.clear();
  stamp_ = stamp;
}

Result<SchemaPtr> Catalog::find_recent(std::string_view table_name) {
  std::uint64_t changes_before = 0;
  {
    const SharedLock lock(mutex_);
    const auto changed = unsettled_.find(table_name);
    const bool is_settled = !changing_.contains(table_name) &&
                            (changed == unsettled_.end() || store_.is_durable(changed->second));
    if (!is_settled) store::DurableReads::end();
    if (const auto it = schemas_.find(table_name); it != schemas_.end()) {
      return it->second;
    }
    changes_before = changes_;
  }
  // A settled record is the same in the durable state: every change is recorded before its commit (Changing), until it
  // is durable. One that starts after the check above is seen in changes_ below. A paired table is another record: the
  // completion reads the latest state.
  const store::ReadStamp reads;
  const auto snapshot = store_.snapshot_for_answer();
  TAVOLA_TRY(const std::optional<std::string> record, snapshot->get(catalog_key(table_name)));
  if (!record) {
    return nullptr;
  }
  TAVOLA_TRY(const std::shared_ptr<TableSchema> decoded, decode_schema(*record));
  if (completion_ != nullptr) {
    const Result<void> completed = completion_->complete(*snapshot, *decoded);
    if (!completed && completed.error().code() == ErrorCode::Stale) return find_recent(table_name);
    TAVOLA_CHECK(completed);
  }
  SchemaPtr schema = decoded;
  const ExclusiveLock lock(mutex_);
  const std::optional<std::string> stamp = reads.seen();
  if (store_.is_shared() && !stamp) return schema;  // another process changed something concurrently
  if (stamp) keep_only(*stamp);
  // Otherwise the record may be older than a concurrent change.
  if (changes_ == changes_before && !changing_.contains(table_name)) {
    schemas_.insert_or_assign(std::string(table_name), schema);
  }
  return schema;
}

// A cached schema was current at that time (Changing): earlier reads used that table.
bool Catalog::is_current(std::string_view table_name, const SchemaPtr& schema,
                         const store::ReadStamp& reads) {
  {
    const SharedLock lock(mutex_);
    const auto it = schemas_.find(table_name);
    const bool is_cached = it != schemas_.end() && it->second == schema;
    if (is_cached && (!store_.is_shared() || reads.seen() == stamp_)) return true;
  }
  const Result<SchemaPtr> now = find(table_name);
  if (!now || !*now) return false;
  const Result<std::string> before = record_without_place(*schema);
  const Result<std::string> after = record_without_place(**now);
  return before && after && *before == *after;
}

void Catalog::forget_all() {
  const ExclusiveLock lock(mutex_);
  ++changes_;
  schemas_.clear();
  unsettled_.clear();
}

void Catalog::forget(std::string_view table_name) {
  const ExclusiveLock lock(mutex_);
  ++changes_;
  if (const auto it = schemas_.find(table_name); it != schemas_.end()) {
    schemas_.erase(it);
  }
}

void Catalog::forget(std::string_view table_name, const SchemaPtr& stale) {
  const ExclusiveLock lock(mutex_);
  const auto it = schemas_.find(table_name);
  if (it == schemas_.end() || it->second != stale) return;
  ++changes_;
  schemas_.erase(it);
}

Result<std::vector<std::string>> Catalog::names(std::string_view after, std::size_t limit) const {
  store::KeyRange range = catalog_range();
  if (!after.empty()) {
    range.from = catalog_key(after) + '\0';
  }
  std::vector<std::string> names;
  const auto snapshot = store_.snapshot_for_answer();
  const auto cursor = snapshot->range(range, store::Direction::Forward);
  for (; cursor->valid() && names.size() < limit; cursor->next()) {
    names.emplace_back(table_name_in(cursor->key()));
  }
  TAVOLA_CHECK(cursor->status());
  return names;
}

Result<SchemaPtr> Catalog::create(const TableDescription& description, const Tags& tags,
                                  const TableBeginning& beginning) {
  const std::string keys[] = {next_table_id_key(), catalog_key(description.table_name)};
  store::RuleReads reads;
  reads.set_first(keys, std::size(keys));
  std::optional<Changing> changing;
  SchemaPtr created;  // not looked up afterwards: another thread may have deleted it by then
  const auto rule = [&](const store::View& view) -> Result<store::Decision> {
    if (view[1]) {
      return fail(table_exists(description.table_name));
    }
    reads.begin(view, 0);
    TAVOLA_TRY(const TableId id, next_table_id(view[0]));
    std::string following;
    append_ordered_u32(following, id.value() + 1);
    TableRecord stored{description};
    if (stored.stream) TAVOLA_CHECK(begin_stream({reads, id, stored.created_at}, stored));
    TAVOLA_TRY(const std::string record, encode_schema(id, first_index_ids(stored), stored));
    TAVOLA_TRY(created, decode_schema(record));
    store::Decision decision;
    decision.writes.push_back(store::Write::put(keys[0], following));
    decision.writes.push_back(store::Write::put(keys[1], created->record));
    if (!tags.empty()) {
      TAVOLA_TRY(std::string encoded, encode_tags(tags));
      decision.writes.push_back(store::Write::put(tags_key(id), std::move(encoded)));
    }
    if (beginning) TAVOLA_CHECK(beginning(id, reads, decision.writes));
    if (reads.waits()) return reads.ask();
    changing.emplace(*this, std::vector{description.table_name});
    return decision;
  };
  TAVOLA_CHECK(store_.transact(keys, {}, rule));
  return created;
}

Result<SchemaPtr> Catalog::update(std::string_view table_name, const Change& change) {
  return update_any(table_name, [&](TableChange& changed) -> Result<void> {
    if (is_being_restored(changed.description)) return fail(table_not_found(table_name));
    return change(changed);
  });
}

Result<SchemaPtr> Catalog::update_any(std::string_view table_name, const Change& change) {
  const std::string keys[] = {catalog_key(table_name)};
  store::RuleReads reads;
  reads.set_first(keys, std::size(keys));
  std::optional<Changing> changing;
  SchemaPtr updated;
  const auto rule = [&](const store::View& view) -> Result<store::Decision> {
    if (!view[0]) {
      return fail(table_not_found(table_name));
    }
    TAVOLA_TRY(const SchemaPtr schema, decode_schema(*view[0]));
    if (const auto& migration = schema->description.migration) {
      return fail(is_migrating(table_name, *migration));
    }
    reads.begin(view, 0);
    TableChange changed{.table = *schema, .reads = reads, .description = schema->description};
    TAVOLA_CHECK(change(changed));
    if (reads.waits()) return reads.ask();
    TAVOLA_TRY(const IndexIds ids, change_indexes(*schema, changed.description, changed.also));
    TAVOLA_TRY(const std::string record, encode_schema(schema->id, ids, changed.description));
    TAVOLA_TRY(updated, decode_schema(record));
    store::Decision decision{std::move(changed.also)};
    decision.writes.push_back(store::Write::put(keys[0], updated->record));
    changing.emplace(*this, std::vector{std::string(table_name)});
    return decision;
  };
  TAVOLA_CHECK(store_.transact(keys, {}, rule));
  return updated;
}

Result<void> Catalog::update_pair(const std::string& older, const std::string& newer,
                                  const PairChange& change) {
  const WallTime now = clock_.now();
  const std::string keys[] = {catalog_key(older), catalog_key(newer)};
  store::RuleReads reads;
  reads.set_first(keys, std::size(keys));
  std::optional<Changing> changing;
  std::optional<TableId> removed;
  const auto rule = [&](const store::View& view) -> Result<store::Decision> {
    if (!view[0] || !view[1]) {
      return fail(table_not_found(view[0] ? newer : older));
    }
    reads.begin(view, 0);
    Pair pair{.reads = reads};
    TAVOLA_TRY(pair.older, decode_schema(*view[0]));
    TAVOLA_TRY(pair.newer, decode_schema(*view[1]));
    for (const SchemaPtr& table : {pair.older, pair.newer}) {
      if (is_being_restored(table->description)) return fail(table_not_found(table->description.table_name));
    }
    pair.older_description = pair.older->description;
    pair.newer_description = pair.newer->description;
    TAVOLA_CHECK(change(pair));
    store::Decision decision{std::move(pair.also)};
    TAVOLA_TRY(std::string record,
               encode_schema(pair.older->id, index_ids_of(*pair.older), pair.older_description));
    decision.writes.push_back(store::Write::put(keys[0], std::move(record)));
    if (pair.removes_newer) {
      TAVOLA_CHECK(end_stream({reads, pair.newer->id, now}, pair.newer->description, decision.writes));
      append_removal(*pair.newer, decision.writes);
      removed = pair.newer->id;
    } else {
      TAVOLA_TRY(record, encode_schema(pair.newer->id, index_ids_of(*pair.newer), pair.newer_description));
      decision.writes.push_back(store::Write::put(keys[1], std::move(record)));
    }
    if (reads.waits()) return reads.ask();
    changing.emplace(*this, std::vector{older, newer});
    return decision;
  };
  TAVOLA_CHECK(store_.transact(keys, {}, rule));
  if (removed && completion_ != nullptr) completion_->forget(*removed);
  return {};
}

Result<SchemaPtr> Catalog::remove(std::string_view table_name, const BeforeRemoval& before) {
  const WallTime now = clock_.now();
  const std::string keys[] = {catalog_key(table_name)};
  store::RuleReads reads;
  reads.set_first(keys, std::size(keys));
  std::optional<Changing> changing;
  SchemaPtr removed;
  const auto rule = [&](const store::View& view) -> Result<store::Decision> {
    if (!view[0]) {
      return fail(table_not_found(table_name));
    }
    TAVOLA_TRY(removed, decode_schema(*view[0]));
    if (removed->description.deletion_protection) {
      return fail(table_protected());
    }
    if (const auto& migration = removed->description.migration) {
      return fail(is_migrating(table_name, *migration));
    }
    if (removed->description.index_build) {
      return fail(indexes_in_use());
    }
    reads.begin(view, 0);
    store::Decision decision;
    TAVOLA_CHECK(end_stream({reads, removed->id, now}, removed->description, decision.writes));
    if (before) TAVOLA_CHECK(before(*removed, reads, decision.writes));
    if (reads.waits()) return reads.ask();
    append_removal(*removed, decision.writes);
    changing.emplace(*this, std::vector{std::string(table_name)});
    return decision;
  };
  TAVOLA_CHECK(store_.transact(keys, {}, rule));
  if (completion_ != nullptr) completion_->forget(removed->id);
  return removed;
}

// The tags belong to the table: a guard on its record prevents its replacement.
Result<void> Catalog::update_tags(std::string_view table_name, const TagChange& change) {
  for (;;) {
    TAVOLA_TRY(const SchemaPtr schema, find(table_name));
    if (!schema || is_being_restored(schema->description)) {
      return fail(table_not_found(table_name));
    }
    const std::string keys[] = {tags_key(schema->id)};
    const auto rule = [&](const store::View& view) -> Result<store::Decision> {
      TAVOLA_TRY(Tags tags, decode_tags(view[0]));
      TAVOLA_CHECK(change(tags));
      TAVOLA_TRY(std::string encoded, encode_tags(tags));
      store::Decision decision;
      decision.writes.push_back(tags.empty() ? store::Write::erase(keys[0])
                                             : store::Write::put(keys[0], std::move(encoded)));
      return decision;
    };
    const std::array guards{table_guard(*schema)};
    const Result<void> done = store_.transact(keys, guards, rule);
    if (done || done.error().code() != ErrorCode::Stale) {
      return done;
    }
    forget(table_name);
  }
}

// One snapshot: a table deleted between two reads would seem to have no tags.
Result<Tags> Catalog::tags(std::string_view table_name) const {
  const auto snapshot = store_.snapshot();
  TAVOLA_TRY(const std::optional<std::string> record, snapshot->get(catalog_key(table_name)));
  if (!record) {
    return fail(table_not_found(table_name));
  }
  TAVOLA_TRY(const SchemaPtr schema, decode_schema(*record));
  if (is_being_restored(schema->description)) return fail(table_not_found(table_name));
  TAVOLA_TRY(const std::optional<std::string> stored, snapshot->get(tags_key(schema->id)));
  return decode_tags(stored);
}

}  // namespace tavola::engine
