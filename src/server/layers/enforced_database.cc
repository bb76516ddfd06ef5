#include "server/layers/enforced_database.h"

#include <algorithm>
#include <memory>
#include <optional>

#include "database/capacity.h"
#include "database/divided_batches.h"
#include "database/messages.h"
#include "server/layers/table_of.h"
#include "value/limits.h"

namespace tavola::server {
namespace {

// The API reference lists the words of provisioned indexes at TransactionCanceledException; those of a limit on demand are in
// "Diagnosing throttling", Developer Guide.
constexpr const char* kIndexExceeded =
    "The level of configured provisioned throughput for one or more global secondary indexes of the table "
    "was exceeded. Consider increasing your provisioning level for the under-provisioned global secondary "
    "indexes with the UpdateTable API";
constexpr const char* kOnDemandExceeded =
    "Throughput exceeds the maximum OnDemandThroughput configured on table or index";

std::string message_of(const Throttled& throttled) {
  if (throttled.is_on_demand) return kOnDemandExceeded;
  return throttled.index.empty() ? kTableThroughputExceeded : kIndexExceeded;
}

// The least that writing this item is charged.
double least_write_units(const PackedItem& item) { return write_units(item_size(item.view())); }

double least_read_units(bool is_consistent) { return is_consistent ? 1.0 : 0.5; }

// Returns the part of the consumed capacity that the client requested.
std::optional<ConsumedCapacity> shown(std::optional<ConsumedCapacity> used, ReturnConsumedCapacity asked) {
  if (!used || asked == ReturnConsumedCapacity::None) return std::nullopt;
  if (asked == ReturnConsumedCapacity::Total) {
    used->table_units.reset();
    used->local_index_units.clear();
    used->global_index_units.clear();
  }
  return used;
}

std::vector<ConsumedCapacity> shown(const std::vector<ConsumedCapacity>& used, ReturnConsumedCapacity asked) {
  std::vector<ConsumedCapacity> capacities;
  for (const ConsumedCapacity& one : used) {
    if (auto capacity = shown(std::optional(one), asked)) capacities.push_back(*std::move(capacity));
  }
  return capacities;
}

double least_units(const TransactWrite& action) {
  const auto* put = std::get_if<PutItemRequest>(&action);
  return kTransactionFactor * (put == nullptr ? 1 : least_write_units(put->item));
}

Error cancelled(const std::vector<Need>& needs, const Throttled& throttled) {
  std::vector<CancellationReason> reasons(needs.size());
  for (std::size_t i = 0; i < needs.size(); ++i) {
    if (needs[i].table != throttled.table) continue;
    reasons[i].code = throttled.is_on_demand ? "ThrottlingError" : "ProvisionedThroughputExceeded";
    reasons[i].message = message_of(throttled);
  }
  return transaction_cancelled(std::move(reasons));
}

// A transaction that failed by a condition is charged nevertheless.
bool failed_by_condition(const Error& error) {
  const auto* cancellation = error.detail<TransactionCancellation>();
  return cancellation != nullptr && std::ranges::any_of(cancellation->reasons, [](const auto& reason) {
           return reason.code == "ConditionalCheckFailed";
         });
}

}  // namespace

void EnforcedDatabase::append_metrics(std::string& out) const {
  out +=
      "# HELP tavola_throttle_events_total Throttled requests and unprocessed batch items, because "
      "a table or index had no capacity units left (--enforce-throughput).\n"
      "# TYPE tavola_throttle_events_total counter\n";
  out +=
      "tavola_throttle_events_total{kind=\"read\"} " + std::to_string(throttle_events(UnitKind::Read)) + "\n";
  out += "tavola_throttle_events_total{kind=\"write\"} " + std::to_string(throttle_events(UnitKind::Write)) +
         "\n";
}

bool EnforcedDatabase::is_metered(const std::string& table) {
  if (meters_.should_look(table)) {
    const auto described = database().describe_table({.table_name = table});
    if (!described) {
      meters_.forget(table);  // the request will be refused with the error
      return false;
    }
    meters_.learn(described->table);
  }
  return meters_.is_metered(table);
}

bool EnforcedDatabase::is_any_metered(const std::vector<Need>& needs) {
  bool any = false;
  std::string_view last;
  for (const Need& need : needs) {
    if (need.table == last) continue;
    last = need.table;
    any = is_metered(std::string(need.table)) || any;  // evaluates each
  }
  return any;
}

Error EnforcedDatabase::refused(const Throttled& throttled) {
  ++events_[std::to_underlying(throttled.kind)];
  return {throttled.is_on_demand ? ErrorCode::Throttling : ErrorCode::ProvisionedThroughputExceeded,
          message_of(throttled), std::make_shared<ThrottlingDetail>(std::vector<Throttled>{throttled})};
}

// ---- Tables ----

Result<CreateTableResponse> EnforcedDatabase::create_table(const CreateTableRequest& request) {
  TAVOLA_TRY(CreateTableResponse response, database().create_table(request));
  meters_.learn(response.table);
  return response;
}

Result<UpdateTableResponse> EnforcedDatabase::update_table(const UpdateTableRequest& request) {
  TAVOLA_TRY(UpdateTableResponse response, database().update_table(request));
  meters_.learn(response.table);
  return response;
}

Result<DeleteTableResponse> EnforcedDatabase::delete_table(const DeleteTableRequest& request) {
  TAVOLA_TRY(DeleteTableResponse response, database().delete_table(request));
  meters_.forget(request.table_name);
  return response;
}

// ---- One item, one page ----

template <class Request, class Call>
auto EnforcedDatabase::read(const Request& request, std::string_view index, Call call) {
  using Response = decltype(call(request));
  if (!is_metered(request.table_name)) return call(request);
  const Need need{request.table_name, UnitKind::Read, least_read_units(request.consistent_read), index};
  if (const auto throttled = meters_.admit(need)) return Response(fail(refused(*throttled)));
  Request asked = request;
  asked.return_consumed_capacity = ReturnConsumedCapacity::Indexes;
  Response response = call(asked);
  if (!response) {
    meters_.give_back(need);
    return response;
  }
  meters_.settle(need, response->consumed_capacity.value_or(ConsumedCapacity{}));
  response->consumed_capacity =
      shown(std::move(response->consumed_capacity), request.return_consumed_capacity);
  return response;
}

Result<GetItemResponse> EnforcedDatabase::get_item(const GetItemRequest& request) {
  return read(request, {}, [this](const GetItemRequest& asked) { return database().get_item(asked); });
}

Result<QueryResponse> EnforcedDatabase::query(const QueryRequest& request) {
  return read(request, request.index_name,
              [this](const QueryRequest& asked) { return database().query(asked); });
}

Result<ScanResponse> EnforcedDatabase::scan(const ScanRequest& request) {
  return read(request, request.index_name,
              [this](const ScanRequest& asked) { return database().scan(asked); });
}

template <class Request, class Call>
Result<WriteItemResponse> EnforcedDatabase::write(const Request& request, double units, Call call) {
  if (!is_metered(request.table_name)) return call(request);
  const Need need{request.table_name, UnitKind::Write, units};
  if (const auto throttled = meters_.admit(need)) return fail(refused(*throttled));
  Request asked = request;
  asked.return_consumed_capacity = ReturnConsumedCapacity::Indexes;
  // A write whose condition fails is charged by the size of the existing item ("Write operation consumption").
  const bool is_conditional = !request.condition_expression.empty();
  if (is_conditional) asked.on_condition_failure = ReturnValuesOnConditionCheckFailure::AllOld;
  Result<WriteItemResponse> response = call(asked);
  if (!response && response.error().code() == ErrorCode::ConditionalCheckFailed) {
    const auto* failure = response.error().template detail<ConditionFailure>();
    const double there = failure == nullptr ? 1 : least_write_units(failure->item);
    meters_.settle(need, {.table_units = std::max(units, there)});
    const bool shows_item = request.on_condition_failure == ReturnValuesOnConditionCheckFailure::AllOld;
    if (shows_item || !is_conditional) return response;
    return fail(Error(response.error().code(), response.error().message()));
  }
  if (!response) {
    meters_.give_back(need);
    return response;
  }
  meters_.settle(need, response->consumed_capacity.value_or(ConsumedCapacity{}));
  response->consumed_capacity =
      shown(std::move(response->consumed_capacity), request.return_consumed_capacity);
  return response;
}

Result<PutItemResponse> EnforcedDatabase::put_item(const PutItemRequest& request) {
  return write(request, least_write_units(request.item),
               [this](const PutItemRequest& asked) { return database().put_item(asked); });
}

Result<UpdateItemResponse> EnforcedDatabase::update_item(const UpdateItemRequest& request) {
  return write(request, 1, [this](const UpdateItemRequest& asked) { return database().update_item(asked); });
}

Result<DeleteItemResponse> EnforcedDatabase::delete_item(const DeleteItemRequest& request) {
  return write(request, 1, [this](const DeleteItemRequest& asked) { return database().delete_item(asked); });
}

// ---- Several items ----

EnforcedDatabase::Admission EnforcedDatabase::admit_each(const std::vector<Need>& needs) {
  Admission admission;
  for (const Need& need : needs) {
    const auto throttled = meters_.admit(need);
    admission.held.push_back(throttled.has_value());
    if (throttled) {
      admission.reasons.push_back(*throttled);
      continue;
    }
    const auto [taken, is_first] = admission.taken.try_emplace(std::string(need.table), need);
    if (!is_first) taken->second.units += need.units;
  }
  return admission;
}

Result<EnforcedDatabase::Taken> EnforcedDatabase::admit_all(const std::vector<Need>& needs) {
  Taken wanted;
  for (const Need& need : needs) {
    const auto [sum, is_first] = wanted.try_emplace(std::string(need.table), need);
    if (!is_first) sum->second.units += need.units;
  }
  Taken taken;
  for (const auto& [table, need] : wanted) {
    if (const auto throttled = meters_.admit(need)) {
      give_back(taken);
      ++events_[std::to_underlying(need.kind)];
      return fail(cancelled(needs, *throttled));
    }
    taken.emplace(table, need);
  }
  return taken;
}

void EnforcedDatabase::settle(const Taken& taken, const std::vector<ConsumedCapacity>& used) {
  for (const auto& [table, need] : taken) {
    const auto found = std::ranges::find(used, table, &ConsumedCapacity::table_name);
    if (found == used.end()) {
      meters_.give_back(need);
    } else if (need.kind == UnitKind::Write && found->read_units) {
      // A transaction that was done before: its token was only read.
      meters_.give_back(need);
      meters_.settle({need.table, UnitKind::Read}, *found);
    } else {
      meters_.settle(need, *found);
    }
  }
}

void EnforcedDatabase::give_back(const Taken& taken) { settle(taken, {}); }

// Performs the admitted items; fails only if there are none (API reference, BatchGetItem, BatchWriteItem).
template <class Request, class Table, class Items, class Call>
auto EnforcedDatabase::batch(const Request& request, const std::vector<Need>& needs, Items Table::* items,
                             Call call) {
  using Response = decltype(call(request, BatchParts<Table>()));
  Admission admission = admit_each(needs);
  const std::size_t held = admission.reasons.size();
  const std::size_t most =
      std::is_same_v<Table, TableWrites> ? limits::kBatchWritesMax : limits::kBatchGetKeysMax;
  if (held == needs.size() || (held > 0 && !may_be_divided(request.tables, items, most))) {
    give_back(admission.taken);
    return Response(fail(refused(admission.reasons.front())));
  }
  for (const Throttled& reason : admission.reasons) ++events_[std::to_underlying(reason.kind)];
  Request now = request;
  now.return_consumed_capacity = ReturnConsumedCapacity::Indexes;
  BatchParts<Table> parts;
  if (held > 0) {
    parts = divide(request.tables, items, admission.held);
    now.tables = parts.now;
  }
  Response response = call(now, std::move(parts));
  if (!response) {
    give_back(admission.taken);
    return response;
  }
  settle(admission.taken, response->consumed_capacity);
  response->consumed_capacity = shown(response->consumed_capacity, request.return_consumed_capacity);
  return response;
}

Result<BatchGetItemResponse> EnforcedDatabase::batch_get_item(const BatchGetItemRequest& request) {
  std::vector<Need> needs;
  for (const KeysToGet& table : request.tables) {
    const Need need{table.table_name, UnitKind::Read, least_read_units(table.consistent_read)};
    needs.insert(needs.end(), table.keys.size(), need);
  }
  if (needs.empty() || !is_any_metered(needs)) return database().batch_get_item(request);
  return batch(
      request, needs, &KeysToGet::keys,
      [&](const BatchGetItemRequest& now, BatchParts<KeysToGet> parts) -> Result<BatchGetItemResponse> {
        TAVOLA_TRY(BatchGetItemResponse response, database().batch_get_item(now));
        if (!parts.later.empty()) put_into_order(request, std::move(parts), response);
        return response;
      });
}

Result<BatchWriteItemResponse> EnforcedDatabase::batch_write_item(const BatchWriteItemRequest& request) {
  std::vector<Need> needs;
  for (const TableWrites& table : request.tables) {
    for (const BatchWrite& one : table.writes) {
      const double units = one.kind == BatchWrite::Kind::Put ? least_write_units(one.item) : 1;
      needs.push_back({table.table_name, UnitKind::Write, units});
    }
  }
  if (needs.empty() || !is_any_metered(needs)) return database().batch_write_item(request);
  return batch(
      request, needs, &TableWrites::writes,
      [&](const BatchWriteItemRequest& now, BatchParts<TableWrites> parts) -> Result<BatchWriteItemResponse> {
        TAVOLA_TRY(BatchWriteItemResponse response, database().batch_write_item(now));
        add_unprocessed(response, std::move(parts.later));
        return response;
      });
}

Result<TransactGetItemsResponse> EnforcedDatabase::transact_get_items(
    const TransactGetItemsRequest& request) {
  std::vector<Need> needs;
  needs.reserve(request.gets.size());
  for (const GetItemRequest& get : request.gets) {
    needs.push_back({get.table_name, UnitKind::Read, kTransactionFactor});
  }
  if (needs.empty() || !is_any_metered(needs)) return database().transact_get_items(request);
  TAVOLA_TRY(const Taken taken, admit_all(needs));
  TransactGetItemsRequest asked = request;
  asked.return_consumed_capacity = ReturnConsumedCapacity::Indexes;
  Result<TransactGetItemsResponse> response = database().transact_get_items(asked);
  if (!response) {
    give_back(taken);
    return response;
  }
  settle(taken, response->consumed_capacity);
  response->consumed_capacity = shown(response->consumed_capacity, request.return_consumed_capacity);
  return response;
}

Result<TransactWriteItemsResponse> EnforcedDatabase::transact_write_items(
    const TransactWriteItemsRequest& request) {
  std::vector<Need> needs;
  needs.reserve(request.actions.size());
  for (const TransactWrite& action : request.actions) {
    needs.push_back({table_of(action), UnitKind::Write, least_units(action)});
  }
  if (needs.empty() || !is_any_metered(needs)) return database().transact_write_items(request);
  TAVOLA_TRY(const Taken taken, admit_all(needs));
  TransactWriteItemsRequest asked = request;
  asked.return_consumed_capacity = ReturnConsumedCapacity::Indexes;
  Result<TransactWriteItemsResponse> response = database().transact_write_items(asked);
  if (!response) {
    if (!failed_by_condition(response.error())) give_back(taken);
    return response;
  }
  settle(taken, response->consumed_capacity);
  response->consumed_capacity = shown(response->consumed_capacity, request.return_consumed_capacity);
  return response;
}

}  // namespace tavola::server
