// Sample data for the table of an application on a database elsewhere.
#pragma once

#include <string>

#include <tavola/database.h>

#include "server/log/log.h"
#include "server/v1/service.h"

namespace tavola::systems {

// Fills the tables of the service's designs that are empty. A database elsewhere may keep no designs, so what a design derives from its items
// (copies, counters) is made in memory first, and all of it is written as it is.
Result<void> fill_remote_with_samples(const server::DesignService& service, const std::string& size,
                                      Database& database, server::Log& log);

}  // namespace tavola::systems
