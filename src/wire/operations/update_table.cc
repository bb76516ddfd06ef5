#include "wire/codec/created_table.h"
#include "wire/codec/operations.h"
#include "wire/codec/shapes.h"
#include "wire/codec/table_shapes.h"

namespace tavola::wire {
namespace {

Error invalid(std::string_view why) {
  return Error::validation("One or more parameter values were invalid: " + std::string(why));
}

GlobalIndexUpdate read_changes(const Fields& in) {
  GlobalIndexUpdate update{.on_demand_limits = read_limits(in), .warm_throughput = read_warmth(in)};
  const bool has_another = update.on_demand_limits || update.warm_throughput;
  update.throughput = read_throughput(in, has_another ? Presence::Optional : Presence::Required);
  return update;
}

// Reads one update of an index; fails if it is wrong by itself.
Result<void> read_index_update(const Fields& in, UpdateTableRequest& request) {
  const auto update = in.structure("Update", "UpdateGlobalSecondaryIndexAction");
  const auto create = in.structure("Create", "CreateGlobalSecondaryIndexAction");
  const auto remove = in.structure("Delete", "DeleteGlobalSecondaryIndexAction");
  bool is_new = true;
  std::string name;
  if (update) {
    name = update->name("IndexName", Presence::Required).value_or(std::string());
    is_new = request.index_updates.emplace(name, read_changes(*update)).second;
  }
  if (create) request.created_indexes.push_back(read_global_index(*create));
  if (remove)
    request.deleted_indexes.push_back(remove->name("IndexName", Presence::Required).value_or(std::string()));
  const int actions = int{update.has_value()} + int{create.has_value()} + int{remove.has_value()};
  if (actions == 0) {
    return fail(
        invalid("One of GlobalSecondaryIndexUpdate.Update, GlobalSecondaryIndexUpdate.Create, "
                "GlobalSecondaryIndexUpdate.Delete must not be null"));
  }
  if (actions > 1) {
    return fail(
        invalid("Only one global secondary index action is allowed per GlobalSecondaryIndexUpdate object"));
  }
  if (!is_new) {
    return fail(invalid(
        "Only one global secondary index update per index is allowed simultaneously. Index: " + name));
  }
  return {};
}

// Reads all of them, so that every wrong type and broken constraint is found; returns the first failure.
Result<void> read_index_updates(const Fields& in, UpdateTableRequest& request) {
  Result<void> first;
  const auto updates = in.structures("GlobalSecondaryIndexUpdates", "GlobalSecondaryIndexUpdate");
  for (const Fields& fields : updates.value_or(std::vector<Fields>())) {
    const Result<void> read = read_index_update(fields, request);
    if (first && !read) first = read;
  }
  return first;
}

// An empty list of updates counts as missing, and must not accompany others.
Result<void> check_not_empty(const Fields& in) {
  const auto updates = in.find("GlobalSecondaryIndexUpdates");
  if (!updates || updates->size() > 0) return {};
  for (const std::string_view other :
       {"BillingMode", "ProvisionedThroughput", "OnDemandThroughput", "WarmThroughput",
        "DeletionProtectionEnabled", "TableClass", "StreamSpecification"}) {
    if (in.has(other)) return fail(invalid("List of GlobalSecondaryIndexUpdates is empty"));
  }
  return {};
}

}  // namespace

Result<std::string> update_table(const Call& call) {
  Problems problems;
  const Fields in(call.body, problems);
  UpdateTableRequest request;
  request.table_name = in.managed_table_name();
  request.billing_mode = read_billing_mode(in);
  request.throughput = read_throughput(in);
  request.on_demand_limits = read_limits(in);
  request.warm_throughput = read_warmth(in);
  request.attribute_definitions = read_definitions(in, Presence::Optional);
  const Result<void> indexes = read_index_updates(in, request);
  request.deletion_protection = in.boolean("DeletionProtectionEnabled");
  request.table_class = read_table_class(in);
  request.stream =
      read_stream(in, {"If stream is being enabled then UpdateViewType is required",
                       "If stream is being disabled, then UpdateViewType must not be specified"});
  const Result<void> encryption = refuse_encryption(in);
  TAVOLA_CHECK(problems.check());
  TAVOLA_CHECK(indexes);
  TAVOLA_CHECK(check_not_empty(in));
  TAVOLA_CHECK(encryption);
  TAVOLA_CHECK(refuse(
      in, {"ReplicaUpdates", "MultiRegionConsistency", "GlobalTableWitnessUpdates", "VectorIndexUpdates"}));
  TAVOLA_TRY(const UpdateTableResponse response, call.database.update_table(request));
  return write_table("TableDescription", response.table, call.server, request.deleted_indexes);
}

}  // namespace tavola::wire
