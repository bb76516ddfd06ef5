#include "wire/operations.h"
#include "wire/table_shapes.h"

namespace tavola::wire {

Result<std::string> describe_table(const Call& call) {
  Problems problems;
  const Fields in(call.body, problems);
  const auto name = in.text("TableName", Presence::Required);
  TAVOLA_CHECK(problems.check());
  TAVOLA_TRY(const DescribeTableResponse response,
             call.database.describe_table({std::string(table_in_arn(*name))}));
  return write_table("Table", response.table, call.place);
}

}  // namespace tavola::wire
