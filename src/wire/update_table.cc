#include "wire/operations.h"
#include "wire/shapes.h"
#include "wire/table_shapes.h"

namespace tavola::wire {
namespace {

Result<void> read_index_updates(const Fields& in, UpdateTableRequest& request) {
  const auto updates = in.structures("GlobalSecondaryIndexUpdates", "GlobalSecondaryIndexUpdate");
  for (const Fields& fields : updates.value_or(std::vector<Fields>())) {
    const auto update = fields.structure("Update", "UpdateGlobalSecondaryIndexAction");
    if (!update && !fields.has("Create") && !fields.has("Delete")) {
      return fail(Error::validation(
          "One or more parameter values were invalid: One of GlobalSecondaryIndexUpdate.Update, "
          "GlobalSecondaryIndexUpdate.Create, GlobalSecondaryIndexUpdate.Delete must not be null"));
    }
    if (!update) {
      return fail(Error::validation(
          "One or more parameter values were invalid: creating and deleting global secondary indexes "
          "of an existing table is not supported by Tavola yet; create the table with them"));
    }
    const std::string name = update->index_name("IndexName", Presence::Required);
    const auto throughput = read_throughput(*update, Presence::Required);
    if (!throughput) continue;
    if (!request.index_throughput.emplace(name, *throughput).second) {
      return fail(
          Error::validation("One or more parameter values were invalid: Only one global secondary index "
                            "update per index is allowed "
                            "simultaneously. Index: " +
                            name));
    }
  }
  return {};
}

}  // namespace

Result<std::string> update_table(const Call& call) {
  Problems problems;
  const Fields in(call.body, problems);
  UpdateTableRequest request;
  request.table_name = in.text("TableName", Presence::Required).value_or(std::string());
  request.billing_mode = read_billing_mode(in);
  request.throughput = read_throughput(in);
  static_cast<void>(read_definitions(in, Presence::Optional));
  const Result<void> indexes = read_index_updates(in, request);
  request.deletion_protection = in.boolean("DeletionProtectionEnabled");
  request.table_class = read_table_class(in);
  request.stream = read_stream(in);
  TAVOLA_CHECK(problems.check());
  TAVOLA_CHECK(indexes);
  TAVOLA_CHECK(refuse_encryption(in));
  TAVOLA_CHECK(refuse(in, {"ReplicaUpdates", "OnDemandThroughput", "WarmThroughput", "MultiRegionConsistency",
                           "GlobalTableWitnessUpdates"}));
  request.table_name = table_in_arn(request.table_name);
  TAVOLA_TRY(const UpdateTableResponse response, call.database.update_table(request));
  return write_table("TableDescription", response.table, call.place);
}

}  // namespace tavola::wire
