#include "governed/items_elsewhere.h"

#include <utility>

#include "value/limits.h"

namespace tavola::governed {

ItemsElsewhere::ItemsElsewhere(std::unique_ptr<store::Store> local, const Parts& parts,
                               std::chrono::milliseconds index_lag)
    : local_(std::move(local)), parts_(parts), index_lag_(index_lag), schemas_(*local_) {}

Result<std::optional<std::string>> ItemsElsewhere::get(std::string_view key) const {
  if (!is_elsewhere(key)) return local_->get(key);
  return read_value({parts_.remote, parts_.governed, schemas_, parts_.leases}, key);
}

std::unique_ptr<store::Snapshot> ItemsElsewhere::snapshot() const {
  return std::make_unique<RemoteSnapshot>(
      RemoteSnapshot::Parts{parts_.remote, parts_.governed, schemas_, parts_.leases}, local_->snapshot());
}

store::Store::Reach ItemsElsewhere::reach() const {
  return {.keys_max = limits::kTransactionActionsMax, .index_lag = index_lag_};
}

Result<void> ItemsElsewhere::transact(std::span<const std::string> keys, std::span<const store::Guard> guards,
                                      const store::WriteRule& rule, store::Contention contention) {
  if (!are_of_items(keys)) return local_->transact(keys, guards, rule, contention);
  RemoteTransaction transaction({.remote = parts_.remote,
                                 .local = *local_,
                                 .governed = parts_.governed,
                                 .schemas = schemas_,
                                 .watch = parts_.watch,
                                 .counts = parts_.counts},
                                {.keys = keys, .guards = guards, .rule = rule});
  return transaction.run();
}

}  // namespace tavola::governed
