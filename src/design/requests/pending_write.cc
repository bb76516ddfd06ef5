#include "design/requests/pending_write.h"

#include <algorithm>

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
  std::string_view section;
  const auto add = [&text, &section](std::string_view name, const std::string& part) {
    const bool begins = section != name;
    text += (text.empty() ? "" : begins ? " " : ", ") + (begins ? std::string(name) + " " : "") + part;
    section = name;
  };
  expr::ExpressionParts& parts = write.parts;
  for (const auto& [attribute, value] : write.set) {
    const std::string name = parts.name(attribute);
    add("SET", name + " = " + parts.value(value));
  }
  for (const auto& [attribute, operand] : write.computed) add("SET", parts.name(attribute) + " = " + operand);
  for (const std::string& attribute : write.removed) add("REMOVE", parts.name(attribute));
  for (const auto& [attribute, by] : write.add) {
    const std::string name = parts.name(attribute);
    add("ADD", name + " " + parts.value(by));
  }
  return text;
}

Error written_twice(const Item& key) {
  return Error::validation("two steps would write the same item, " + to_json(key) +
                           "; a transaction writes an item once");
}

Result<void> add_to(Item& item, const std::string& attribute, const Number& by) {
  Value& number = item[attribute];
  TAVOLA_TRY(number, (number.is_number() ? number.number() : Number()) + by);
  return {};
}

// Merges counter increments into another write of the same item: DynamoDB allows one action for an attribute.
Result<void> settle_numbers(PendingWrite& write) {
  if (!write.adds_zeros) std::erase_if(write.add, [](const auto& number) { return number.second.is_zero(); });
  if (write.kind == PendingWrite::Kind::Put) {
    for (const auto& [attribute, by] : write.add) TAVOLA_CHECK(add_to(write.item, attribute, by));
    return {};
  }
  if (write.kind != PendingWrite::Kind::Update) return {};
  for (auto number = write.add.begin(); number != write.add.end();) {
    const auto& [attribute, by] = *number;
    if (write.computed.contains(attribute)) write.contradiction = attribute;
    if (write.removed.erase(attribute) == 0 && !write.set.contains(attribute)) {
      ++number;
      continue;
    }
    TAVOLA_CHECK(add_to(write.set, attribute, by));
    number = write.add.erase(number);
  }
  return {};
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

void PendingWrite::set_value(const std::string& attribute, const Value& value) {
  const auto [found, added] = set.try_emplace(attribute, value);
  if ((!added && found->second != value) || removed.contains(attribute) || computed.contains(attribute))
    contradiction = attribute;
}

void PendingWrite::set_operand(const std::string& attribute, std::string operand) {
  if (set.contains(attribute) || removed.contains(attribute) || computed.contains(attribute))
    contradiction = attribute;
  computed[attribute] = std::move(operand);
}

void PendingWrite::remove(const std::string& attribute) {
  if (set.contains(attribute) || computed.contains(attribute)) contradiction = attribute;
  removed.insert(attribute);
}

Result<PendingWrite*> PendingWrites::on(PendingWrite::Kind kind, const Item& key) {
  using Kind = PendingWrite::Kind;
  PendingWrite* found = find(key);
  if (found == nullptr) found = &make(Kind::Check, key);
  if (kind == Kind::Check) return found;
  const bool is_free = !found->of_step && found->kind != Kind::Put;
  const bool is_shared = found->of_step && found->kind == Kind::Update && kind == Kind::Update;
  if (!is_free && !is_shared) return fail(written_twice(key));
  found->kind = kind;
  found->of_step = true;
  return found;
}

Result<void> PendingWrites::put_copy(const Item& key, Item item) {
  PendingWrite* found = find(key);
  PendingWrite& write = found != nullptr ? *found : make(PendingWrite::Kind::Put, key);
  if (write.of_step) return fail(written_twice(key));
  write.kind = PendingWrite::Kind::Put;
  write.item = std::move(item);
  return {};
}

Result<void> PendingWrites::delete_copy(const Item& key) {
  using Kind = PendingWrite::Kind;
  PendingWrite* found = find(key);
  PendingWrite& write = found != nullptr ? *found : make(Kind::Delete, key);
  if (write.of_step && write.kind == Kind::Update) return fail(written_twice(key));
  if (write.kind != Kind::Put) write.kind = Kind::Delete;
  return {};
}

Result<void> PendingWrites::add_number(const Item& key, const std::string& attribute, const Number& by,
                                       Cause if_missing) {
  using Kind = PendingWrite::Kind;
  PendingWrite* found = find(key);
  if (found == nullptr) found = &make(Kind::Check, key);
  if (found->kind == Kind::Check) {
    found->kind = Kind::Update;
    if_missing.condition = exists_condition(table_, found->parts);
    found->causes.push_back(std::move(if_missing));
  }
  TAVOLA_TRY(found->add[attribute], found->add[attribute] + by);
  return {};
}

Result<void> PendingWrites::add_created(const Item& key, const Item& item,
                                        const std::map<std::string, Number, std::less<>>& numbers) {
  PendingWrite* found = find(key);
  if (found == nullptr) found = &make(PendingWrite::Kind::Update, key);
  if (found->kind == PendingWrite::Kind::Check) found->kind = PendingWrite::Kind::Update;
  found->adds_zeros = true;
  for (const auto& [attribute, value] : item) {
    if (!key.contains(attribute)) found->set_value(attribute, value);
  }
  for (const auto& [attribute, number] : numbers) {
    TAVOLA_TRY(found->add[attribute], found->add[attribute] + number);
  }
  return {};
}

Result<std::optional<Action>> PendingWrites::finish(PendingWrite& write) const {
  using Kind = PendingWrite::Kind;
  TAVOLA_CHECK(settle_numbers(write));
  if (!write.contradiction.empty()) {
    return fail(Error::validation("two steps would write `" + write.contradiction + "` of " +
                                  to_json(write.key) + "; a transaction writes it once"));
  }
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
