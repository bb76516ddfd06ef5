#include "governed/leases.h"

#include <utility>

#include "expr/rules/rule.h"

namespace tavola::governed {
namespace {

// Bounds what is remembered of leases that nobody holds any more; the others are seen again.
constexpr std::size_t kSeenMax = 10'000;

}  // namespace

Result<bool> Leases::write(const Wanted& wanted, const Seen* seen, std::optional<Seen>& found) const {
  UpdateItemRequest request{.table_name = wanted.table_name, .key = wanted.key};
  expr::ExpressionParts parts;
  const std::string owner = parts.name("$owner");
  const std::string count = parts.name("$count");
  const std::string own = parts.value(Value(owner_));
  request.update_expression =
      "SET " + owner + " = " + own + ", " + count + " = if_not_exists(" + count + ", ";
  request.update_expression += parts.value(Value(0)) + ") + " + parts.value(Value(1));
  for (const auto& [name, value] : wanted.also) {
    const std::string attribute = parts.name(name);
    request.update_expression += ", " + attribute + " = ";
    request.update_expression += parts.value(value);
  }
  if (seen == nullptr) {
    request.condition_expression = "attribute_not_exists(" + owner + ") OR " + owner + " = " + own;
  } else {
    request.condition_expression = owner + " = " + parts.value(Value(seen->owner));
    request.condition_expression += " AND " + count + " = " + parts.value(Value(seen->count));
  }
  if (wanted.must_exist) {
    const std::string hash = parts.name(wanted.key.unpack().begin()->first);
    request.condition_expression =
        "attribute_exists(" + hash + ") AND (" + request.condition_expression + ")";
  }
  request.names = parts.names();
  TAVOLA_TRY(request.values, pack(parts.values()));
  request.on_condition_failure = ReturnValuesOnConditionCheckFailure::AllOld;
  const Result<UpdateItemResponse> taken = wanted.remote.update_item(request);
  if (taken) return true;
  if (taken.error().code() != ErrorCode::ConditionalCheckFailed) return fail(taken.error());
  if (const auto* const failure = taken.error().detail<ConditionFailure>()) {
    const Item record = failure->item.unpack();
    const auto holder = record.find("$owner");
    const auto counted = record.find("$count");
    if (holder != record.end() && holder->second.is_string() && counted != record.end() &&
        counted->second.is_number())
      found = Seen{holder->second.string(), counted->second.number().to_int64().value_or(0), clock_.now()};
  }
  return false;
}

Result<bool> Leases::take(const Wanted& wanted) {
  const std::string place = wanted.table_name + '\0' + wanted.key.bytes();
  std::optional<Seen> found;
  TAVOLA_TRY(const bool is_ours, write(wanted, nullptr, found));
  std::optional<Seen> expired;
  {
    const MutexLock lock(mutex_);
    const auto known = seen_.find(place);
    if (is_ours || !found) {
      if (known != seen_.end()) seen_.erase(known);
      return is_ours;
    }
    if (known == seen_.end() || known->second.owner != found->owner || known->second.count != found->count) {
      if (seen_.size() >= kSeenMax) seen_.clear();
      seen_.insert_or_assign(place, *found);
      return false;
    }
    if (clock_.now() - known->second.since < kTime) return false;
    expired = known->second;
    seen_.erase(known);
  }
  std::optional<Seen> ignored;
  return write(wanted, &*expired, ignored);
}

}  // namespace tavola::governed
