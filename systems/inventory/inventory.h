// tavola-inventory's database: the design of the shops and that of its messages.
#pragma once

#include <memory>

#include "generated/inventory_outbox.h"
#include "generated/inventory_system.h"
#include "systems/host/system_design.h"

namespace tavola::inventory {

class Inventory {
 public:
  // Opens the database that the options name, and makes both tables ready. Fails with a message for people.
  static Result<std::unique_ptr<Inventory>> open(const systems::HostOptions& options, server::Log& log);

  systems::SystemDesign& design() const { return *design_; }
  const inventory_system::InventorySystem& shops() const { return shops_; }
  const inventory_outbox::InventoryOutbox& outbox() const { return outbox_; }

 private:
  Inventory(std::unique_ptr<systems::SystemDesign> design, inventory_system::InventorySystem shops,
            inventory_outbox::InventoryOutbox outbox)
      : design_(std::move(design)), shops_(std::move(shops)), outbox_(std::move(outbox)) {}

  std::unique_ptr<systems::SystemDesign> design_;
  inventory_system::InventorySystem shops_;
  inventory_outbox::InventoryOutbox outbox_;
};

}  // namespace tavola::inventory
