#include "engine/governed/governed_schemas.h"

#include <optional>

#include "engine/governed/design_rules.h"
#include "engine/governed/paired_table.h"

namespace tavola::engine {

Result<void> GovernedSchemas::complete(const store::Snapshot& snapshot, TableSchema& schema) {
  std::shared_ptr<const Governor> governor;
  std::shared_ptr<const PairedTable> paired;
  if (schema.description.governed_by) {
    TAVOLA_TRY(governor, governor_of(snapshot, schema));
  }
  if (schema.description.migration) {
    TAVOLA_TRY(paired, load_paired_table(store_, schema, governor));
  }
  if (governor || paired)
    schema.rules = std::make_shared<const DesignRules>(schema, std::move(governor), std::move(paired));
  return {};
}

void GovernedSchemas::forget(TableId table) {
  const ExclusiveLock lock(mutex_);
  compiled_.erase(table.value());
  broken_rules_.erase(table.value());
}

std::shared_ptr<BrokenRules> GovernedSchemas::broken_rules(TableId table) {
  const ExclusiveLock lock(mutex_);
  std::shared_ptr<BrokenRules>& rules = broken_rules_[table.value()];
  if (!rules) rules = std::make_shared<BrokenRules>();
  return rules;
}

Result<std::shared_ptr<const Governor>> GovernedSchemas::governor_of(const store::Snapshot& snapshot,
                                                                     const TableSchema& schema) {
  {
    const SharedLock lock(mutex_);
    const auto it = compiled_.find(schema.id.value());
    const std::optional<GovernedBy>& governance = schema.description.governed_by;
    if (it != compiled_.end() && governance && it->second.digest == schema.description.design_digest &&
        it->second.governor->enforcement == governance->enforcement) {
      return it->second.governor;
    }
  }
  TAVOLA_TRY(std::shared_ptr<const Governor> governor,
             load_governor(snapshot, schema, broken_rules(schema.id)));
  const ExclusiveLock lock(mutex_);
  compiled_.insert_or_assign(schema.id.value(), CompiledDesign{schema.description.design_digest, governor});
  return governor;
}

}  // namespace tavola::engine
