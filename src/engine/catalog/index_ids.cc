#include "engine/catalog/index_ids.h"

#include <cstdint>
#include <limits>
#include <string_view>

#include "engine/records/job.h"
#include "engine/records/keys.h"

namespace tavola::engine {
namespace {

constexpr std::string_view kBuildJob = "index";

Result<void> change_job(const TableSchema& before, const TableDescription& after,
                        std::vector<store::Write>& writes) {
  const bool was_built = before.description.index_build.has_value();
  if (was_built == after.index_build.has_value()) return {};
  std::string key = job_key(before.id, kBuildJob);
  if (was_built) {
    writes.push_back(store::Write::erase(std::move(key)));
    return {};
  }
  TAVOLA_TRY(std::string job, encode_job(JobKind::IndexBuild, after.table_name));
  writes.push_back(store::Write::put(std::move(key), std::move(job)));
  return {};
}

Error no_ids_left() {
  return Error::limit_exceeded(
      "The table has had too many indexes in its life to get another one. Create a new table, and copy the "
      "items to it.");
}

}  // namespace

Result<IndexIds> change_indexes(const TableSchema& before, const TableDescription& after,
                                std::vector<store::Write>& writes) {
  std::vector<IndexId> ids;
  std::uint32_t next = before.next_index_id;
  const auto take = [&](const std::string& name) -> Result<void> {
    if (const IndexSchema* const known = before.find_index(name)) {
      ids.push_back(known->id);
      return {};
    }
    if (next > std::numeric_limits<std::uint16_t>::max()) return fail(no_ids_left());
    ids.emplace_back(static_cast<std::uint16_t>(next++));
    return {};
  };
  for (const LocalIndex& index : after.local_indexes) TAVOLA_CHECK(take(index.name));
  for (const GlobalIndex& index : after.global_indexes) TAVOLA_CHECK(take(index.name));
  for (const IndexSchema& index : before.indexes) {
    if (std::ranges::find(ids, index.id) != ids.end()) continue;
    const store::KeyRange entries = entry_range(before.id, index.id, 0, 0x10000);
    writes.push_back(store::Write::erase_range(entries.from, entries.to));
  }
  TAVOLA_CHECK(change_job(before, after, writes));
  IndexIds changed(std::move(ids));
  changed.next = next;
  return changed;
}

}  // namespace tavola::engine
