// The designs of governed tables, compiled once for each design, and the pairs of tables that are being migrated.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "base/locks.h"
#include "engine/catalog/catalog.h"
#include "engine/governed/governor.h"
#include "store/store.h"

namespace tavola::engine {

// Thread safety: all methods.
class GovernedSchemas final : public SchemaCompletion {
 public:
  explicit GovernedSchemas(const store::Store& store) : store_(store) {}

  Result<void> complete(const store::Snapshot& snapshot, TableSchema& schema) override;
  void forget(TableId table) override;
  // Forgets all: the store has returned to another state, where a table's id may be another table's.
  void forget_all() {
    const ExclusiveLock lock(mutex_);
    broken_rules_.clear();
    compiled_.clear();
  }

 private:
  // Returns the table's governor. A design is compiled once, however often the record of its table changes.
  Result<std::shared_ptr<const Governor>> governor_of(const store::Snapshot& snapshot,
                                                      const TableSchema& schema);
  // Returns the counts of broken rules. They continue when the design or its enforcement changes.
  std::shared_ptr<BrokenRules> broken_rules(TableId table);

  struct CompiledDesign {
    std::string digest;
    std::shared_ptr<const Governor> governor;
  };

  const store::Store& store_;
  SharedMutex mutex_;
  std::map<std::uint32_t, std::shared_ptr<BrokenRules>> broken_rules_
      TAVOLA_GUARDED_BY(mutex_);                                                // by table id
  std::map<std::uint32_t, CompiledDesign> compiled_ TAVOLA_GUARDED_BY(mutex_);  // by table id
};

}  // namespace tavola::engine
