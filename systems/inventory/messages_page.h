// GET /api/messages?shopId=s1: the last messages about a shop, and whether the program can send any.
#pragma once

#include "generated/inventory_outbox.h"
#include "systems/host/application.h"
#include "systems/inventory/notices.h"
#include "systems/inventory/shop_rights.h"

namespace tavola::inventory {

// Returns {"email": true, "webhook": false, "messages": [{"messageId": …, "state": "SENT", …}]}. Borrows both.
systems::Route messages_page(const inventory_outbox::InventoryOutbox& outbox, const ShopRights& rights,
                             Channels channels);

}  // namespace tavola::inventory
