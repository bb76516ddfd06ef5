#include "governed/items_elsewhere.h"

#include <utility>

namespace tavola::governed {

ItemsElsewhere::ItemsElsewhere(std::unique_ptr<store::Store> local, Database& remote,
                               const GovernedTables& governed, WriteCounts& counts)
    : local_(std::move(local)), remote_(remote), governed_(governed), counts_(counts) {}

Result<void> ItemsElsewhere::transact(std::span<const std::string> keys, std::span<const store::Guard> guards,
                                      const store::WriteRule& rule, store::Contention contention) {
  if (!are_of_items(keys)) return local_->transact(keys, guards, rule, contention);
  RemoteTransaction transaction(
      {.remote = remote_, .local = *local_, .governed = governed_, .schemas = schemas_, .counts = counts_},
      {.keys = keys, .guards = guards, .rule = rule});
  return transaction.run();
}

}  // namespace tavola::governed
