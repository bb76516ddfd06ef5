// The items of an entity that are older than a given time, page by page: by a query if an index has all of them in the
// order of time, by a scan otherwise.
#pragma once

#include <optional>
#include <vector>

#include <tavola/database.h>

#include "design/model/model.h"
#include "transfer/archive/batch.h"

namespace tavola::transfer {

// Returns the time of an item of the entity; nullopt if it is another entity's, or if its time cannot be
// read.
std::optional<WallTime> moment_of(const design::Design& design, const design::Retention& retention,
                                  const PackedItem& item);

class OldItems {
 public:
  // Borrows the database and the design.
  OldItems(Database& database, const design::Design& design, const design::Retention& retention,
           WallTime before);

  struct Page {
    std::vector<OldItem> items;
    std::uint64_t looked_at = 0;
  };
  // Returns nullopt at the end. An item whose time cannot be read is not old: it stays.
  Result<std::optional<Page>> next();

  // Returns the queried index, "" for the table's own keys; nullopt if the table is scanned.
  std::optional<std::string> queried() const;

 private:
  struct Route {
    std::string index;  // empty: the table
    const design::KeyAttribute* hash = nullptr;
    const design::KeyAttribute* range = nullptr;
    Value hash_value;
    std::string range_prefix;
  };
  std::optional<Route> find_route() const;
  // Returns the route if one partition there has all items of the entity, in the order of time.
  std::optional<Route> route_by(std::string_view table_or_index, const design::KeyAttribute& hash,
                                const std::optional<design::KeyAttribute>& range) const;
  Result<tavola::Page> fetch();

  Database& database_;
  const design::Design& design_;
  const design::Retention& retention_;
  const design::Entity& entity_;
  const design::Attribute& by_;
  const WallTime before_;
  const std::optional<Route> route_;
  std::optional<PackedItem> after_;
  bool is_at_end_ = false;
};

}  // namespace tavola::transfer
