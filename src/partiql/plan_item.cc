#include <algorithm>

#include "base/overloaded.h"
#include "partiql/messages.h"
#include "partiql/plan.h"

namespace tavola::partiql {
namespace {

using ast::Node;

Error with_key_refused(const Error& error) {
  return {error.code(), error.message(), std::make_shared<KeyRefused>()};
}

// An attribute and a value that it is compared with by =.
struct Equality {
  std::string_view attribute;
  const Value* value;
};

std::optional<Equality> equality(const Node& node, const Slots& slots) {
  const auto* comparison = std::get_if<ast::Comparison>(&node.form);
  if (comparison == nullptr || comparison->comparator != ast::Comparator::Equal) return std::nullopt;
  for (const auto& [one, other] :
       {std::pair(&comparison->left, &comparison->right), std::pair(&comparison->right, &comparison->left)}) {
    const auto* path = std::get_if<ast::Path>(&one->form);
    const auto* value = std::get_if<ast::ValueSlot>(&other->form);
    if (path != nullptr && value != nullptr && is_whole(*path)) {
      return Equality{attribute_of(*path, slots), &slots.value_at(value->slot)};
    }
  }
  return std::nullopt;
}

// The meaning of a second, different value for a part of the key: an impossible key, or a condition.
enum class SecondValue : std::uint8_t { Refused, Condition };

struct KeyAndRest {
  Item key;
  std::vector<Node> rest;
};

// Returns the key that the terms of the conjunction give, and the other terms.
Result<KeyAndRest> split(const std::optional<Node>& where, const Key& key, const Slots& slots,
                         SecondValue second) {
  KeyAndRest found;
  if (!where) return found;
  const auto* all = std::get_if<ast::And>(&where->form);
  const std::span<const Node> terms =
      all != nullptr ? std::span<const Node>(all->terms) : std::span(&*where, 1);
  for (const Node& term : terms) {
    const std::optional<Equality> equal = equality(term, slots);
    if (!equal || !key.has(equal->attribute)) {
      found.rest.push_back(term);
      continue;
    }
    const auto [known, is_new] = found.key.emplace(equal->attribute, *equal->value);
    if (is_new || known->second == *equal->value) continue;
    if (second == SecondValue::Refused)
      return fail(with_key_refused(messages::several_keys(equal->attribute)));
    found.rest.push_back(term);
  }
  return found;
}

bool is_complete(const Item& found, const Key& key) { return found.size() == (key.range.empty() ? 1U : 2U); }

Result<void> check_types(const Item& found, const Key& key) {
  if (found.at(key.hash).type() != key.hash_type) return fail(with_key_refused(messages::key_type(key.hash)));
  if (!key.range.empty() && found.at(key.range).type() != key.range_type) {
    return fail(with_key_refused(messages::key_type(key.range)));
  }
  return {};
}

ReturnValues return_values(const std::optional<Returning>& returning) {
  if (!returning) return ReturnValues::None;
  switch (*returning) {
    case Returning::AllOld:
      return ReturnValues::AllOld;
    case Returning::ModifiedOld:
      return ReturnValues::UpdatedOld;
    case Returning::AllNew:
      return ReturnValues::AllNew;
    case Returning::ModifiedNew:
      return ReturnValues::UpdatedNew;
  }
  return ReturnValues::None;
}

class WritePlanner {
 public:
  WritePlanner(Prepared& prepared, const Key& key, const WriteOptions& options)
      : prepared_(prepared), key_(key), options_(options) {}

  Result<TransactWrite> insert() {
    PutItemRequest put;
    TAVOLA_TRY(put.item, pack(prepared_.item));
    TAVOLA_CHECK(finish(put, {is_there(expr::Function::AttributeNotExists)}));
    put.return_consumed_capacity = options_.capacity;
    return TransactWrite(std::move(put));
  }

  Result<TransactWrite> update(const Update& update) {
    TAVOLA_TRY(KeyAndRest found, key_and_rest());
    UpdateItemRequest made;
    TAVOLA_TRY(made.key, pack(found.key));
    RequestTexts texts(prepared_.slots);
    made.update_expression = texts.update(prepared_.changes);
    std::vector<Node> terms{is_there(expr::Function::AttributeExists)};
    std::ranges::move(found.rest, std::back_inserter(terms));
    TAVOLA_CHECK(finish(made, std::move(terms), std::move(texts)));
    made.return_values = return_values(update.returning);
    made.return_consumed_capacity = options_.capacity;
    return TransactWrite(std::move(made));
  }

  // A condition does not prevent the deletion of a missing item: AWS succeeds and does nothing.
  Result<TransactWrite> remove(const Delete& remove) {
    TAVOLA_TRY(KeyAndRest found, key_and_rest());
    DeleteItemRequest made;
    TAVOLA_TRY(made.key, pack(found.key));
    std::vector<Node> terms;
    if (!found.rest.empty()) {
      std::vector<Node> either{is_there(expr::Function::AttributeNotExists), all_of(std::move(found.rest))};
      terms.push_back(any_of(std::move(either)));
    }
    TAVOLA_CHECK(finish(made, std::move(terms)));
    made.return_values = return_values(remove.returning);
    made.return_consumed_capacity = options_.capacity;
    return TransactWrite(std::move(made));
  }

  Result<TransactWrite> exists() {
    if (!prepared_.index.empty()) {
      return fail(messages::refused("Operations on indices are not supported in transactions"));
    }
    TAVOLA_TRY(KeyAndRest found, split(prepared_.where, key_, prepared_.slots, SecondValue::Condition));
    if (!is_complete(found.key, key_) || found.rest.empty()) {
      return fail(messages::refused("EXISTS() must contain a single item read with additional condition"));
    }
    TAVOLA_CHECK(check_types(found.key, key_));
    ConditionCheck made;
    TAVOLA_TRY(made.key, pack(found.key));
    TAVOLA_CHECK(finish(made, std::move(found.rest)));
    return TransactWrite(std::move(made));
  }

 private:
  Node is_there(expr::Function function) {
    return call(function, ast::Operand{prepared_.slots.path(key_.hash)});
  }

  Result<KeyAndRest> key_and_rest() {
    TAVOLA_TRY(KeyAndRest found, split(prepared_.where, key_, prepared_.slots, SecondValue::Refused));
    if (!is_complete(found.key, key_)) return fail(with_key_refused(messages::key_not_given()));
    TAVOLA_CHECK(check_types(found.key, key_));
    return found;
  }

  template <class Request>
  Result<void> finish(Request& request, std::vector<Node> condition) {
    return finish(request, std::move(condition), RequestTexts(prepared_.slots));
  }
  template <class Request>
  Result<void> finish(Request& request, std::vector<Node> condition, RequestTexts texts) {
    request.table_name = prepared_.table;
    if (!condition.empty()) request.condition_expression = texts.condition(all_of(std::move(condition)));
    request.names = texts.names();
    TAVOLA_TRY(request.values, texts.values());
    request.on_condition_failure = options_.on_condition_failure;
    return {};
  }

  Prepared& prepared_;
  const Key& key_;
  const WriteOptions& options_;
};

}  // namespace

Result<TransactWrite> plan_write(Prepared& prepared, const TableDescription& table,
                                 const WriteOptions& options) {
  TAVOLA_TRY(const Key key, key_of(table, {}));
  WritePlanner planner(prepared, key, options);
  return std::visit(Overloaded{
                        [&](const Insert&) { return planner.insert(); },
                        [&](const Update& update) { return planner.update(update); },
                        [&](const Delete& remove) { return planner.remove(remove); },
                        [&](const Exists&) { return planner.exists(); },
                        [](const Select&) -> Result<TransactWrite> {
                          return fail(Error::internal("SELECT is planned as a read"));
                        },
                    },
                    prepared.statement);
}

Result<GetItemRequest> plan_get(Prepared& prepared, const TableDescription& table, const ReadOptions& options,
                                const Error& otherwise) {
  TAVOLA_TRY(const Key key, key_of(table, prepared.index));
  if (!prepared.index.empty() || !prepared.where) return fail(otherwise);
  // GetItem checks the types here: a wrong one cancels a transaction.
  TAVOLA_TRY(const KeyAndRest found, split(prepared.where, key, prepared.slots, SecondValue::Condition));
  Item given = found.key;
  for (const Node& term : found.rest) {
    // pk IN ['a'] also gives the key.
    const auto* in = std::get_if<ast::In>(&term.form);
    const bool is_one = in != nullptr && in->candidates.size() == 1;
    if (!is_one) {
      TAVOLA_CHECK(key_reads(*prepared.where, key, prepared.slots));  // AWS reports overlaps first
      return fail(otherwise);
    }
    const Node equal{ast::Comparison{ast::Comparator::Equal, in->value, in->candidates.front()}};
    const std::optional<Equality> one = equality(equal, prepared.slots);
    if (!one || !key.has(one->attribute)) return fail(otherwise);
    const auto [known, is_new] = given.emplace(one->attribute, *one->value);
    if (!is_new && known->second != *one->value) return fail(otherwise);
  }
  if (!is_complete(given, key)) return fail(otherwise);
  GetItemRequest made;
  made.table_name = prepared.table;
  TAVOLA_TRY(made.key, pack(given));
  RequestTexts texts(prepared.slots);
  made.projection_expression = texts.projection(prepared.attributes);
  made.names = texts.names();
  made.consistent_read = options.consistent;
  made.return_consumed_capacity = options.capacity;
  return made;
}

}  // namespace tavola::partiql
