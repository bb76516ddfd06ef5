#include "engine/transactions.h"

#include <algorithm>
#include <set>

#include "engine/key_checks.h"
#include "engine/keys.h"
#include "engine/messages.h"
#include "engine/parameters.h"
#include "engine/request_token.h"
#include "engine/several_writes.h"
#include "engine/write.h"
#include "value/limits.h"

namespace tavola::engine {
namespace {

// A transaction reads or writes everything twice: once to prepare, once to commit (Developer Guide, "Capacity
// management for transactions").
constexpr double kTransactionFactor = 2;

// ---- Reasons ----

bool is_reason(const Error& error) {
  return error.code() == ErrorCode::Validation || error.code() == ErrorCode::ConditionalCheckFailed ||
         error.code() == ErrorCode::ItemCollectionSizeLimitExceeded;
}

CancellationReason reason_of(const Error& error) {
  CancellationReason reason{.message = error.message()};
  switch (error.code()) {
    case ErrorCode::ConditionalCheckFailed:
      reason.code = "ConditionalCheckFailed";
      break;
    case ErrorCode::ItemCollectionSizeLimitExceeded:
      reason.code = "ItemCollectionSizeLimitExceeded";
      break;
    default:
      reason.code = "ValidationError";
  }
  if (const auto* failure = error.detail<ConditionFailure>()) reason.item = failure->item;
  return reason;
}

// The reasons of all actions. Empty as long as nothing went wrong.
class Reasons {
 public:
  explicit Reasons(std::size_t actions) : reasons_(actions) {}

  // Keeps what concerns one action; returns what concerns the whole request.
  Result<void> add(std::size_t action, const Error& error) {
    if (!is_reason(error)) return fail(error);
    reasons_[action] = reason_of(error);
    any_ = true;
    return {};
  }
  void add(std::size_t action, CancellationReason reason) {
    reasons_[action] = std::move(reason);
    any_ = true;
  }
  Result<void> check() const {
    if (!any_) return {};
    return fail(transaction_cancelled(reasons_));
  }

 private:
  std::vector<CancellationReason> reasons_;
  bool any_ = false;
};

Result<void> check_count(std::size_t actions) {
  if (actions == 0) {
    return fail(
        Error::validation("1 validation error detected: Value '[]' at 'transactItems' failed to satisfy constraint: "
                          "Member must have length greater than or equal to 1"));
  }
  if (actions > limits::kTransactionActionsMax) {
    return fail(
        Error::validation("1 validation error detected: Value at 'TransactItems' failed to satisfy constraint: "
                          "Member must have length less than or equal to 100"));
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

// An empty key attribute is refused with the request as a whole; other faults of a key cancel (seen on AWS).
bool has_empty_key(const KeyShape& shape, const ItemView& item) {
  const auto is_empty = [&item](const KeyAttribute& attribute) {
    const auto value = item.find(attribute.name);
    return value && value->type() == attribute.type && attribute.type != Type::Number &&
           value->ordered_bytes().empty();
  };
  return std::ranges::any_of(shape.hash, is_empty) || std::ranges::any_of(shape.range, is_empty);
}

bool has_empty_key(const TableSchema& table, const ItemView& item) {
  return has_empty_key(table.key, item) || std::ranges::any_of(table.indexes, [&item](const IndexSchema& index) {
           return has_empty_key(index.key, item);
         });
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

Result<WriteParameters> compile(const TransactWrite& action) {
  if (const auto* check = std::get_if<ConditionCheck>(&action)) {
    expr::Compiler compiler(check->names, check->values.view());
    TAVOLA_CHECK(compiler.check_placeholders());
    WriteParameters parameters;
    TAVOLA_TRY(parameters.condition, compiler.condition(check->condition_expression));
    TAVOLA_CHECK(compiler.check_all_used());
    return parameters;
  }
  if (const auto* put = std::get_if<PutItemRequest>(&action)) {
    TAVOLA_CHECK(check_item_size(put->item.view()));
    return compile_parameters(*put);
  }
  if (const auto* remove = std::get_if<DeleteItemRequest>(&action)) return compile_parameters(*remove);
  return compile_parameters(std::get<UpdateItemRequest>(action));
}

class WriteTransaction {
 public:
  WriteTransaction(store::Store& store, const TransactWriteItemsRequest& request, WallTime now)
      : store_(store), request_(request), now_(now) {}

  Result<void> compile_all() {
    TAVOLA_CHECK(check_count(request_.actions.size()));
    if (request_.client_request_token.size() > limits::kRequestTokenBytesMax) {
      return fail(Error::validation("1 validation error detected: Value '" + request_.client_request_token +
                                    "' at 'clientRequestToken' failed to satisfy constraint: Member must have length "
                                    "less than or equal to 36"));
    }
    for (const TransactWrite& action : request_.actions) {
      TAVOLA_TRY(WriteParameters parameters, compile(action));
      parameters_.push_back(std::move(parameters));
    }
    return {};
  }

  Result<TransactWriteItemsResponse> run(const Schemas& tables) {
    TAVOLA_CHECK(prepare_all(tables));
    std::vector<std::string> keys;
    for (const ItemWrite& write : writes_) keys.push_back(write.key);
    TAVOLA_CHECK(check_distinct({keys.begin(), keys.end()}));
    const bool has_token = !request_.client_request_token.empty();
    if (has_token) keys.push_back(token_key(request_.client_request_token));
    const auto rule = [&](const store::View& view) { return decide(view, has_token); };
    const TableGuards guards(tables);
    auto done = store_.transact(keys, guards.guards(), rule, store::Contention::Refuse);
    if (!done) return fail(conflict_or(done.error()));
    return response();
  }

 private:
  Result<void> prepare_all(const Schemas& tables) {
    writes_.clear();
    Reasons reasons(request_.actions.size());
    for (std::size_t i = 0; i < request_.actions.size(); ++i) {
      const TableSchema& table = *tables.at(table_of(request_.actions[i]));
      auto write = std::visit([&](const auto& action) { return prepare(table, action, parameters_[i]); },
                              request_.actions[i]);
      if (write) {
        writes_.push_back(*std::move(write));
        continue;
      }
      if (has_empty_key(table, target_of(request_.actions[i]))) return fail(write.error());
      TAVOLA_CHECK(reasons.add(i, write.error()));
    }
    return reasons.check();
  }

  // Pure: called again, it starts anew.
  Result<store::Decision> decide(const store::View& view, bool has_token) {
    units_ = UnitsByTable();
    replayed_ = false;
    if (has_token) {
      TAVOLA_TRY(replayed_, was_done(view[writes_.size()]));
      if (replayed_) return replay(view);
    }
    store::Decision decision;
    Reasons reasons(writes_.size());
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < writes_.size(); ++i) {
      const auto written = plan(writes_[i], view[i], decision.writes);
      if (!written) {
        TAVOLA_CHECK(reasons.add(i, written.error()));
        continue;
      }
      units_.add(writes_[i].table, written->units);
      bytes += written->after ? item_size(written->after->view()) : 0;
    }
    TAVOLA_CHECK(reasons.check());
    if (bytes > limits::kTransactionBytesMax) return fail(transaction_too_large());
    if (has_token) {
      const TokenRecord record{fingerprint_of(request_), now_};
      decision.writes.push_back(
          store::Write::put(token_key(request_.client_request_token), encode_token(record)));
    }
    return decision;
  }

  Result<bool> was_done(const std::optional<std::string_view>& stored) const {
    if (!stored) return false;
    TAVOLA_TRY(const TokenRecord record, decode_token(*stored));
    if (now_ - record.done_at >= kTokenLifetime) return false;
    if (record.fingerprint != fingerprint_of(request_)) return fail(token_used_differently());
    return true;
  }

  // A repeated request reads what it wrote the first time, and costs that.
  store::Decision replay(const store::View& view) {
    for (std::size_t i = 0; i < writes_.size(); ++i) {
      UsedUnits used(writes_[i].table);
      used.table = read_units(view[i] ? item_size(ItemView(*view[i])) : 0, ReadConsistency::Strong);
      units_.add(writes_[i].table, used);
    }
    return {};
  }

  Error conflict_or(const Error& error) const {
    const auto* conflict = error.detail<store::Conflict>();
    if (error.code() != ErrorCode::TransactionConflict || conflict == nullptr) return error;
    if (conflict->key >= writes_.size()) return transaction_in_progress();
    std::vector<CancellationReason> reasons(writes_.size());
    reasons[conflict->key] = {.code = "TransactionConflict", .message = "Transaction is ongoing for the item"};
    return transaction_cancelled(std::move(reasons));
  }

  TransactWriteItemsResponse response() const {
    TransactWriteItemsResponse response;
    response.consumed_capacity = units_.consumed(request_.return_consumed_capacity, kTransactionFactor);
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
  const WallTime now_;
  std::vector<WriteParameters> parameters_;  // complete before writes_ borrow from it
  std::vector<ItemWrite> writes_;
  UnitsByTable units_;
  bool replayed_ = false;
};

template <class Actions, class Name>
std::vector<std::string> table_names(const Actions& actions, Name name) {
  std::set<std::string> names;
  for (const auto& action : actions) names.insert(name(action));
  return {names.begin(), names.end()};
}

// ---- TransactGetItems ----

Result<std::vector<std::string>> check_gets(const Schemas& tables, const TransactGetItemsRequest& request,
                                            const std::vector<expr::Projection>& projections) {
  std::vector<std::string> keys;
  Reasons reasons(request.gets.size());
  for (std::size_t i = 0; i < request.gets.size(); ++i) {
    const TableSchema& table = *tables.at(request.gets[i].table_name);
    const ItemView key = request.gets[i].key.view();
    Result<void> checked = check_key(table.key, key);
    if (checked) checked = check_nested_paths(table, projections[i].nested_attributes());
    if (checked) {
      keys.push_back(item_key(table, key));
      continue;
    }
    if (has_empty_key(table.key, key)) return fail(checked.error());
    TAVOLA_CHECK(reasons.add(i, checked.error()));
  }
  TAVOLA_CHECK(reasons.check());
  TAVOLA_CHECK(check_distinct({keys.begin(), keys.end()}));
  return keys;
}

Result<TransactGetItemsResponse> get_all(const store::Store& store, const Schemas& tables,
                                         const TransactGetItemsRequest& request,
                                         const std::vector<expr::Projection>& projections) {
  TAVOLA_TRY(const std::vector<std::string> keys, check_gets(tables, request, projections));
  TransactGetItemsResponse response;
  UnitsByTable units;
  std::size_t bytes = 0;
  const auto snapshot = store.snapshot();
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const TableSchema& table = *tables.at(request.gets[i].table_name);
    TAVOLA_TRY(std::optional<std::string> stored, snapshot->get(keys[i]));
    const std::size_t size = stored ? item_size(ItemView(*stored)) : 0;
    bytes += size;
    if (bytes > limits::kTransactionBytesMax) return fail(transaction_too_large());
    UsedUnits used(table);
    used.table = read_units(size, ReadConsistency::Strong);
    units.add(table, used);
    std::optional<PackedItem>& item = response.items.emplace_back();
    if (stored) {
      item = projections[i].empty() ? PackedItem(*std::move(stored)) : projections[i].apply(ItemView(*stored));
    }
  }
  response.consumed_capacity = units.consumed(request.return_consumed_capacity, kTransactionFactor);
  for (ConsumedCapacity& capacity : response.consumed_capacity) capacity.read_units = capacity.units;
  return response;
}

}  // namespace

Result<TransactWriteItemsResponse> transact_write(store::Store& store, Catalog& catalog, const Clock& clock,
                                                  const TransactWriteItemsRequest& request) {
  WriteTransaction transaction(store, request, clock.now());
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

Result<void> forget_old_tokens(store::Store& store, WallTime now) {
  const auto snapshot = store.snapshot();
  const auto cursor = snapshot->range(all_tokens(), store::Direction::Forward);
  for (; cursor->valid(); cursor->next()) {
    const std::string keys[] = {std::string(cursor->key())};
    TAVOLA_TRY(const TokenRecord record, decode_token(cursor->value()));
    if (now - record.done_at < kTokenLifetime) continue;
    const auto rule = [&](const store::View& view) -> Result<store::Decision> {
      store::Decision decision;
      // A newer request may use the token again meanwhile.
      if (view[0] == cursor->value()) decision.writes.push_back(store::Write::erase(keys[0]));
      return decision;
    };
    TAVOLA_CHECK(store.transact(keys, {}, rule));
  }
  return cursor->status();
}

}  // namespace tavola::engine
