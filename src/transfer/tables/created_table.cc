#include "transfer/tables/created_table.h"

namespace tavola::transfer {
namespace {

constexpr int kLooksMax = 300;  // a second apart: AWS takes some seconds for a table

}  // namespace

Result<TableDescription> create_from(Database& database, const TableDefinition& definition,
                                     const Pause& pause, std::vector<std::string>& remarks) {
  const std::string& name = definition.table.table_name;
  TAVOLA_CHECK(database.create_table(definition.table));
  TableDescription table;
  for (int looks = 0;; ++looks) {
    TAVOLA_TRY(DescribeTableResponse described, database.describe_table({.table_name = name}));
    table = std::move(described.table);
    if (table.status == TableStatus::Active) break;
    if (looks == kLooksMax) {
      return fail(
          Error::resource_in_use(name + " was created and cannot be used yet; say the same again later"));
    }
    pause(std::chrono::seconds(1));
  }
  if (!definition.time_to_live_attribute.empty()) {
    const auto set = database.update_time_to_live(
        {.table_name = name, .attribute_name = definition.time_to_live_attribute, .enabled = true});
    if (!set) {
      remarks.push_back("time to live by " + definition.time_to_live_attribute +
                        " is not switched on: " + set.error().message());
    }
  }
  return table;
}

}  // namespace tavola::transfer
