#include "systems/host/remote_samples.h"

#include <vector>

#include <tavola/table.h>

#include "database/as_is_database.h"
#include "server/admin/adoptions.h"
#include "server/admin/sample_items.h"
#include "server/designs.h"
#include "transfer/walk/put_items.h"

namespace tavola::systems {
namespace {

Result<bool> is_empty(Database& database, const std::string& table) {
  TAVOLA_TRY(const ScanResponse page, database.scan({.table_name = table, .limit = 1}));
  return page.items.empty();
}

Result<std::vector<PackedItem>> all_items(Database& database, const std::string& table) {
  std::vector<PackedItem> items;
  AsIsDatabase as_is(database);  // also the guards of unique attributes
  for (const auto& item : Table(as_is, table).scan({})) {
    TAVOLA_CHECK(item);
    TAVOLA_TRY(items.emplace_back(), pack(*item));
  }
  return items;
}

}  // namespace

Result<void> fill_remote_with_samples(const server::DesignService& service, const std::string& size,
                                      Database& database, server::Log& log) {
  const std::unique_ptr<Database> memory = open_in_memory();
  server::Adoptions adoptions(*memory, Clock::system(), log);
  bool is_made = false;
  for (const design::Design& design : service.designs()) {
    const std::string& table = design.table.name;
    TAVOLA_TRY(const bool gets_samples, is_empty(database, table));
    if (!gets_samples) {
      log.info("the table has items, and gets no sample data", {{"table", table}});
      continue;
    }
    if (!is_made) {
      TAVOLA_CHECK(
          server::prepare_tables(service, {.database = *memory, .adoptions = adoptions, .log = log}));
      TAVOLA_CHECK(server::fill_with_samples(
          service, size,
          {.database = *memory, .adoptions = adoptions, .clock = Clock::system(), .log = log}));
      is_made = true;
    }
    TAVOLA_TRY(const std::vector<PackedItem> items, all_items(*memory, table));
    const transfer::Pause pause = transfer::sleep();
    TAVOLA_TRY(const std::uint64_t count,
               transfer::put_items({.database = database, .table_name = table, .pause = pause}, items,
                                   [](const PackedItem&, const Error& error) { return fail(error); }));
    log.info("the sample data was written", {{"table", table}, {"items", std::to_string(count)}});
  }
  return {};
}

}  // namespace tavola::systems
