// The tables that exist. Records live in the store; decoded schemas are cached in memory.
//
// A cached schema may be out of date for a moment: whoever writes with it passes its record as a guard to
// Store::transact, gets Stale when it changed, calls forget() and looks again. So the cache is never trusted
// alone.
//
// Thread safety: all methods.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/locks.h"
#include "engine/schema.h"
#include "store/store.h"

namespace tavola::engine {

using SchemaPtr = std::shared_ptr<const TableSchema>;

class Catalog {
 public:
  explicit Catalog(store::Store& store) : store_(store) {}

  // Null when there is no such table.
  Result<SchemaPtr> find(std::string_view table_name);
  void forget(std::string_view table_name);
  // Whether the table still is what find() returned: a read that used another one must be repeated.
  bool is_current(std::string_view table_name, const SchemaPtr& schema);

  // Names in byte order, greater than `after`, at most `limit`.
  Result<std::vector<std::string>> names(std::string_view after, std::size_t limit) const;

  // Stores a new table; ResourceInUse when the name is taken.
  Result<SchemaPtr> create(const TableDescription& description);

  // Replaces a table's description by what `change` makes of it; indexes stay as they are.
  using Change = std::function<Result<void>(TableDescription&)>;
  Result<SchemaPtr> update(std::string_view table_name, const Change& change);

  // Removes the table with all its data, in one step. Returns what it was.
  Result<SchemaPtr> remove(std::string_view table_name);

 private:
  store::Store& store_;
  SharedMutex mutex_;
  std::map<std::string, SchemaPtr, std::less<>> schemas_ TAVOLA_GUARDED_BY(mutex_);
  std::uint64_t changes_ TAVOLA_GUARDED_BY(mutex_) = 0;  // calls of forget()
};

}  // namespace tavola::engine
