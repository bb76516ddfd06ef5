#include "design/pending_write.h"

#include <algorithm>

#include "base/joined.h"

namespace tavola::design {
namespace {

std::string joined_condition(const std::vector<Cause>& causes) {
  if (causes.size() == 1) return causes.front().condition;
  std::string text;
  for (const Cause& cause : causes) text += (text.empty() ? "(" : " AND (") + cause.condition + ")";
  return text;
}

std::string update_expression(PendingWrite& write) {
  std::string text;
  const auto section = [&text](std::string_view name, bool& first) {
    text += first ? (text.empty() ? "" : " ") + std::string(name) + " " : ", ";
    first = false;
  };
  bool first = true;
  for (const auto& [attribute, operand] : write.set) {
    section("SET", first);
    text += write.parts.name(attribute) + " = " + operand;
  }
  first = true;
  for (const std::string& attribute : write.remove) {
    section("REMOVE", first);
    text += write.parts.name(attribute);
  }
  first = true;
  for (const auto& [attribute, by] : write.add) {
    section("ADD", first);
    text += write.parts.name(attribute) + " " + write.parts.value(by);
  }
  return text;
}

}  // namespace

std::string exists_condition(const Table& table, expr::ExpressionParts& parts) {
  return "attribute_exists(" + parts.name(table.hash.name) + ")";
}

std::string absent_condition(const Table& table, expr::ExpressionParts& parts) {
  return "attribute_not_exists(" + parts.name(table.hash.name) + ")";
}

PendingWrite* PendingWrites::find(const Item& key) {
  const auto found = std::ranges::find(writes_, key, &PendingWrite::key);
  return found == writes_.end() ? nullptr : &*found;
}

PendingWrite& PendingWrites::make(PendingWrite::Kind kind, const Item& key) {
  PendingWrite& write = writes_.emplace_back();
  write.kind = kind;
  write.key = key;
  return write;
}

Result<PendingWrite*> PendingWrites::on(PendingWrite::Kind kind, const Item& key) {
  PendingWrite* found = find(key);
  if (found == nullptr) return &make(kind, key);
  if (found->kind == PendingWrite::Kind::Check) found->kind = kind;
  if (kind != PendingWrite::Kind::Check && kind != found->kind) {
    return fail(Error::validation("two steps would write the same item, " + to_json(key) +
                                  "; a transaction writes an item once"));
  }
  return found;
}

void PendingWrites::put_copy(const Item& key, Item item) {
  PendingWrite* found = find(key);
  PendingWrite& write = found != nullptr ? *found : make(PendingWrite::Kind::Put, key);
  write.kind = PendingWrite::Kind::Put;
  write.item = std::move(item);
}

void PendingWrites::delete_copy(const Item& key) {
  if (find(key) == nullptr) make(PendingWrite::Kind::Delete, key);
}

Result<void> PendingWrites::add_number(const Item& key, const std::string& attribute, const Number& by,
                                       Cause if_missing) {
  PendingWrite* found = find(key);
  if (found == nullptr || found->kind == PendingWrite::Kind::Check) {
    TAVOLA_TRY(found, on(PendingWrite::Kind::Update, key));
    if_missing.condition = exists_condition(table_, found->parts);
    found->causes.push_back(std::move(if_missing));
  }
  if (found->kind == PendingWrite::Kind::Delete) return {};
  if (found->kind == PendingWrite::Kind::Put) {
    Value& number = found->item[attribute];
    TAVOLA_TRY(number, (number.is_number() ? number.number() : Number()) + by);
    return {};
  }
  TAVOLA_TRY(found->add[attribute], found->add[attribute] + by);
  return {};
}

Result<std::optional<Action>> PendingWrites::finish(PendingWrite& write) const {
  using Kind = PendingWrite::Kind;
  Action action{.write = {}, .causes = write.causes};
  const std::string condition = write.causes.empty() ? std::string() : joined_condition(write.causes);
  const std::string update = write.kind == Kind::Update ? update_expression(write) : std::string();
  TAVOLA_TRY(PackedItem key, pack(write.key));
  TAVOLA_TRY(PackedItem values, pack(write.parts.values()));
  const auto fill = [&](auto request) {
    request.table_name = table_.name;
    request.condition_expression = condition;
    request.names = write.parts.names();
    request.values = std::move(values);
    request.on_condition_failure = ReturnValuesOnConditionCheckFailure::AllOld;
    return request;
  };
  if (write.kind == Kind::Put) {
    PutItemRequest request = fill(PutItemRequest());
    TAVOLA_TRY(request.item, pack(write.item));
    action.write = std::move(request);
  } else if (write.kind == Kind::Delete) {
    DeleteItemRequest request = fill(DeleteItemRequest());
    request.key = std::move(key);
    action.write = std::move(request);
  } else if (!update.empty()) {
    UpdateItemRequest request = fill(UpdateItemRequest());
    request.key = std::move(key);
    request.update_expression = update;
    action.write = std::move(request);
  } else {
    if (condition.empty()) return std::optional<Action>();
    ConditionCheck request = fill(ConditionCheck());
    request.key = std::move(key);
    action.write = std::move(request);
  }
  return std::optional<Action>(std::move(action));
}

Result<std::vector<Action>> PendingWrites::finish() && {
  std::vector<Action> actions;
  for (PendingWrite& write : writes_) {
    TAVOLA_TRY(std::optional<Action> action, finish(write));
    if (action) actions.push_back(*std::move(action));
  }
  return actions;
}

}  // namespace tavola::design
