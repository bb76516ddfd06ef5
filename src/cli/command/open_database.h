// Opens the database of a command: a data directory, or an endpoint.
#pragma once

#include <memory>
#include <string>

#include <tavola/database.h>

#include "remote/remote_database.h"

namespace tavola::cli {

struct WhichDatabase {
  std::string data{};      // a directory
  std::string endpoint{};  // a URL; takes precedence over `data`
  bool create = false;     // the directory, if it is missing
  // When a write to the directory is durable. Relaxed is for work that can be done again: closing the database makes it durable.
  Durability durability = Durability::Synced;
  remote::Mark mark = remote::Mark::Maintenance;  // of requests to the endpoint
};
// Fails with Io if the directory is missing and must not be created, with Validation if the endpoint is not a URL, or as
// tavola::open does.
Result<std::unique_ptr<Database>> open_database(const WhichDatabase& which);

}  // namespace tavola::cli
