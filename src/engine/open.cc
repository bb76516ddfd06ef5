// tavola::open: a store, and an engine on it.
#include <tavola/database.h>

#include "engine/engine.h"

namespace tavola {

Result<std::unique_ptr<Database>> open(const std::filesystem::path& directory, const OpenOptions& options) {
  const store::RocksOptions rocks{.durability = options.durability == Durability::Synced
                                                    ? store::Durability::Synced
                                                    : store::Durability::Relaxed,
                                  .cache_bytes = options.cache_bytes};
  TAVOLA_TRY(std::unique_ptr<store::Store> store, store::open_rocks(directory, rocks));
  auto database = std::make_unique<engine::Engine>(std::move(store));
  database->start_sweeping();
  return database;
}

std::unique_ptr<Database> open_in_memory() {
  auto database = std::make_unique<engine::Engine>(store::open_memory());
  database->start_sweeping();
  return database;
}

}  // namespace tavola
