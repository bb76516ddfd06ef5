// A store whose items are on another server: transactions on items go there (remote_transaction.h); the catalog, and with it the designs,
// stays in the store underneath. An engine on such a store enforces the designs with the code that it uses for its own data.
#pragma once

#include <memory>

#include <tavola/database.h>

#include "governed/item_places.h"
#include "governed/remote_snapshot.h"
#include "governed/remote_transaction.h"
#include "store/store.h"

namespace tavola::governed {

// Thread safety: all methods.
class ItemsElsewhere final : public store::Store {
 public:
  struct Parts {
    Database& remote;
    const GovernedTables& governed;
    const DesignWatch& watch;
    Leases& leases;
    WriteCounts& counts;
  };
  // Borrows the parts.
  ItemsElsewhere(std::unique_ptr<store::Store> local, const Parts& parts,
                 std::chrono::milliseconds index_lag);

  Result<std::optional<std::string>> get(std::string_view key) const override;
  std::unique_ptr<store::Snapshot> snapshot() const override;
  Reach reach() const override;
  Result<void> transact(std::span<const std::string> keys, std::span<const store::Guard> guards,
                        const store::WriteRule& rule, store::Contention contention) override;
  Result<std::uint64_t> settled(std::string_view prefix) override { return local_->settled(prefix); }
  void when_durable(std::function<void(Result<void>)> done) override {
    local_->when_durable(std::move(done));
  }
  Result<void> checkpoint(const std::filesystem::path& directory) override {
    return local_->checkpoint(directory);
  }
  Result<void> sync() override { return local_->sync(); }

 private:
  const std::unique_ptr<store::Store> local_;
  const Parts parts_;
  const std::chrono::milliseconds index_lag_;
  mutable SchemaCache schemas_;
};

}  // namespace tavola::governed
