// Which shops a person works in. The roles of the design say what people may do; this says where: an owner in the shops that are theirs
// (the design's pointer USER#<ownerId>/SHOP#<shopId>), staff in those that their groups name, "shop:<shopId>".
#pragma once

#include <expected>
#include <optional>
#include <string>
#include <vector>

#include <tavola/database.h>

#include "generated/inventory_system.h"
#include "systems/host/application.h"

namespace tavola::inventory {

// Thread safety: all methods. Borrows the design.
class ShopRights {
 public:
  explicit ShopRights(const inventory_system::InventorySystem& inventory) : inventory_(inventory) {}

  // Returns the refusal of a request under /v1 about a shop of somebody else; nullopt if there is none.
  std::optional<http::Response> refuse(const systems::Visit& visit) const;

  // Returns the refusal of a request of the program's own (`shopId` in its query) about a shop of somebody else, and the shop otherwise.
  std::expected<std::string, http::Response> shop_of(const systems::Visit& visit) const;

  // Returns the ids of the shops of a person, each once.
  Result<std::vector<std::string>> shops_of(const design::Identity& who) const;

 private:
  const inventory_system::InventorySystem& inventory_;
};

}  // namespace tavola::inventory
