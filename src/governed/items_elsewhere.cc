#include "governed/items_elsewhere.h"

#include <utility>

#include "value/limits.h"

namespace tavola::governed {

ItemsElsewhere::ItemsElsewhere(std::unique_ptr<store::Store> local, Database& remote,
                               const GovernedTables& governed, WriteCounts& counts, Options options)
    : local_(std::move(local)),
      remote_(remote),
      governed_(governed),
      counts_(counts),
      options_(std::move(options)),
      schemas_(*local_) {}

Result<std::optional<std::string>> ItemsElsewhere::get(std::string_view key) const {
  if (!is_elsewhere(key)) return local_->get(key);
  return read_value({remote_, governed_, schemas_, options_.lease}, key);
}

std::unique_ptr<store::Snapshot> ItemsElsewhere::snapshot() const {
  return std::make_unique<RemoteSnapshot>(RemoteSnapshot::Parts{remote_, governed_, schemas_, options_.lease},
                                          local_->snapshot());
}

store::Store::Reach ItemsElsewhere::reach() const {
  return {.keys_max = limits::kTransactionActionsMax, .index_lag = options_.index_lag};
}

Result<void> ItemsElsewhere::transact(std::span<const std::string> keys, std::span<const store::Guard> guards,
                                      const store::WriteRule& rule, store::Contention contention) {
  if (!are_of_items(keys)) return local_->transact(keys, guards, rule, contention);
  RemoteTransaction transaction(
      {.remote = remote_, .local = *local_, .governed = governed_, .schemas = schemas_, .counts = counts_},
      {.keys = keys, .guards = guards, .rule = rule});
  return transaction.run();
}

}  // namespace tavola::governed
