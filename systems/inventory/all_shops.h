// The shops of all owners, for the work that the program does by itself. The design has no such pattern, because pages do not need it: finding them
// reads the whole table, so they are kept.
#pragma once

#include <chrono>
#include <set>
#include <string>
#include <vector>

#include <tavola/database.h>

#include "base/locks.h"

namespace tavola::inventory {

// Thread safety: all methods. Borrows the database.
class AllShops {
 public:
  AllShops(Database& database, std::string table_name)
      : database_(database), table_name_(std::move(table_name)) {}

  // Returns the ids. The table is read the first time, and again after an hour: other programs may have opened shops.
  Result<std::vector<std::string>> ids();
  // Adds a shop of which this program knows.
  void add(const std::string& shop_id);

 private:
  static constexpr std::chrono::hours kFreshFor{1};

  Database& database_;
  const std::string table_name_;
  Mutex mutex_;
  std::set<std::string, std::less<>> ids_ TAVOLA_GUARDED_BY(mutex_);
  std::optional<std::chrono::steady_clock::time_point> read_at_ TAVOLA_GUARDED_BY(mutex_);
};

}  // namespace tavola::inventory
