#include "design/table_schema.h"
#include "runner/runner.h"

namespace tavola::runner {

Result<std::vector<std::string>> Runner::prepare_table() const {
  const CreateTableRequest wanted = design::table_schema(parts_.design);
  const Result<DescribeTableResponse> found =
      parts_.database.describe_table({.table_name = wanted.table_name});
  if (found) return design::differences(wanted, found->table);
  if (found.error().code() != ErrorCode::ResourceNotFound) return fail(found.error());
  TAVOLA_CHECK(parts_.database.create_table(wanted));
  if (!parts_.design.table.ttl.empty()) {
    TAVOLA_CHECK(parts_.database.update_time_to_live(
        {.table_name = wanted.table_name, .attribute_name = parts_.design.table.ttl, .enabled = true}));
  }
  return std::vector<std::string>();
}

}  // namespace tavola::runner
