#include "governed/conditional_writes.h"

#include <algorithm>
#include <utility>

#include "expr/rules/rule.h"

namespace tavola::governed {
namespace {

using expr::ExpressionParts;

// DynamoDB takes an expression of 4 KB with 300 operators: one for each comparison, and one between two of them.
constexpr std::size_t kExpressionBytesMax = 4096;
constexpr std::size_t kComparedMax = 149;

class ConditionalWrite {
 public:
  ConditionalWrite(const SeenChange& change, const Comparison& comparison)
      : change_(change), comparison_(comparison) {
    if (change.before) before_ = change.before->unpack();
    if (change.after) after_ = change.after->unpack();
  }

  Result<TransactWrite> run() {
    if (change_.before == change_.after) return checked();
    if (!after_) return filled<DeleteItemRequest>(as_seen());
    if (!before_) return put(missing());
    if (adds(*before_, *after_)) return add(*before_, *after_);
    std::string condition = as_seen();
    const std::string update = difference(*before_, *after_);
    if (update.size() <= kExpressionBytesMax) return filled<UpdateItemRequest>(std::move(condition), update);
    parts_ = {};  // those of the update would be left over, which DynamoDB refuses
    compared_ = 0;
    return put(as_seen());
  }

 private:
  bool is_key(const std::string& name) const { return change_.key.find(name).has_value(); }

  std::string missing() { return "attribute_not_exists(" + parts_.name(change_.hash) + ")"; }
  std::string existing() { return "attribute_exists(" + parts_.name(change_.hash) + ")"; }

  // Passes over the counters that are added to.
  std::string as_seen() {
    if (!before_) return missing();
    std::string condition = existing();
    for (const auto& [name, value] : *before_) {
      if (is_key(name) || counted_.contains(name)) continue;
      const std::string attribute = parts_.name(name);
      condition += " AND " + attribute + " = ";
      condition += parts_.value(value);
      ++compared_;
    }
    for (const std::string& name : absent(*before_)) {
      condition += " AND attribute_not_exists(" + parts_.name(name) + ")";
      ++compared_;
    }
    return condition;
  }

  // Returns the attributes that the item did not have although somebody looked.
  AttributeSet absent(const Item& before) const {
    AttributeSet names(comparison_.mentioned.begin(), comparison_.mentioned.end());
    if (comparison_.facts != nullptr) {
      names.merge(comparison_.facts->looked_at(before));
      if (after_) names.merge(comparison_.facts->looked_at(*after_));
    }
    if (after_) {
      for (const auto& [name, value] : *after_) names.insert(name);
    }
    std::erase_if(names, [&](const std::string& name) { return before.contains(name) || is_key(name); });
    return names;
  }

  bool adds(const Item& before, const Item& after) const {
    return change_.look == Look::OfRule && !change_.is_alone && comparison_.facts != nullptr &&
           comparison_.facts->changes_counters_alone(before, after);
  }

  // If a rule used values of the item, the write requires that all but the counters are unchanged.
  Result<TransactWrite> add(const Item& before, const Item& after) {
    std::string update;
    for (const auto& [name, value] : after) {
      const Value& old = before.at(name);
      if (value == old) continue;
      TAVOLA_TRY(const Number difference, value.number() - old.number());
      update += (update.empty() ? "ADD " : ", ") + parts_.name(name) + " ";
      update += parts_.value(Value(difference));
      counted_.insert(name);
    }
    const bool by_existence = comparison_.facts->matters_by_existence(before);
    return filled<UpdateItemRequest>(by_existence ? existing() : as_seen(), update);
  }

  Result<TransactWrite> checked() {
    const bool by_existence = change_.look == Look::OfRule && before_ && comparison_.facts != nullptr &&
                              comparison_.facts->matters_by_existence(*before_);
    return filled<ConditionCheck>(by_existence ? existing() : as_seen());
  }

  std::string difference(const Item& before, const Item& after) {
    std::string set;
    std::string remove;
    for (const auto& [name, value] : after) {
      const auto old = before.find(name);
      if (is_key(name) || (old != before.end() && old->second == value)) continue;
      const std::string attribute = parts_.name(name);
      set += (set.empty() ? "SET " : ", ") + attribute + " = ";
      set += parts_.value(value);
    }
    for (const auto& [name, value] : before) {
      if (!after.contains(name)) remove += (remove.empty() ? "REMOVE " : ", ") + parts_.name(name);
    }
    return set + (set.empty() || remove.empty() ? "" : " ") + remove;
  }

  Result<TransactWrite> put(std::string condition) { return filled<PutItemRequest>(std::move(condition)); }

  template <class Request>
  Result<TransactWrite> filled(std::string condition, const std::string& update = {}) {
    if (compared_ > kComparedMax || condition.size() > kExpressionBytesMax) return fail(too_wide());
    Request request{.table_name = change_.table_name};
    if constexpr (std::is_same_v<Request, PutItemRequest>) {
      if (change_.after) request.item = *change_.after;
    } else {
      request.key = change_.key;
    }
    if constexpr (std::is_same_v<Request, UpdateItemRequest>) request.update_expression = update;
    request.condition_expression = std::move(condition);
    request.names = parts_.names();
    TAVOLA_TRY(request.values, pack(parts_.values()));
    request.on_condition_failure = ReturnValuesOnConditionCheckFailure::AllOld;
    return TransactWrite(std::move(request));
  }

  Error too_wide() const {
    return Error::validation(
        "Tavola: the item has " + std::to_string(before_ ? before_->size() : 0) +
        " attributes; a server with --upstream can change items of a governed table with "
        "at most about 120, because DynamoDB compares no more in one condition");
  }

  const SeenChange& change_;
  const Comparison& comparison_;
  std::optional<Item> before_;
  std::optional<Item> after_;
  ExpressionParts parts_;
  AttributeSet counted_;
  std::size_t compared_ = 0;
};

}  // namespace

Result<TransactWrite> conditional_write(const SeenChange& change, const Comparison& comparison) {
  return ConditionalWrite(change, comparison).run();
}

}  // namespace tavola::governed
