#include "engine/governed/migration.h"

#include <array>

#include "base/digest.h"
#include "base/encoding.h"
#include "design/items/table_schema.h"
#include "design/revisions/convert.h"
#include "engine/checks/messages.h"
#include "engine/governed/design_rules.h"
#include "engine/governed/governor.h"
#include "engine/governed/migration_job.h"
#include "engine/governed/migration_verify.h"
#include "engine/governed/paired_table.h"
#include "engine/records/keys.h"

namespace tavola::engine {
namespace {

using Action = MigrateTableRequest::Action;

Error invalid(std::string message) { return Error::validation(std::move(message)); }

// The table, with the table that it is paired with.
Result<SchemaPtr> find_migrating(const MigrationParts& parts, const std::string& name) {
  TAVOLA_TRY(SchemaPtr table, parts.catalog.find_existing(name));
  const std::optional<Migration>& migration = table->description.migration;
  if (migration && migration->role == Migration::Role::Older) return table;
  if (migration) {
    return fail(invalid(name + " is the new table of the migration of " + migration->other_table +
                        "; name that one"));
  }
  return fail(invalid("the table " + name + " is not being migrated"));
}

// ---- Start

struct Designs {
  design::Design older;
  design::Design newer;
  bool borrowed = false;  // the older one is not the table's
};

Result<Designs> load_designs(const TableSchema& table, const MigrateTableRequest& request) {
  const std::string& name = request.table_name;
  Designs designs;
  TAVOLA_TRY(designs.newer, load_design(request.design, request.file_name, request.new_table_name));
  if (const Governor* const governor = governor_of(table)) {
    designs.older = governor->design;
  } else if (!request.old_design.empty()) {
    designs.borrowed = true;
    TAVOLA_TRY(designs.older, load_design(request.old_design, request.old_file_name, name));
  } else {
    return fail(invalid("the table " + name + " has no design; give the design of revision \"" +
                        request.from + "\" with --old-design"));
  }
  if (designs.older.revision != request.from) {
    return fail(invalid("the table " + name + " has revision \"" + designs.older.revision + "\", not \"" +
                        request.from + "\""));
  }
  return designs;
}

// Only a table that keeps its design has guards and copies that can be moved as they are.
Result<void> check_is_kept(const TableSchema& table, const design::Design& older) {
  const Governor* const governor = governor_of(table);
  if (governor != nullptr && governor->enforcement == Enforcement::Strict) return {};
  for (const design::Entity& entity : older.entities) {
    for (const design::Attribute& field : entity.fields) {
      if (!field.unique) continue;
      return fail(invalid(entity.name + "." + field.name + " is unique, and the table " +
                          table.description.table_name +
                          " does not keep its design. Let it: `tavola serve --design` with the older design, "
                          "`enforce: strict`."));
    }
  }
  return {};
}

Result<void> check_older_keys(const design::Design& older, const TableDescription& table) {
  if (design::table_schema(older).key_schema == table.key_schema) return {};
  return fail(invalid("the older design has other keys than the table " + table.table_name));
}

// Creates the newer table, or takes the one that an earlier Start has left.
Result<void> prepare_newer(const MigrationParts& parts, const MigrateTableRequest& request,
                           const design::Design& newer) {
  TAVOLA_TRY(const SchemaPtr known, parts.catalog.find(request.new_table_name));
  if (!known) TAVOLA_CHECK(parts.database.create_table(design::table_schema(newer)));
  TAVOLA_TRY(const DescribeTableResponse found, parts.database.describe_table({request.new_table_name}));
  const bool has_design = known && known->description.governed_by;
  const bool is_ours =
      !known || (found.table.item_count == 0 && !known->description.migration &&
                 design::differences(design::table_schema(newer), found.table).empty() &&
                 (!has_design || known->description.design_digest == to_hex(sha256({request.design}))));
  if (!is_ours) {
    return fail(Error::resource_in_use("the table " + request.new_table_name +
                                       " exists; choose another name with --new-table"));
  }
  const std::string& ttl = newer.table.ttl;
  if (!ttl.empty() && found.table.time_to_live_attribute != ttl)
    TAVOLA_CHECK(parts.database.update_time_to_live({request.new_table_name, ttl, true}));
  TAVOLA_CHECK(parts.database.govern_table(
      {.table_name = request.new_table_name, .design = request.design, .file_name = request.file_name}));
  return {};
}

// Called by a change of the table's record, while nobody writes to the table. If `reads` waits afterwards, nothing was checked.
Result<void> check_is_empty(store::RuleReads& reads, const TableSchema& table) {
  const auto stored = reads.find(counters_key(table.id));
  const store::RangeEntries* const records =  // are not counted
      reads.find({.range = all_records(table.id), .entries_max = 1});
  if (!stored || records == nullptr) return {};
  TAVOLA_TRY(const std::vector<std::int64_t> counters,
             store::decode_counters(stored->value_or(std::string_view()), 2));
  if (counters[0] == 0 && records->empty()) return {};
  const std::string& name = table.description.table_name;
  return fail(Error::resource_in_use(
      name + " received items before the migration started; nothing was migrated. Empty or delete " + name +
      ", and start again."));
}

Result<void> tie(const MigrationParts& parts, const MigrateTableRequest& request, bool borrowed) {
  TAVOLA_TRY(const std::string design, encode_design(request.old_design, request.old_file_name));
  TAVOLA_TRY(const std::string job, encode(JobRecord{.table = request.table_name}));
  return parts.catalog.update_pair(
      request.table_name, request.new_table_name, [&](Catalog::Pair& pair) -> Result<void> {
        for (const TableDescription* one : {&pair.older_description, &pair.newer_description}) {
          if (one->migration) return fail(is_migrating(one->table_name, *one->migration));
          if (one->index_build) {
            return fail(Error::resource_in_use("the index " + one->index_build->index + " of " +
                                               one->table_name +
                                               " is being built; start again when it is ready"));
          }
        }
        TAVOLA_CHECK(check_is_empty(pair.reads, *pair.newer));
        pair.older_description.migration =
            Migration{.role = Migration::Role::Older, .other_table = request.new_table_name, .copying = true};
        pair.newer_description.migration =
            Migration{.role = Migration::Role::Newer, .other_table = request.table_name, .copying = true};
        pair.older_description.has_borrowed_design = borrowed;
        pair.newer_description.has_borrowed_design = borrowed;
        if (borrowed) pair.also.push_back(store::Write::put(design_key(pair.older->id), design));
        pair.also.push_back(store::Write::put(job_key(pair.older->id, kCopyingJob), job));
        return {};
      });
}

// Items that could not be copied may have changed since.
Result<void> look_again(const MigrationParts& parts, const TableSchema& table) {
  const std::string keys[] = {job_key(table.id, kCopyingJob)};
  TAVOLA_TRY(const std::string fresh, encode(JobRecord{.table = table.description.table_name}));
  const auto rule = [&](const store::View& view) -> Result<store::Decision> {
    store::Decision decision;
    if (!view[0]) return decision;
    TAVOLA_TRY(const JobRecord job, decode_copying(*view[0]));
    if (job.walked) decision.writes.push_back(store::Write::put(keys[0], fresh));
    return decision;
  };
  const std::array guards{table_guard(table)};
  return parts.store.transact(keys, guards, rule);
}

Result<void> start(const MigrationParts& parts, const MigrateTableRequest& request) {
  TAVOLA_TRY(const SchemaPtr table, parts.catalog.find_existing(request.table_name));
  if (table->description.migration) {
    const bool is_same =
        migration_of(table->description).other_table == request.new_table_name &&
        paired_table_of(*table)->table->description.design_digest == to_hex(sha256({request.design}));
    if (!is_same) return fail(is_migrating(table->description.table_name, migration_of(table->description)));
    return look_again(parts, *table);
  }
  if (request.table_name == request.new_table_name)
    return fail(invalid("the newer table needs another name than " + request.table_name));
  TAVOLA_TRY(const Designs designs, load_designs(*table, request));
  TAVOLA_CHECK(design::Conversion::between(designs.older, designs.newer));
  TAVOLA_CHECK(check_older_keys(designs.older, table->description));
  TAVOLA_CHECK(check_is_kept(*table, designs.older));
  TAVOLA_CHECK(prepare_newer(parts, request, designs.newer));
  return tie(parts, request, designs.borrowed);
}

// ---- Describe

Result<MigrateTableResponse> describe(const MigrationParts& parts, const TableSchema& table) {
  const Migration& migration = migration_of(table.description);
  const design::Conversion& conversion = paired_table_of(table)->conversion;
  MigrateTableResponse response{.old_table = table.description.table_name,
                                .new_table = migration.other_table,
                                .from = conversion.target(design::Way::Back).revision,
                                .to = conversion.target(design::Way::Forward).revision,
                                .copying = migration.copying};
  TAVOLA_TRY(const DescribeTableResponse older, parts.database.describe_table({response.old_table}));
  TAVOLA_TRY(const DescribeTableResponse newer, parts.database.describe_table({response.new_table}));
  response.items = older.table.item_count;
  response.new_items = newer.table.item_count;
  TAVOLA_TRY(const std::optional<std::string> stored, parts.store.get(job_key(table.id, kCopyingJob)));
  if (!stored) return response;
  TAVOLA_TRY(JobRecord job, decode_copying(*stored));
  response.stopped = job.walked;
  response.items_copied = job.copied;
  response.differences = job.failed;
  response.samples = std::move(job.samples);
  return response;
}

// ---- The end

Result<void> end(const MigrationParts& parts, const TableSchema& table, Action how) {
  const std::string& name = table.description.table_name;
  if (how == Action::Finish && migration_of(table.description).copying) {
    return fail(invalid("the table " + name +
                        " is still being copied: look with `status`, and finish when that is done"));
  }
  return parts.catalog.update_pair(
      name, migration_of(table.description).other_table, [&](Catalog::Pair& pair) -> Result<void> {
        if (pair.older->record != table.record)
          return fail(Error(ErrorCode::Stale, "the migration changed concurrently"));
        if (pair.older_description.has_borrowed_design)
          pair.also.push_back(store::Write::erase(design_key(pair.older->id)));
        pair.also.push_back(store::Write::erase(job_key(pair.older->id, kCopyingJob)));
        pair.older_description.migration.reset();
        pair.newer_description.migration.reset();
        pair.removes_newer = how == Action::Abort;
        return {};
      });
}

}  // namespace

Result<MigrateTableResponse> migrate_table(const MigrationParts& parts, const MigrateTableRequest& request) {
  if (request.action == Action::Start) TAVOLA_CHECK(start(parts, request));
  for (;;) {
    TAVOLA_TRY(const SchemaPtr table, find_migrating(parts, request.table_name));
    if (request.action == Action::Verify) return verify_page(parts, *table, request.after);
    TAVOLA_TRY(MigrateTableResponse response, describe(parts, *table));
    if (request.action != Action::Finish && request.action != Action::Abort) return response;
    const Result<void> ended = end(parts, *table, request.action);
    if (ended) return response;
    if (ended.error().code() != ErrorCode::Stale) return fail(ended.error());
    parts.catalog.forget(request.table_name);
  }
}

}  // namespace tavola::engine
