// The ranges that a rule asks for: what the pattern of a design finds, for deletions that concern other items and for permissions. The
// range of an index or a table becomes a Query of its partition.
#pragma once

#include <optional>

#include <tavola/database.h>

#include "governed/item_places.h"
#include "store/store.h"

namespace tavola::governed {

// Reads the entries of a range page by page.
class RangePages {
 public:
  // Borrows the server.
  static Result<RangePages> of(Database& remote, const TransactionTables& tables,
                               const store::KeyRange& range, store::Direction direction);

  // Returns the entries of the next page; there may be none of them, and more behind. Returns nothing at the end.
  Result<std::optional<store::RangeEntries>> next();

 private:
  Database* remote_ = nullptr;
  SchemaPtr table_;
  const engine::IndexSchema* index_ = nullptr;
  store::KeyRange range_;
  QueryRequest request_;
  bool is_over_ = false;
};

Result<store::RangeEntries> read_range(Database& remote, const TransactionTables& tables,
                                       const store::RangeRead& range);

}  // namespace tavola::governed
