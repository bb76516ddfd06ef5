// The mark of a table into which items are brought as they are (`as_is`, tavola/items.h): an internal record, written before the first of
// them and removed when all are checked. After a kill it shows that items may not follow the design.
//
//   { <hash>: "$import#unchecked", <range>: "$import", since: "2026-01-15T10:00:00Z", id: "…", checking: true }
#pragma once

#include <optional>
#include <string>

#include <tavola/database.h>

#include "base/clock.h"
#include "database/forwarding_database.h"
#include "design/model/model.h"

namespace tavola::drift {

struct ImportMark {
  std::string since{};  // ISO 8601
  std::string id{};     // of this mark: a later one of the table has another
  bool checking = false;
};

// Returns nullopt if all items that were brought in are checked.
Result<std::optional<ImportMark>> import_mark(const design::Design& design, Database& database);

// Begins a check: items that come in from here on set a mark of their own, which end_check() keeps. Returns nullopt if there is no mark.
Result<std::optional<ImportMark>> begin_check(const design::Design& design, Database& database);
Result<void> end_check(const design::Design& design, Database& database, const ImportMark& mark);

// Marks a governed table before items are put into it as they are. Thread safety: all methods, if the database is. Borrows both.
class MarkedImports final : public ForwardingDatabase {
 public:
  MarkedImports(Database& database, const Clock& clock) : ForwardingDatabase(database), clock_(clock) {}

  Result<PutItemResponse> put_item(const PutItemRequest& r) override;
  Result<BatchWriteItemResponse> batch_write_item(const BatchWriteItemRequest& r) override;

 private:
  Result<void> mark(const std::string& table);

  const Clock& clock_;
};

}  // namespace tavola::drift
