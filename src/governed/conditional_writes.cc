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
    if (adds()) return add();
    std::string condition = as_seen();
    std::string update = difference();
    if (update.size() <= kExpressionBytesMax)
      return filled<UpdateItemRequest>(std::move(condition), std::move(update));
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
    for (const std::string& name : absent()) {
      condition += " AND attribute_not_exists(" + parts_.name(name) + ")";
      ++compared_;
    }
    return condition;
  }

  // Returns the attributes that the item did not have although somebody looked.
  AttributeSet absent() const {
    AttributeSet names(comparison_.mentioned.begin(), comparison_.mentioned.end());
    if (comparison_.facts != nullptr) {
      names.merge(comparison_.facts->looked_at(*before_));
      if (after_) names.merge(comparison_.facts->looked_at(*after_));
    }
    if (after_) {
      for (const auto& [name, value] : *after_) names.insert(name);
    }
    std::erase_if(names, [this](const std::string& name) { return before_->contains(name) || is_key(name); });
    return names;
  }

  bool adds() const {
    return change_.look == Look::OfRule && !change_.is_alone && comparison_.facts != nullptr &&
           comparison_.facts->changes_counters_alone(*before_, *after_);
  }

  // If a rule used values of the item, the write requires that all but the counters are unchanged.
  Result<TransactWrite> add() {
    std::string update;
    for (const auto& [name, value] : *after_) {
      const Value& old = before_->at(name);
      if (value == old) continue;
      TAVOLA_TRY(const Number difference, value.number() - old.number());
      update += (update.empty() ? "ADD " : ", ") + parts_.name(name) + " ";
      update += parts_.value(Value(difference));
      counted_.insert(name);
    }
    const bool by_existence = comparison_.facts->matters_by_existence(*before_);
    return filled<UpdateItemRequest>(by_existence ? existing() : as_seen(), std::move(update));
  }

  Result<TransactWrite> checked() {
    const bool by_existence = change_.look == Look::OfRule && before_ && comparison_.facts != nullptr &&
                              comparison_.facts->matters_by_existence(*before_);
    return filled<ConditionCheck>(by_existence ? existing() : as_seen());
  }

  std::string difference() {
    std::string set;
    std::string remove;
    for (const auto& [name, value] : *after_) {
      const auto old = before_->find(name);
      if (is_key(name) || (old != before_->end() && old->second == value)) continue;
      const std::string attribute = parts_.name(name);
      set += (set.empty() ? "SET " : ", ") + attribute + " = ";
      set += parts_.value(value);
    }
    for (const auto& [name, value] : *before_) {
      if (!after_->contains(name)) remove += (remove.empty() ? "REMOVE " : ", ") + parts_.name(name);
    }
    return set + (set.empty() || remove.empty() ? "" : " ") + remove;
  }

  Result<TransactWrite> put(std::string condition) { return filled<PutItemRequest>(std::move(condition)); }

  template <class Request>
  Result<TransactWrite> filled(std::string condition, std::string update = {}) {
    if (compared_ > kComparedMax || condition.size() > kExpressionBytesMax) return fail(too_wide());
    Request request{.table_name = change_.table_name};
    if constexpr (std::is_same_v<Request, PutItemRequest>) {
      request.item = *change_.after;
    } else {
      request.key = change_.key;
    }
    if constexpr (std::is_same_v<Request, UpdateItemRequest>) request.update_expression = std::move(update);
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
