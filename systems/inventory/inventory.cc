#include "systems/inventory/inventory.h"

namespace tavola::inventory {

Result<std::unique_ptr<Inventory>> Inventory::open(const systems::HostOptions& options, server::Log& log) {
  TAVOLA_TRY(auto design, systems::SystemDesign::open({.text = inventory_system::InventorySystem::text(),
                                                       .file = "InventorySystem.yaml",
                                                       .options = options,
                                                       .log = log}));
  TAVOLA_TRY(auto shops, inventory_system::InventorySystem::open(design->database()));
  TAVOLA_TRY(auto outbox, inventory_outbox::InventoryOutbox::open(design->database()));
  TAVOLA_TRY(const std::vector<std::string> differences, outbox.prepare_table());
  for (const std::string& difference : differences)
    log.warning("the table of messages differs from its design", {{"difference", difference}});
  return std::unique_ptr<Inventory>(new Inventory(std::move(design), std::move(shops), std::move(outbox)));
}

}  // namespace tavola::inventory
