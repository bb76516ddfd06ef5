// Batches and transactions: the combined results of their parts in the model.
#include <algorithm>
#include <iterator>
#include <set>
#include <sstream>

#include "tests/model/history.h"

namespace tavola::model {
namespace {

constexpr std::size_t kActionsMax = 6;
constexpr std::size_t kBatchWritesMax = 12;
constexpr std::size_t kGetsMax = 10;

// One action of a request on several items, in the model.
struct Part {
  std::string table{};
  WriteOutcome outcome{};
};

bool is_too_large(const Refusal& refusal) {
  return refusal.message == "Item size has exceeded the maximum allowed size" && !refusal.with_entries;
}

// Returns whether the request and the table alone show it, before any item is read.
bool is_seen_early(const Refusal& refusal) {
  return refusal.with_entries || refusal.message.find("Type mismatch for Index Key") != std::string::npos ||
         refusal.message.find("A value specified for a secondary index key") != std::string::npos;
}

// Returns whether it refuses the request as a whole, also within a transaction.
bool is_of_request(const Refusal& refusal) {
  return is_too_large(refusal) || refusal.message.find("cannot contain an empty") != std::string::npos;
}

void keep_if(std::vector<Refusal>& refusals, bool (*wanted)(const Refusal&)) {
  std::erase_if(refusals, [wanted](const Refusal& refusal) { return !wanted(refusal); });
}

// The failure of a transaction; neither: it succeeds.
struct Failure {
  std::vector<Refusal> of_request{};
  std::vector<std::vector<Refusal>> reasons{};  // for each action; none: it was not at fault

  bool expected() const {
    return !of_request.empty() || std::ranges::any_of(reasons, [](const auto& one) { return !one.empty(); });
  }
};

void add_refusals(Failure& failure, std::size_t action, const std::vector<Refusal>& refusals) {
  for (const Refusal& refusal : refusals) {
    (is_of_request(refusal) ? failure.of_request : failure.reasons[action]).push_back(refusal);
  }
}

// Sizes come first, then the first action that does not fit its table alone, then the refusals of all items.
Failure failure_of(const std::vector<Part>& parts) {
  Failure failure{.reasons = std::vector<std::vector<Refusal>>(parts.size())};
  for (const Part& part : parts) {
    if (!std::ranges::any_of(part.outcome.refusals, is_too_large)) continue;
    failure.of_request = part.outcome.refusals;
    keep_if(failure.of_request, is_too_large);
    return failure;
  }
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (!std::ranges::any_of(parts[i].outcome.refusals, is_seen_early)) continue;
    add_refusals(failure, i, parts[i].outcome.refusals);
    return failure;
  }
  for (std::size_t i = 0; i < parts.size(); ++i) add_refusals(failure, i, parts[i].outcome.refusals);
  return failure;
}

Verdict check_reason(const CancellationReason& actual, const std::vector<Refusal>& expected,
                     const std::optional<Item>& failed_on) {
  if (actual.code == "None") {
    if (expected.empty()) return std::nullopt;
    return "no reason, expected \"" + expected[0].message + "\"";
  }
  const ErrorCode code =
      actual.code == "ConditionalCheckFailed" ? ErrorCode::ConditionalCheckFailed : ErrorCode::Validation;
  if (auto wrong = check_refusal(expected, Error(code, actual.message))) return wrong;
  return check_item("the reason's item", failed_on, actual.item);
}

Verdict check_failure(const Failure& expected, const std::vector<Part>& parts, const Error& error) {
  if (error.code() != ErrorCode::TransactionCanceled) return check_refusal(expected.of_request, error);
  const auto* cancellation = error.detail<TransactionCancellation>();
  if (cancellation == nullptr || cancellation->reasons.size() != parts.size())
    return "not a reason for each action";
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto failed_on = expected.reasons[i].empty() ? std::nullopt : parts[i].outcome.failed_on;
    if (auto wrong = check_reason(cancellation->reasons[i], expected.reasons[i], failed_on)) {
      return "action " + std::to_string(i) + ": " + *wrong;
    }
  }
  return std::nullopt;
}

// Returns the units of each table, `factor` times.
std::map<std::string, Units> units_by_table(const std::vector<Part>& parts, double factor) {
  std::map<std::string, Units> sums;
  for (const Part& part : parts) {
    Units& sum = sums[part.table];
    sum.table += factor * part.outcome.units.table;
    for (const auto& [name, units] : part.outcome.units.indexes) sum.indexes[name] += factor * units;
  }
  return sums;
}

Verdict check_capacity(const std::map<std::string, ModelTable>& tables,
                       const std::map<std::string, Units>& expected, ReturnConsumedCapacity asked,
                       const std::vector<ConsumedCapacity>& actual) {
  if (asked == ReturnConsumedCapacity::None) {
    return actual.empty() ? std::nullopt : Verdict("ConsumedCapacity, though it was not asked for");
  }
  if (actual.size() != expected.size()) return "the ConsumedCapacity of another number of tables";
  for (const ConsumedCapacity& one : actual) {
    const auto found = expected.find(one.table_name);
    if (found == expected.end()) return "ConsumedCapacity of " + one.table_name;
    if (auto wrong = check_units(tables.at(one.table_name), found->second, asked, one)) return wrong;
  }
  return std::nullopt;
}

struct DescribeAction {
  std::string operator()(const ConditionCheck& action) const {
    return describe(UpdateItemRequest{.table_name = action.table_name,
                                      .key = action.key,
                                      .condition_expression = action.condition_expression,
                                      .names = action.names,
                                      .values = action.values}) +
           " (a check)";
  }
  std::string operator()(const auto& action) const { return describe(action); }
};

std::string describe(const TransactWriteItemsRequest& request) {
  std::string text = "TransactWriteItems of " + std::to_string(request.actions.size());
  for (const TransactWrite& action : request.actions)
    text += "\n    - " + std::visit(DescribeAction{}, action);
  return text;
}

std::string describe(const BatchWriteItemRequest& request) {
  std::string text = "BatchWriteItem";
  for (const TableWrites& table : request.tables) {
    for (const BatchWrite& write : table.writes) {
      text += std::string("\n      ") + (write.kind == BatchWrite::Kind::Put ? "put " : "delete ") +
              table.table_name + " " + to_json(write.item.unpack()).substr(0, 300);
    }
  }
  return text;
}

}  // namespace

// Chooses a table and a key of it that no other part of the request has.
ModelTable* History::choose_target(Tables& tables, std::set<std::string>& taken, Item& key) {
  auto table = tables.begin();
  std::advance(table, static_cast<std::ptrdiff_t>(random_.below(tables.size())));
  key = generator_.key(table->second);
  return taken.insert(table->first + to_json(key)).second ? &table->second : nullptr;
}

template <class Action>
void History::fill_action(Action& action, const ModelTable& table, const WriteTerms& terms,
                          Renderer& renderer) {
  action.table_name = table.name();
  if (terms.condition) action.condition_expression = renderer.condition(*terms.condition);
  action.names = renderer.names();
  action.values = packed(renderer.values());
  action.on_condition_failure = terms.on_failure;
}

// Adds an action to the request and performs it in `table`.
WriteOutcome History::add_action(TransactWriteItemsRequest& request, ModelTable& table, const Item& key) {
  const Item* stored = table.find(table.key_of(key));
  WriteTerms terms = generator_.terms(table, stored, {ReturnValues::None});
  Renderer renderer(random_);
  const auto add = [&](auto action) {
    fill_action(action, table, terms, renderer);
    request.actions.emplace_back(std::move(action));
  };
  switch (random_.below(5)) {
    case 0:
    case 1: {
      Item item = generator_.item(table);
      for (const auto& [name, value] : key) item[name] = value;
      add(PutItemRequest{.item = packed(item)});
      return table.put(item, terms);
    }
    case 2: {
      const Update update = generator_.update(table, stored);
      add(UpdateItemRequest{.key = packed(key), .update_expression = renderer.update(update)});
      return table.update(key, update, terms);
    }
    case 3:
      add(DeleteItemRequest{.key = packed(key)});
      return table.remove(key, terms);
    default:
      if (!terms.condition) terms.condition = generator_.condition(table, stored);
      add(ConditionCheck{.key = packed(key)});
      return table.check(key, terms);
  }
}

Verdict History::transact_write() {
  Tables after = tables_;
  TransactWriteItemsRequest request{.return_consumed_capacity = any_capacity()};
  std::vector<Part> parts;
  std::set<std::string> taken;
  for (std::size_t i = 1 + random_.below(kActionsMax); i > 0; --i) {
    Item key;
    ModelTable* table = choose_target(after, taken, key);
    if (table == nullptr) continue;
    parts.push_back({table->name(), add_action(request, *table, key)});
  }
  if (random_.chance(30)) request.client_request_token = random_.letters(20);
  note([request] { return describe(request); });
  const auto response = database_->transact_write_items(request);
  const Failure failure = failure_of(parts);
  if (!response) {
    ++report_.refusals;
    if (!failure.expected()) return check_refusal({}, response.error());
    return check_failure(failure, parts, response.error());
  }
  if (failure.expected()) return "succeeded, expected a refusal";
  tables_ = std::move(after);
  const ReturnConsumedCapacity asked = request.return_consumed_capacity;
  if (auto wrong = check_capacity(tables_, units_by_table(parts, 2), asked, response->consumed_capacity))
    return wrong;
  return request.client_request_token.empty() ? std::nullopt : replay(request);
}

// Repeats the request: nothing happens, and it costs as much as reading its items.
Verdict History::replay(const TransactWriteItemsRequest& request) {
  note([] { return "the same again, with the same token"; });
  const auto response = database_->transact_write_items(request);
  if (!response) return check_refusal({}, response.error());
  std::vector<Part> parts;
  for (const TransactWrite& action : request.actions) {
    const auto& [name, key] = std::visit(
        [](const auto& one) {
          if constexpr (requires { one.item; }) {
            return std::pair(one.table_name, one.item.unpack());
          } else {
            return std::pair(one.table_name, one.key.unpack());
          }
        },
        action);
    const ModelTable& table = tables_.at(name);
    const Item* stored = table.find(table.key_of(key));
    parts.push_back({name, {.units = {.table = read_units(stored == nullptr ? 0 : size_of(*stored), true)}}});
  }
  return check_capacity(tables_, units_by_table(parts, 2), request.return_consumed_capacity,
                        response->consumed_capacity);
}

Verdict History::transact_get() {
  TransactGetItemsRequest request{.return_consumed_capacity = any_capacity()};
  std::vector<Part> parts;
  std::vector<std::optional<Item>> expected;
  std::set<std::string> taken;
  for (std::size_t i = 1 + random_.below(kGetsMax); i > 0; --i) {
    Item key;
    const ModelTable* table = choose_target(tables_, taken, key);
    if (table == nullptr) continue;
    GetItemRequest get{.table_name = table->name(), .key = packed(key)};
    const Item* stored = table->find(table->key_of(key));
    std::optional<Item>& item = expected.emplace_back();
    if (stored != nullptr) item = *stored;
    if (random_.chance(50)) {
      Renderer renderer(random_);
      const std::vector<Path> projection = generator_.projection(data_attributes());
      get.projection_expression = renderer.projection(projection);
      get.names = renderer.names();
      if (item) item = project(*item, projection);
      if (item && item->empty()) item.reset();
    }
    const std::size_t bytes = stored == nullptr ? 0 : size_of(*stored);
    parts.push_back({table->name(), {.units = {.table = read_units(bytes, true)}}});
    request.gets.push_back(std::move(get));
  }
  note([request] {
    std::string text = "TransactGetItems";
    for (const GetItemRequest& get : request.gets) text += "\n    - " + describe(get);
    return text;
  });
  const auto response = database_->transact_get_items(request);
  if (!response) return check_refusal({}, response.error());
  if (response->items.size() != expected.size()) return "not an answer for each get";
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (auto wrong = check_item("Item", expected[i], response->items[i])) return wrong;
  }
  return check_capacity(tables_, units_by_table(parts, 2), request.return_consumed_capacity,
                        response->consumed_capacity);
}

Verdict History::batch_write() {
  Tables after = tables_;
  std::map<std::string, std::vector<BatchWrite>> writes;
  std::map<std::string, std::vector<Part>> parts;
  std::set<std::string> taken;
  for (std::size_t i = 1 + random_.below(kBatchWritesMax); i > 0; --i) {
    Item key;
    ModelTable* table = choose_target(after, taken, key);
    if (table == nullptr) continue;
    if (random_.chance(70)) {
      Item item = generator_.item(*table);
      for (const auto& [name, value] : key) item[name] = value;
      writes[table->name()].push_back({BatchWrite::Kind::Put, packed(item)});
      parts[table->name()].push_back({table->name(), table->put(item, {})});
    } else {
      writes[table->name()].push_back({BatchWrite::Kind::Delete, packed(key)});
      parts[table->name()].push_back({table->name(), table->remove(key, {})});
    }
  }
  BatchWriteItemRequest request{.return_consumed_capacity = any_capacity()};
  std::vector<Part> all;  // in the order of the request
  for (auto& [name, table_writes] : writes) {
    request.tables.push_back({name, std::move(table_writes)});
    std::ranges::move(parts[name], std::back_inserter(all));
  }
  note([request] { return describe(request); });
  const auto response = database_->batch_write_item(request);
  Failure failure = failure_of(all);
  std::vector<Refusal>& refusals = failure.of_request;
  for (const auto& reasons : failure.reasons) std::ranges::copy(reasons, std::back_inserter(refusals));
  if (!response) {
    ++report_.refusals;
    return check_refusal(refusals, response.error());
  }
  if (!refusals.empty()) return "succeeded, expected \"" + refusals[0].message + "\"";
  tables_ = std::move(after);
  return check_capacity(tables_, units_by_table(all, 1), request.return_consumed_capacity,
                        response->consumed_capacity);
}

Verdict History::batch_get() {
  BatchGetItemRequest request{.return_consumed_capacity = any_capacity()};
  std::vector<Part> parts;
  std::vector<std::vector<Item>> expected;
  for (const auto& [name, table] : tables_) {
    KeysToGet& part =
        request.tables.emplace_back(KeysToGet{.table_name = name, .consistent_read = random_.chance(50)});
    std::vector<Item>& items = expected.emplace_back();
    std::vector<Path> projection;
    if (random_.chance(50)) {
      Renderer renderer(random_);
      projection = generator_.projection(data_attributes());
      part.projection_expression = renderer.projection(projection);
      part.names = renderer.names();
    }
    std::set<std::string> taken;
    for (std::size_t i = 1 + random_.below(kGetsMax); i > 0; --i) {
      const Item key = generator_.key(table);
      if (!taken.insert(to_json(key)).second) continue;
      part.keys.push_back(packed(key));
      const Item* stored = table.find(table.key_of(key));
      if (stored != nullptr) items.push_back(projection.empty() ? *stored : project(*stored, projection));
      const std::size_t bytes = stored == nullptr ? 0 : size_of(*stored);
      parts.push_back({name, {.units = {.table = read_units(bytes, part.consistent_read)}}});
    }
  }
  note([] { return "BatchGetItem"; });
  const auto response = database_->batch_get_item(request);
  if (!response) return check_refusal({}, response.error());
  if (!response->unprocessed_keys.empty()) return "unprocessed keys, though all fits 16 MB";
  if (response->tables.size() != expected.size()) return "not an answer for each table";
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const TableItems& actual = response->tables[i];
    if (actual.items.size() != expected[i].size()) return "another number of items";
    for (std::size_t j = 0; j < actual.items.size(); ++j) {
      if (auto wrong = check_item("Item", expected[i][j], actual.items[j])) return wrong;
    }
  }
  return check_capacity(tables_, units_by_table(parts, 1), request.return_consumed_capacity,
                        response->consumed_capacity);
}

}  // namespace tavola::model
