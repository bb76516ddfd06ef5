// Files into a table: items are put, so that one that is there already is replaced, and doing it twice is as doing it once.
// FILE.TABLE.loading beside a file says how far it is; when all files are in the table, it is gone.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <tavola/database.h>
#include <tavola/exports.h>

#include "transfer/walk/item_loader.h"
#include "transfer/walk/patience.h"

namespace tavola::transfer {

struct LoadRequest {
  Database& database;
  std::string into{};  // the database, as it was said: for whoever goes on
  std::string table_name{};
  std::vector<std::filesystem::path> files{};  // "-": standard input, which cannot be gone on with
  std::string format{};                        // "": by the file's name
  std::string compression{};                   // likewise
  CsvOptions csv{};
  bool creates = false;                // the table, when it is not there, from its definition
  std::filesystem::path definition{};  // empty: what lies beside the first file, or is in it
  bool keeps_going = false;            // what is wrong is told, and does not end it
  unsigned threads = 8;
  std::function<void(const Origin&, const Error&)> tell{};
  std::function<void(std::uint64_t bytes, std::uint64_t expected)> watch{};  // of all files
  Pause pause = sleep();
  std::uint64_t records_between_states = 50'000;
};
struct Loaded {
  std::uint64_t items = 0;
  std::uint64_t wrong = 0;
  std::uint64_t records_before = 0;  // that an earlier run has dealt with
  bool is_created = false;
  std::vector<std::string> remarks{};  // what was not done of a definition, and the like
};
Result<Loaded> load_files(const LoadRequest& request);

}  // namespace tavola::transfer
