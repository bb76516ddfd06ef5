#include "policy/policy.h"
#include "wire/codec/created_table.h"
#include "wire/codec/operations.h"
#include "wire/codec/shapes.h"
#include "wire/codec/table_shapes.h"

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

// A table that was to have a policy must not exist without it.
Result<void> put_first_policy(Database& database, const CreateTableRequest& table,
                              const std::string& policy) {
  const auto done = database.put_resource_policy({.resource = table.table_name, .policy = policy});
  if (done) return {};
  if (table.deletion_protection) {
    TAVOLA_CHECK(database.update_table({.table_name = table.table_name, .deletion_protection = false}));
  }
  TAVOLA_CHECK(database.delete_table({.table_name = table.table_name}));
  return fail(done.error());
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
  TAVOLA_CHECK(refuse(in, {"VectorIndexes"}));
  const std::optional<std::string> policy = in.text("ResourcePolicy");
  if (policy) TAVOLA_CHECK(policy::parse_policy(*policy, policy::Target::Table));
  TAVOLA_TRY(const CreateTableResponse response, call.database.create_table(request));
  if (policy) TAVOLA_CHECK(put_first_policy(call.database, request, *policy));
  return write_table("TableDescription", response.table, call.server);
}

}  // namespace tavola::wire
