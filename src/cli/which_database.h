// The database that a command means: a data directory here, or an endpoint elsewhere.
#pragma once

#include <memory>
#include <string>

#include <tavola/database.h>

namespace tavola::cli {

struct WhichDatabase {
  std::string data{};      // a directory
  std::string endpoint{};  // a URL; when it is given, it counts
  bool create = false;     // the directory, when it is missing
};
// Fails with Io when there is no directory and none shall be created, with Validation when the endpoint is no URL, or as
// tavola::open does.
Result<std::unique_ptr<Database>> open_database(const WhichDatabase& which);

}  // namespace tavola::cli
