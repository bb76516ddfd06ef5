#include "engine/governed/governance.h"

#include <algorithm>

#include "base/assert.h"
#include "base/digest.h"
#include "base/encoding.h"
#include "design/items/table_schema.h"
#include "engine/governed/design_rules.h"
#include "engine/records/job.h"
#include "engine/records/keys.h"

namespace tavola::engine {
namespace {

using Adoption = GovernTableRequest::Adoption;

Enforcement enforcement_of(const design::Design& design) {
  switch (design.enforce) {
    case design::Enforce::Strict:
      return Enforcement::Strict;
    case design::Enforce::Warn:
      return Enforcement::Warn;
    case design::Enforce::Off:
      return Enforcement::Off;
  }
  return Enforcement::Strict;
}

Result<void> check_keys(const design::Design& design, const TableDescription& table) {
  const CreateTableRequest wanted = design::table_schema(design);
  if (wanted.key_schema == table.key_schema) return {};
  return fail(Error::validation("the design " + design.name + " has other keys than the table " +
                                table.table_name + ": it cannot govern it"));
}

Error index_stays(const std::string& design, const std::string& table, const std::string& index) {
  return Error::validation("the design " + design + " of the table " + table + " has the index " + index +
                           ": it cannot be deleted. Give the table a design without it first.");
}

}  // namespace

Result<GovernedBy> govern_table(Catalog& catalog, const GovernTableRequest& request) {
  std::optional<design::Design> design;
  std::string stored;
  if (!request.design.empty()) {
    TAVOLA_TRY(design, load_design(request.design, request.file_name, request.table_name));
    TAVOLA_TRY(stored, encode_design(request.design, request.file_name));
  }
  const std::string digest = to_hex(sha256({request.design}));
  const std::optional<Enforcement> wanted =
      request.enforcement || !design ? request.enforcement : enforcement_of(*design);
  const auto has_design = [&](const TableRecord& table) {
    return table.governed_by && (!design || table.design_digest == digest);
  };
  TAVOLA_TRY(const SchemaPtr known, catalog.find(request.table_name));
  if (known && has_design(known->description)) {
    const GovernedBy& governed = governed_by_of(known->description);
    const bool is_same = !wanted || governed.enforcement == *wanted;
    if (is_same &&
        (request.adoption == Adoption::None || governed.adopting == (request.adoption == Adoption::Begin)))
      return governed;
  }
  const auto change = [&](Catalog::TableChange& changed) -> Result<void> {
    TableRecord& description = changed.description;
    if (!design && !description.governed_by) {
      return fail(Error::validation("the table " + description.table_name +
                                    " has no design. Give it one with `tavola serve --design`."));
    }
    if (request.adoption == Adoption::End && !has_design(description)) {
      return fail(Error::validation("the table " + description.table_name +
                                    " got another design while its items were checked. Start again."));
    }
    if (design && !has_design(description)) {
      const TableId id = changed.table.id;
      TAVOLA_CHECK(check_keys(*design, description));
      description.governed_by = GovernedBy{.design = design->name, .revision = design->revision};
      description.design_digest = digest;
      description.awaits_design.clear();
      changed.also.push_back(store::Write::put(design_key(id), stored));
      // The watched items depend on the design.
      const store::KeyRange watches = all_watches(id);
      changed.also.push_back(store::Write::erase_range(watches.from, watches.to));
      TAVOLA_TRY(std::string job, encode_job(JobKind::Adoption, description.table_name));
      changed.also.push_back(store::Write::put(job_key(id, "adopt"), std::move(job)));
    }
    if (wanted) description.governed_by->enforcement = *wanted;
    if (request.adoption != Adoption::None)
      description.governed_by->adopting = request.adoption == Adoption::Begin;
    return {};
  };
  TAVOLA_TRY(const SchemaPtr schema, catalog.update(request.table_name, change));
  return governed_by_of(schema->description);
}

Result<void> check_index_changes(const Governor& governor, const UpdateTableRequest& request,
                                 const TableDescription& table) {
  if (governor.enforcement == Enforcement::Off) return {};
  const std::string& name = governor.design.name;
  const std::vector<GlobalIndex> wanted = design::table_schema(governor.design).global_indexes;
  const auto same_index = [](const GlobalIndex& one, const GlobalIndex& other) {
    return one.key_schema == other.key_schema && one.projection == other.projection;
  };
  for (const std::string& index : request.deleted_indexes) {
    const auto said = std::ranges::find(wanted, index, &GlobalIndex::name);
    const auto built = std::ranges::find(table.global_indexes, index, &GlobalIndex::name);
    // One that is not as the design says may be replaced.
    if (said == wanted.end() || built == table.global_indexes.end() || !same_index(*said, *built)) continue;
    return fail(index_stays(name, request.table_name, index));
  }
  for (const GlobalIndex& index : request.created_indexes) {
    const auto same = std::ranges::find(wanted, index.name, &GlobalIndex::name);
    if (same == wanted.end() || same_index(*same, index)) continue;
    return fail(Error::validation("the design " + name + " of the table " + request.table_name +
                                  " defines another key or projection for the index " + index.name +
                                  ": create it as the design says, or give the table another design first."));
  }
  return {};
}

Result<DescribeGovernanceResponse> describe_governance(const store::Store& store, const TableSchema& schema,
                                                       const DescribeGovernanceRequest& request,
                                                       WallTime now) {
  DescribeGovernanceResponse response{.governed_by = schema.description.governed_by};
  const Governor* const governor = governor_of(schema);
  if (governor == nullptr) return response;
  response.broken_rules = governor->broken->list();
  const auto milliseconds =
      std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch()).count();
  const auto snapshot = store.snapshot();
  const auto watches = snapshot->range(watches_until(schema.id, static_cast<std::uint64_t>(milliseconds)),
                                       store::Direction::Forward);
  for (; watches->valid(); watches->next()) {
    ++response.stuck;
    if (response.stuck_items.size() >= request.stuck_items_max) continue;
    TAVOLA_TRY(const Watch watch, decode_watch_key(watches->key()));
    TAVOLA_TRY(std::optional<std::string> item, snapshot->get(watch.item_key));
    const std::chrono::milliseconds since(watch.milliseconds);
    if (item) response.stuck_items.push_back({PackedItem(*std::move(item)), std::chrono::sys_time(since)});
  }
  TAVOLA_CHECK(watches->status());
  const auto jobs = snapshot->range(all_jobs(schema.id), store::Direction::Forward);
  for (; jobs->valid(); jobs->next()) ++response.unfinished;
  TAVOLA_CHECK(jobs->status());
  return response;
}

}  // namespace tavola::engine
