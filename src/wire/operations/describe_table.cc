#include "wire/codec/operations.h"
#include "wire/codec/table_shapes.h"

namespace tavola::wire {

Result<std::string> describe_table(const Call& call) {
  Problems problems;
  const Fields in(call.body, problems);
  const std::string table = in.managed_table_name();
  TAVOLA_CHECK(problems.check());
  TAVOLA_TRY(const DescribeTableResponse response, call.database.describe_table({table}));
  return write_table("Table", response.table, call.server);
}

}  // namespace tavola::wire
