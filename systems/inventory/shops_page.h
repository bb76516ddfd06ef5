// GET /api/shops: the shops in which the person works, with their names.
#pragma once

#include "generated/inventory_system.h"
#include "systems/host/application.h"
#include "systems/inventory/shop_rights.h"

namespace tavola::inventory {

// Returns [{"shopId": "s1", "name": "Corner Shop"}]. Borrows both.
systems::Route shops_page(const inventory_system::InventorySystem& inventory, const ShopRights& rights);

}  // namespace tavola::inventory
