#include "wire/operations.h"
#include "wire/shapes.h"
#include "wire/table_shapes.h"

namespace tavola::wire {
namespace {

// One update of an index; fails with what can be said of it alone.
Result<void> read_index_update(const Fields& in, UpdateTableRequest& request) {
  const auto update = in.structure("Update", "UpdateGlobalSecondaryIndexAction");
  if (!update && !in.has("Create") && !in.has("Delete")) {
    return fail(Error::validation(
        "One or more parameter values were invalid: One of GlobalSecondaryIndexUpdate.Update, "
        "GlobalSecondaryIndexUpdate.Create, GlobalSecondaryIndexUpdate.Delete must not be null"));
  }
  if (!update) {
    return fail(Error::validation(
        "One or more parameter values were invalid: creating and deleting global secondary indexes "
        "of an existing table is not supported by Tavola yet; create the table with them"));
  }
  const std::string name = update->name("IndexName", Presence::Required).value_or(std::string());
  const auto throughput = read_throughput(*update, Presence::Required);
  if (throughput &&
      !request.index_updates.emplace(name, GlobalIndexUpdate{.throughput = throughput}).second) {
    return fail(
        Error::validation("One or more parameter values were invalid: Only one global secondary index "
                          "update per index is allowed simultaneously. Index: " +
                          name));
  }
  return {};
}

// All are read, so that every wrong type and broken constraint is found; the first failure is returned.
Result<void> read_index_updates(const Fields& in, UpdateTableRequest& request) {
  Result<void> first;
  const auto updates = in.structures("GlobalSecondaryIndexUpdates", "GlobalSecondaryIndexUpdate");
  for (const Fields& fields : updates.value_or(std::vector<Fields>())) {
    const Result<void> read = read_index_update(fields, request);
    if (first && !read) first = read;
  }
  return first;
}

}  // namespace

Result<std::string> update_table(const Call& call) {
  Problems problems;
  const Fields in(call.body, problems);
  UpdateTableRequest request;
  request.table_name = in.managed_table_name();
  request.billing_mode = read_billing_mode(in);
  request.throughput = read_throughput(in);
  static_cast<void>(read_definitions(in, Presence::Optional));
  const Result<void> indexes = read_index_updates(in, request);
  request.deletion_protection = in.boolean("DeletionProtectionEnabled");
  request.table_class = read_table_class(in);
  request.stream =
      read_stream(in, {"If stream is being enabled then UpdateViewType is required",
                       "If stream is being disabled, then UpdateViewType must not be specified"});
  const Result<void> encryption = refuse_encryption(in);
  TAVOLA_CHECK(problems.check());
  TAVOLA_CHECK(indexes);
  TAVOLA_CHECK(encryption);
  TAVOLA_CHECK(refuse(in, {"ReplicaUpdates", "OnDemandThroughput", "WarmThroughput", "MultiRegionConsistency",
                           "GlobalTableWitnessUpdates", "VectorIndexUpdates"}));
  TAVOLA_TRY(const UpdateTableResponse response, call.database.update_table(request));
  return write_table("TableDescription", response.table, call.place);
}

}  // namespace tavola::wire
