#include "design/items/table_schema.h"
#include "runner/runner.h"

namespace tavola::runner {

Result<std::vector<std::string>> Runner::prepare_table() const {
  const CreateTableRequest wanted = design::table_schema(parts_.design);
  const Result<DescribeTableResponse> found =
      parts_.database.describe_table({.table_name = wanted.table_name});
  const std::string& ttl = parts_.design.table.ttl;
  if (found) {
    std::vector<std::string> differences = design::differences(wanted, found->table);
    if (!ttl.empty() && found->table.time_to_live_attribute != ttl) {
      differences.push_back("time to live does not use " + ttl +
                            ", as the design requires: items will not expire");
    }
    if (const Result<void> done = govern(); !done) differences.push_back(done.error().message());
    return differences;
  }
  if (found.error().code() != ErrorCode::ResourceNotFound) return fail(found.error());
  TAVOLA_CHECK(parts_.database.create_table(wanted));
  if (!ttl.empty()) {
    TAVOLA_CHECK(parts_.database.update_time_to_live(
        {.table_name = wanted.table_name, .attribute_name = ttl, .enabled = true}));
  }
  TAVOLA_CHECK(govern());
  return std::vector<std::string>();
}

Result<void> Runner::govern() const {
  const design::Design& design = parts_.design;
  TAVOLA_CHECK(parts_.database.govern_table(
      {.table_name = design.table.name, .design = design.text, .file_name = design.file}));
  return {};
}

}  // namespace tavola::runner
