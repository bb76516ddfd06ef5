#include "systems/inventory/shops_page.h"

#include "http/pages/page_answers.h"
#include "json/writer.h"
#include "server/v1/problem.h"

namespace tavola::inventory {

systems::Route shops_page(const inventory_system::InventorySystem& inventory, const ShopRights& rights) {
  return {"GET", "/api/shops", [&inventory, &rights](const systems::Visit& visit) {
            const auto shops = rights.shops_of(visit.who);
            if (!shops) return server::problem_answer(503, shops.error().message());
            std::string body;
            json::Writer json(body);
            json.begin_list();
            for (const std::string& id : *shops) {
              const auto shop = inventory.getShop({.shopId = id});
              if (!shop) return server::problem_answer(503, shop.error().message());
              if (!*shop) continue;  // a group may name a shop that does not exist
              json.begin_object();
              json.name("shopId").text(id);
              json.name("name").text((*shop)->name);
              json.end_object();
            }
            json.end_list();
            return http::json_answer(std::move(body));
          }};
}

}  // namespace tavola::inventory
