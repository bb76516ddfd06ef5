#include "wire/created_table.h"
#include "wire/operations.h"
#include "wire/shapes.h"
#include "wire/table_shapes.h"

namespace tavola::wire {
namespace {

Result<void> check_not_empty(const Fields& in, std::string_view name) {
  const auto list = in.find(name);
  if (list && list->size() == 0) {
    return fail(Error::validation("One or more parameter values were invalid: List of " + std::string(name) +
                                  " is empty"));
  }
  return {};
}

}  // namespace

Result<std::string> create_table(const Call& call) {
  Problems problems;
  const Fields in(call.body, problems);
  const CreateTableRequest request = read_created_table(in);
  const Result<void> encryption = refuse_encryption(in);
  TAVOLA_CHECK(problems.check());
  TAVOLA_CHECK(check_not_empty(in, "LocalSecondaryIndexes"));
  TAVOLA_CHECK(check_not_empty(in, "GlobalSecondaryIndexes"));
  TAVOLA_CHECK(encryption);
  TAVOLA_CHECK(refuse(in, {"ResourcePolicy", "OnDemandThroughput", "WarmThroughput", "VectorIndexes"}));
  TAVOLA_TRY(const CreateTableResponse response, call.database.create_table(request));
  return write_table("TableDescription", response.table, call.place);
}

}  // namespace tavola::wire
