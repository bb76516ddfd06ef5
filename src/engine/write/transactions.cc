#include "engine/write/transactions.h"

#include <algorithm>
#include <span>
#include <type_traits>

#include "database/capacity.h"
#include "database/constraints.h"
#include "database/messages.h"
#include "engine/checks/compiled_request.h"
#include "engine/checks/key_checks.h"
#include "engine/checks/messages.h"
#include "engine/records/keys.h"
#include "engine/records/request_token.h"
#include "engine/write/request_totals.h"
#include "engine/write/request_writes.h"
#include "value/limits.h"

namespace tavola::engine {
namespace {

// ---- Reasons ----

// Returns whether an error is about one action, and so a reason to cancel, or about the request.
bool is_reason(const Error& error) {
  if (error.detail<KeyValueRefused>() != nullptr) return false;
  return error.code() == ErrorCode::Validation || error.code() == ErrorCode::ConditionalCheckFailed ||
         error.code() == ErrorCode::ItemCollectionSizeLimitExceeded ||
         error.code() == ErrorCode::TransactionConflict;
}

CancellationReason reason_of(const Error& error) {
  CancellationReason reason{.message = error.message(), .detail = error.detail()};
  switch (error.code()) {
    case ErrorCode::ConditionalCheckFailed:
      reason.code = "ConditionalCheckFailed";
      break;
    case ErrorCode::ItemCollectionSizeLimitExceeded:
      reason.code = "ItemCollectionSizeLimitExceeded";
      break;
    case ErrorCode::TransactionConflict:
      reason.code = "TransactionConflict";
      break;
    default:
      reason.code = "ValidationError";
  }
  if (const auto* failure = error.detail<ConditionFailure>()) {
    reason.item = failure->item;
    reason.detail = failure->cause;
  }
  return reason;
}

// The transaction as a whole fails because one of its actions does.
Error cancelled_by(std::size_t action, std::size_t actions, const Error& error) {
  if (!is_reason(error)) return error;
  std::vector<CancellationReason> reasons(actions);
  reasons[action] = reason_of(error);
  return transaction_cancelled(std::move(reasons));
}

// The transaction fails because some of its writes do: with a reason for each of these, or with the first error that cannot be a reason.
Error cancelled_by(std::span<const Result<WrittenItem>> outcomes) {
  std::vector<CancellationReason> reasons(outcomes.size());
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    if (outcomes[i]) continue;
    if (!is_reason(outcomes[i].error())) return outcomes[i].error();
    reasons[i] = reason_of(outcomes[i].error());
  }
  return transaction_cancelled(std::move(reasons));
}

Result<void> check_count(std::size_t actions) {
  if (actions == 0) {
    return fail(broken_constraint("[]", "transactItems", "have length greater than or equal to 1"));
  }
  if (actions > limits::kTransactionActionsMax) {
    return fail(broken_constraint("TransactItems", "have length less than or equal to 100"));
  }
  return {};
}

Result<void> check_distinct(std::vector<std::string_view> keys) {
  std::ranges::sort(keys);
  if (std::ranges::adjacent_find(keys) != keys.end()) {
    return fail(Error::validation("Transaction request cannot include multiple operations on one item"));
  }
  return {};
}

// ---- TransactWriteItems ----

const std::string& table_of(const TransactWrite& action) {
  return std::visit([](const auto& request) -> const std::string& { return request.table_name; }, action);
}

ItemView target_of(const TransactWrite& action) {
  struct Target {
    ItemView operator()(const PutItemRequest& request) const { return request.item.view(); }
    ItemView operator()(const DeleteItemRequest& request) const { return request.key.view(); }
    ItemView operator()(const UpdateItemRequest& request) const { return request.key.view(); }
    ItemView operator()(const ConditionCheck& request) const { return request.key.view(); }
  };
  return std::visit(Target{}, action);
}

// Fails if an action has other parameters than expressions, because the fingerprint of a token covers only these.
template <class Request>
Result<void> check_has_expressions_only(const Request& request) {
  bool older = request.expected || request.conditional_operator;
  if constexpr (requires { request.attribute_updates; }) older = older || request.attribute_updates;
  if (older || request.return_values != ReturnValues::None) {
    return fail(
        invalid_parameter("An action of a transaction takes expressions only, and returns no values"));
  }
  return {};
}

Result<WriteParameters> compile(const ConditionCheck& check) {
  expr::Compiler compiler(check.names, check.values.view());
  TAVOLA_CHECK(compiler.check_placeholders());
  WriteParameters parameters;
  TAVOLA_TRY(parameters.condition, compiler.condition(check.condition_expression));
  TAVOLA_CHECK(compiler.check_all_used());
  return parameters;
}

template <class Request>
Result<WriteParameters> compile(const Request& request) {
  TAVOLA_CHECK(check_has_expressions_only(request));
  TAVOLA_TRY(WriteParameters parameters, compile_parameters(request));
  if constexpr (std::is_same_v<Request, PutItemRequest>) {
    TAVOLA_CHECK(check_item_size(request.item.view()));
  }
  return parameters;
}

class WriteTransaction {
 public:
  WriteTransaction(store::Store& store, const TransactWriteItemsRequest& request, const WriteContext& context)
      : store_(store), request_(request), context_(context), now_(context.now) {}

  Result<void> compile_all() {
    TAVOLA_CHECK(check_count(request_.actions.size()));
    TAVOLA_CHECK(check_token());
    std::size_t bytes = 0;
    for (const TransactWrite& action : request_.actions) {
      TAVOLA_TRY(WriteParameters parameters,
                 std::visit([](const auto& request) { return compile(request); }, action));
      parameters_.push_back(std::move(parameters));
      bytes += item_size(target_of(action)) +
               std::visit([](const auto& request) { return item_size(request.values.view()); }, action);
    }
    // The limit is on what is sent: large items may well be deleted or updated together.
    if (bytes > limits::kTransactionBytesMax) return fail(transaction_too_large());
    if (has_token()) fingerprint_ = fingerprint_of(request_);
    return {};
  }

  Result<TransactWriteItemsResponse> run(const Schemas& tables) {
    TAVOLA_CHECK(prepare_all(tables));
    std::vector<std::string_view> keys;
    keys.reserve(writes_.size());
    for (const ItemWrite& write : writes_) keys.push_back(write.key);
    TAVOLA_CHECK(check_distinct(std::move(keys)));
    units_ = UnitsByTable();
    replayed_ = false;
    TAVOLA_CHECK(write_all(tables));
    return response();
  }

 private:
  bool has_token() const { return !request_.client_request_token.empty(); }

  Result<void> check_token() const {
    if (request_.client_request_token.size() <= limits::kRequestTokenBytesMax) return {};
    return fail(broken_constraint(request_.client_request_token, "clientRequestToken",
                                  "have length less than or equal to 36"));
  }

  Result<void> prepare_all(const Schemas& tables) {
    writes_.clear();
    for (std::size_t i = 0; i < request_.actions.size(); ++i) {
      const TableSchema& table = *tables.at(table_of(request_.actions[i]));
      auto write = std::visit([&](const auto& action) { return prepare(table, action, parameters_[i]); },
                              request_.actions[i]);
      if (!write) return fail(cancelled_by(i, request_.actions.size(), write.error()));
      TAVOLA_CHECK(look_up_collection(store_, *write));
      writes_.push_back(*std::move(write));
    }
    return {};
  }

  // A token is locked and read alone before the items are locked with it. So a second request with the same token meets the first
  // one there, and gets TransactionInProgress instead of a conflict on an item.
  Result<void> write_all(const Schemas& tables) {
    RequestSteps steps{.failure = [](const auto& outcomes) { return cancelled_by(outcomes); }};
    if (has_token()) {
      steps.first_key = token_key(request_.client_request_token);
      steps.is_done = [this](const std::optional<std::string_view>& stored) -> Result<bool> {
        TAVOLA_TRY(replayed_, was_done(stored));
        return replayed_;
      };
      steps.also = [this](const auto&, std::vector<store::Write>& writes) {
        writes.push_back(
            store::Write::put(token_key(request_.client_request_token), encode_token({fingerprint_, now_})));
      };
    }
    // Clients know nothing of the items that change with theirs, so nobody is refused because of one: they wait for it.
    const bool any_rules =
        std::ranges::any_of(tables, [](const auto& table) { return table.second->rules != nullptr; });
    if (!any_rules) steps.contention = store::Contention::Refuse;
    RequestWrites together(writes_, context_, steps);
    if (const Result<void> done = together.run(store_); !done) return fail(conflict_or(done.error()));
    if (replayed_) return count_replay();
    for (std::size_t i = 0; i < writes_.size(); ++i) units_.add(writes_[i].table, together.written(i).units);
    return {};
  }

  Result<bool> was_done(const std::optional<std::string_view>& stored) const {
    if (!stored) return false;
    TAVOLA_TRY(const TokenRecord record, decode_token(*stored));
    if (now_ - record.done_at >= kTokenLifetime) return false;
    if (record.fingerprint != fingerprint_) return fail(token_used_differently());
    return true;
  }

  // A repeated request reads what it wrote the first time, and costs that.
  Result<void> count_replay() {
    for (const ItemWrite& write : writes_) {
      TAVOLA_TRY(const std::optional<std::string> stored, store_.get(write.key));
      UsedUnits used(write.table);
      used.table = read_units(stored ? item_size(ItemView(*stored)) : 0, ReadConsistency::Strong);
      units_.add(write.table, used);
    }
    return {};
  }

  Error conflict_or(const Error& error) const {
    const auto* conflict = error.detail<store::Conflict>();
    if (error.code() != ErrorCode::TransactionConflict || conflict == nullptr) return error;
    if (has_token() && conflict->key == 0) return transaction_in_progress();
    std::vector<CancellationReason> reasons(writes_.size());
    // A failure of another item, which changes with one of these, is reported for the last: the cause is unknown.
    const std::size_t position = conflict->key - (has_token() ? 1 : 0);
    reasons[std::min(position, writes_.size() - 1)] = {.code = "TransactionConflict",
                                                       .message = kTransactionOngoing};
    return transaction_cancelled(std::move(reasons));
  }

  TransactWriteItemsResponse response() const {
    TransactWriteItemsResponse response;
    response.consumed_capacity = units_.consumed(replayed_ ? CapacityKind::Read : CapacityKind::Write,
                                                 request_.return_consumed_capacity, kTransactionFactor);
    for (ConsumedCapacity& capacity : response.consumed_capacity) {
      (replayed_ ? capacity.read_units : capacity.write_units) = capacity.units;
    }
    if (request_.return_item_collection_metrics == ReturnItemCollectionMetrics::Size) {
      std::vector<std::pair<const TableSchema*, ItemView>> written;
      for (std::size_t i = 0; i < writes_.size(); ++i) {
        if (writes_[i].change) written.emplace_back(&writes_[i].table, target_of(request_.actions[i]));
      }
      response.item_collection_metrics = metrics_of(store_, written);
    }
    return response;
  }

  store::Store& store_;
  const TransactWriteItemsRequest& request_;
  const WriteContext& context_;
  const WallTime now_;
  std::string fingerprint_;                  // with a token
  std::vector<WriteParameters> parameters_;  // complete before writes_ borrow from it
  std::vector<ItemWrite> writes_;            // borrow from the tables of one run()
  UnitsByTable units_;
  bool replayed_ = false;
};

// Each table once, in the order of the request.
template <class Actions, class Name>
std::vector<std::string> table_names(const Actions& actions, Name name) {
  std::vector<std::string> names;
  for (const auto& action : actions) {
    if (std::ranges::find(names, name(action)) == names.end()) names.push_back(name(action));
  }
  return names;
}

// ---- TransactGetItems ----

Result<std::vector<std::string>> check_gets(const Schemas& tables, const TransactGetItemsRequest& request,
                                            const std::vector<expr::Projection>& projections) {
  std::vector<std::string> keys;
  for (std::size_t i = 0; i < request.gets.size(); ++i) {
    const TableSchema& table = *tables.at(request.gets[i].table_name);
    const ItemView key = request.gets[i].key.view();
    Result<void> checked = check_key(table.key, key);
    if (checked) checked = check_nested_paths(table, projections[i].nested_attributes());
    if (!checked) return fail(cancelled_by(i, request.gets.size(), checked.error()));
    keys.push_back(item_key(table, key));
  }
  TAVOLA_CHECK(check_distinct({keys.begin(), keys.end()}));
  return keys;
}

// Nullopt for an item that the projection leaves empty: unlike for GetItem, AWS leaves it out here.
std::optional<PackedItem> projected(std::optional<std::string> stored, const expr::Projection& projection) {
  if (!stored) return std::nullopt;
  if (projection.empty()) return PackedItem(*std::move(stored));
  PackedItem item = projection.apply(ItemView(*stored));
  return item.empty() ? std::nullopt : std::optional(std::move(item));
}

Result<TransactGetItemsResponse> get_all(const store::Store& store, const Schemas& tables,
                                         const TransactGetItemsRequest& request,
                                         const std::vector<expr::Projection>& projections) {
  TAVOLA_TRY(const std::vector<std::string> keys, check_gets(tables, request, projections));
  TransactGetItemsResponse response;
  UnitsByTable units;
  std::size_t bytes = 0;
  const auto snapshot = store.snapshot_for_answer();
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const TableSchema& table = *tables.at(request.gets[i].table_name);
    TAVOLA_TRY(std::optional<std::string> stored, snapshot->get(keys[i]));
    const std::size_t size = stored ? item_size(ItemView(*stored)) : 0;
    bytes += size;
    if (bytes > limits::kTransactionBytesMax) return fail(transaction_reads_too_much());
    UsedUnits used(table);
    used.table = read_units(size, ReadConsistency::Strong);
    units.add(table, used);
    response.items.push_back(projected(std::move(stored), projections[i]));
  }
  response.consumed_capacity =
      units.consumed(CapacityKind::Read, request.return_consumed_capacity, kTransactionFactor);
  for (ConsumedCapacity& capacity : response.consumed_capacity) capacity.read_units = capacity.units;
  return response;
}

}  // namespace

Result<TransactWriteItemsResponse> transact_write(store::Store& store, Catalog& catalog,
                                                  const WriteContext& context,
                                                  const TransactWriteItemsRequest& request) {
  WriteTransaction transaction(store, request, context);
  TAVOLA_CHECK(transaction.compile_all());
  return catalog.for_write(table_names(request.actions, table_of),
                           [&](const Schemas& tables) { return transaction.run(tables); });
}

Result<TransactGetItemsResponse> transact_get(const store::Store& store, Catalog& catalog,
                                              const TransactGetItemsRequest& request) {
  TAVOLA_CHECK(check_count(request.gets.size()));
  std::vector<expr::Projection> projections;
  for (const GetItemRequest& get : request.gets) {
    TAVOLA_TRY(expr::Projection projection, compile_parameters(get));
    projections.push_back(std::move(projection));
  }
  const auto name = [](const GetItemRequest& get) -> const std::string& { return get.table_name; };
  return catalog.for_read(table_names(request.gets, name), [&](const Schemas& tables) {
    return get_all(store, tables, request, projections);
  });
}

Result<void> forget_old_tokens(store::Store& store, WallTime now, const std::stop_token& stop) {
  constexpr std::size_t kTokensPerTransaction = 100;
  const auto snapshot = store.snapshot();
  const auto cursor = snapshot->range(all_tokens(), store::Direction::Forward);
  std::vector<std::string> keys;
  std::vector<std::string> seen;
  const auto rule = [&](const store::View& view) -> Result<store::Decision> {
    store::Decision decision;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      // A newer request may use the token again by then.
      if (view[i] == seen[i]) decision.writes.push_back(store::Write::erase(keys[i]));
    }
    return decision;
  };
  while (cursor->valid() && !stop.stop_requested()) {
    keys.clear();
    seen.clear();
    for (; cursor->valid() && keys.size() < kTokensPerTransaction; cursor->next()) {
      TAVOLA_TRY(const TokenRecord record, decode_token(cursor->value()));
      if (now - record.done_at < kTokenLifetime) continue;
      keys.emplace_back(cursor->key());
      seen.emplace_back(cursor->value());
    }
    TAVOLA_CHECK(store.transact(keys, {}, rule));
  }
  return cursor->status();
}

}  // namespace tavola::engine
