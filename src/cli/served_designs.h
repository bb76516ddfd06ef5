// The designs of `tavola serve --design`: they are read before anything is opened, and their tables are made ready before
// anybody is answered.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <tavola/database.h>
#include <tavola/error.h>

#include "api/service.h"
#include "cli/log.h"
#include "design/model/model.h"

namespace tavola::cli {

// Fails with everything that is wrong with the first one that cannot run, when two have the same name, and when two are of one
// table and one of them has roles.
Result<std::vector<design::Design>> load_designs(const std::vector<std::string>& files);

// What seals page tokens: kept in the data directory, so that a token outlives the server.
Result<std::string> page_secret(const std::filesystem::path& directory);
// One that ends with the program.
std::string new_secret();

// Creates the tables that are missing, and tells how the others differ from their designs.
Result<void> prepare_tables(const api::Service& service, Database& database, Log& log);

}  // namespace tavola::cli
