// Loads files into a table. Items are put, so that existing ones are replaced, and loading twice has the effect of
// loading once. FILE.TABLE.loading beside a file holds the progress; it is deleted when all files are in the table.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <tavola/database.h>
#include <tavola/exports.h>

#include "design/model/model.h"
#include "transfer/walk/item_loader.h"
#include "transfer/walk/patience.h"

namespace tavola::transfer {

struct LoadRequest {
  Database& database;
  std::string into{};  // the database as the user named it, for the resumption
  std::string table_name{};
  std::vector<std::filesystem::path> files{};  // "-": standard input, which cannot be resumed
  std::string format{};                        // "": by the file's name
  std::string compression{};                   // "": by the file's name
  CsvOptions csv{};
  // The design by which plain JSON objects become items (entity_items.h); null: lines are DynamoDB JSON.
  std::shared_ptr<const design::Design> design{};
  std::string entity{};                // of objects that name none
  bool creates = false;                // the table, if missing, from its definition
  std::filesystem::path definition{};  // empty: the one beside or in the first file
  bool keeps_going = false;            // a wrong record is reported, and does not end the load
  unsigned threads = 8;
  std::function<void(const Origin&, const Error&)> report{};
  std::function<void(std::uint64_t bytes, std::uint64_t expected)> watch{};  // of all files
  Pause pause = sleep();
  std::uint64_t records_between_states = 50'000;
};
struct Loaded {
  std::uint64_t items = 0;
  std::uint64_t wrong = 0;
  std::uint64_t records_before = 0;  // done by an earlier run
  bool is_created = false;
  std::vector<std::string> remarks{};  // parts of a definition that were skipped, and the like
};
Result<Loaded> load_files(const LoadRequest& request);

}  // namespace tavola::transfer
