#include "drift/drift_writes.h"

#include <algorithm>

#include "expr/rules/rule.h"

namespace tavola::drift {
namespace {

using design::Design;
using expr::ExpressionParts;
using Outcome = Mending::Outcome;

// DynamoDB takes an expression of 4 KB; each attribute takes some 20 bytes of it.
constexpr std::size_t kComparedMax = 150;

bool is_key(const Design& design, const std::string& name) {
  return name == design.table.hash.name || (design.table.range && name == design.table.range->name);
}

// Returns "#n0 = :v0 AND #n1 = :v1" for all attributes of the item, or the condition that it is missing.
std::string as_seen(const Design& design, const std::optional<Item>& item, ExpressionParts& parts) {
  const std::string hash = parts.name(design.table.hash.name);
  if (!item) return "attribute_not_exists(" + hash + ")";
  std::string condition = "attribute_exists(" + hash + ")";
  for (const auto& [name, value] : *item) {
    if (is_key(design, name)) continue;
    const std::string attribute =
        parts.name(name);  // before the value: the order of operands of + is not defined
    condition += " AND " + attribute + " = ";
    condition += parts.value(value);
  }
  return condition;
}

std::string absent(const std::vector<std::string>& names, ExpressionParts& parts) {
  std::string condition;
  for (const std::string& name : names) condition += " AND attribute_not_exists(" + parts.name(name) + ")";
  return condition;
}

template <class Request>
Result<void> fill(Request& request, const Design& design, std::string condition,
                  const ExpressionParts& parts) {
  request.table_name = design.table.name;
  request.condition_expression = std::move(condition);
  request.names = parts.names();
  TAVOLA_TRY(request.values, pack(parts.values()));
  return {};
}

// Returns the meaning of an error: a concurrent change, a refused write, or a real failure.
Result<Mending> meaning(const Error& error) {
  const auto* const cancellation = error.detail<TransactionCancellation>();
  if (cancellation != nullptr) {
    for (const CancellationReason& reason : cancellation->reasons) {
      const bool will_pass = reason.code == "None" || reason.code == "ConditionalCheckFailed" ||
                             reason.code == "TransactionConflict" || reason.code == "ThrottlingError" ||
                             reason.code == "ProvisionedThroughputExceeded";
      if (!will_pass) return Mending{Outcome::Refused, reason.message};
    }
    return Mending{Outcome::Changed, "it keeps changing"};
  }
  switch (error.code()) {
    case ErrorCode::ConditionalCheckFailed:
    case ErrorCode::TransactionConflict:
    case ErrorCode::TransactionInProgress:
      return Mending{Outcome::Changed, "it keeps changing"};
    case ErrorCode::Validation:
    case ErrorCode::ItemCollectionSizeLimitExceeded:
      return Mending{Outcome::Refused, error.message()};
    default:
      return fail(error);
  }
}

template <class Response>
Result<Mending> outcome(const Result<Response>& response) {
  return response ? Mending() : meaning(response.error());
}

Mending too_many_attributes() {
  return {Outcome::Refused, "it has too many attributes for a conditional write"};
}

}  // namespace

Result<std::optional<Item>> DriftWrites::read(const Item& key) const {
  GetItemRequest request{.table_name = design_.table.name, .consistent_read = true};
  TAVOLA_TRY(request.key, pack(key));
  TAVOLA_TRY(const GetItemResponse response, database_.get_item(request));
  return response.item ? std::optional(response.item->unpack()) : std::nullopt;
}

Item DriftWrites::key_of(const Item& item) const {
  Item key;
  for (const auto& [name, value] : item) {
    if (is_key(design_, name)) key.emplace(name, value);
  }
  return key;
}

Result<Mending> DriftWrites::correct(const Item& seen, const Corrections& corrections) const {
  if (seen.size() > kComparedMax) return too_many_attributes();
  ExpressionParts parts;
  std::string set;
  std::string remove;
  std::vector<std::string> added;
  for (const auto& [name, value] : corrections) {
    const std::string attribute = parts.name(name);
    if (!value) {
      remove += (remove.empty() ? "REMOVE " : ", ") + attribute;
      continue;
    }
    set += (set.empty() ? "SET " : ", ") + attribute + " = ";
    set += parts.value(*value);
    if (!seen.contains(name)) added.push_back(name);
  }
  UpdateItemRequest request;
  request.update_expression = set + (set.empty() || remove.empty() ? "" : " ") + remove;
  std::string condition = as_seen(design_, seen, parts);
  condition += absent(added, parts);
  TAVOLA_CHECK(fill(request, design_, std::move(condition), parts));
  TAVOLA_TRY(request.key, pack(key_of(seen)));
  return outcome(database_.update_item(request));
}

namespace {

Result<ConditionCheck> check_of(const Design& design, const Seen& seen) {
  ConditionCheck check;
  ExpressionParts parts;
  std::string condition = as_seen(design, seen.item, parts);
  TAVOLA_CHECK(fill(check, design, std::move(condition), parts));
  TAVOLA_TRY(check.key, pack(seen.key));
  return check;
}

bool is_too_wide(const Seen& seen) { return seen.item && seen.item->size() > kComparedMax; }

}  // namespace

Result<Mending> DriftWrites::put(const Item& item, const Seen& there, const Seen& source) const {
  if (is_too_wide(there) || is_too_wide(source)) return too_many_attributes();
  TransactWriteItemsRequest transaction;
  TAVOLA_TRY(ConditionCheck check, check_of(design_, source));
  transaction.actions.emplace_back(std::move(check));
  PutItemRequest request;
  ExpressionParts parts;
  std::string condition = as_seen(design_, there.item, parts);
  if (there.item) {
    std::vector<std::string> added;
    for (const auto& [name, value] : item) {
      if (!there.item->contains(name)) added.push_back(name);
    }
    condition += absent(added, parts);
  }
  TAVOLA_CHECK(fill(request, design_, std::move(condition), parts));
  TAVOLA_TRY(request.item, pack(item));
  transaction.actions.emplace_back(std::move(request));
  return outcome(database_.transact_write_items(transaction));
}

Result<Mending> DriftWrites::remove(const Seen& there, const Seen& source) const {
  if (is_too_wide(there) || is_too_wide(source)) return too_many_attributes();
  TransactWriteItemsRequest transaction;
  TAVOLA_TRY(ConditionCheck check, check_of(design_, source));
  transaction.actions.emplace_back(std::move(check));
  DeleteItemRequest request;
  ExpressionParts parts;
  std::string condition = as_seen(design_, there.item, parts);
  TAVOLA_CHECK(fill(request, design_, std::move(condition), parts));
  TAVOLA_TRY(request.key, pack(there.key));
  transaction.actions.emplace_back(std::move(request));
  return outcome(database_.transact_write_items(transaction));
}

}  // namespace tavola::drift
