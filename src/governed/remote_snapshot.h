// The reads of the engine outside of transactions: single items, the items that a pattern finds, and jobs. It shows the other server as it is
// at each read, and the catalog as of one moment.
#pragma once

#include <memory>
#include <string>

#include <tavola/database.h>

#include "governed/item_places.h"
#include "governed/leases.h"
#include "store/store.h"

namespace tavola::governed {

class RemoteSnapshot final : public store::Snapshot {
 public:
  struct Parts {
    Database& remote;
    const GovernedTables& governed;
    SchemaCache& schemas;
    Leases& leases;  // each job is done by the front that has it
  };
  RemoteSnapshot(const Parts& parts, std::unique_ptr<store::Snapshot> local)
      : parts_(parts), local_(std::move(local)) {}

  Result<std::optional<std::string>> get(std::string_view key) const override;
  std::unique_ptr<store::Cursor> range(const store::KeyRange& range,
                                       store::Direction direction) const override;

 private:
  const Parts parts_;
  const std::unique_ptr<store::Snapshot> local_;
};

// Reads one value, strongly consistent.
Result<std::optional<std::string>> read_value(const RemoteSnapshot::Parts& parts, std::string_view store_key);

}  // namespace tavola::governed
