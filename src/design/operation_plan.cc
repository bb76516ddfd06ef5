#include "design/operation_plan.h"

#include <algorithm>

#include "base/digest.h"
#include "base/encoding.h"
#include "design/consequences.h"
#include "design/parameters.h"
#include "design/step_plan.h"
#include "expr/compile.h"
#include "value/limits.h"

namespace tavola::design {
namespace {

// Why something is read.
struct Purpose {
  Read read{};
  const ReadFirst* first = nullptr;  // it is named in `read`,
  const Step* step = nullptr;        // or the step must know its item,
  const Step* each = nullptr;        // or it is taken for each of these,
  bool once = false;                 // or it tells whether the operation was done before
  Item key_fields{};                 // of `step` or `first`
};

Result<Read> get_read(const Design& design, const Entity& entity, const Item& key_fields) {
  GetItemRequest request{.table_name = design.table.name, .consistent_read = true};
  TAVOLA_TRY(const Item key, key_of(design, entity, key_fields));
  TAVOLA_TRY(request.key, pack(key));
  return Read{std::move(request), &entity};
}

Result<Purpose> read_first(const Call& call, const ReadFirst& read) {
  const Entity& entity = *call.design->find_entity(read.entity.text);
  Item key_fields;
  for (const Assignment& assignment : read.key) {
    TAVOLA_TRY(const std::optional<Value> value,
               assignment.value.value({.parameters = &call.parameters, .now = call.moment.now}));
    if (value) key_fields[assignment.field] = *value;
  }
  Purpose purpose{.first = &read};
  TAVOLA_TRY(purpose.read, get_read(*call.design, entity, key_fields));
  purpose.key_fields = std::move(key_fields);
  return purpose;
}

Result<Purpose> read_each(const Call& call, const Step& step) {
  const Pattern& pattern = *call.design->find_pattern(step.each.text);
  Purpose purpose{.each = &step};
  Item parameters;
  for (const Parameter& parameter : pattern.parameters) {
    const auto found = call.parameters.find(parameter.name);
    if (found != call.parameters.end()) parameters[parameter.name] = found->second;
  }
  TAVOLA_TRY(parameters, check_parameters(pattern.parameters, parameters, call.moment));
  TAVOLA_TRY(purpose.read.request, read_request(*call.design, pattern, parameters, call.moment.now));
  if (auto* query = std::get_if<QueryRequest>(&purpose.read.request)) {
    query->consistent_read = query->index_name.empty();
  }
  purpose.read.entity = call.design->find_entity(pattern.entity.text);
  return purpose;
}

// Where it is remembered that an operation was done (idempotent_by): a record of our own.
std::optional<Item> once_key(const Call& call) {
  const auto by = call.parameters.find(call.operation->idempotent_by);
  if (by == call.parameters.end()) return std::nullopt;
  const std::string value = by->second.is_string() ? by->second.string() : to_json(by->second);
  return record_key(call.design->table, "$once", call.operation->name + "#" + value);
}

// What makes two calls the same.
Result<std::string> fingerprint(const Call& call) {
  TAVOLA_TRY(const PackedItem given, pack(call.given));
  return to_hex(sha256({given.bytes()}));
}

Result<std::vector<Purpose>> purposes(const Call& call) {
  std::vector<Purpose> all;
  if (const std::optional<Item> key = once_key(call)) {
    GetItemRequest request{.table_name = call.design->table.name, .consistent_read = true};
    TAVOLA_TRY(request.key, pack(*key));
    all.push_back({.read = {std::move(request), nullptr}, .once = true});
  }
  for (const ReadFirst& read : call.operation->reads) {
    TAVOLA_TRY(Purpose purpose, read_first(call, read));
    all.push_back(std::move(purpose));
  }
  PendingWrites none(call.design->table);
  StepPlanner planner(call, none);
  for (const Step& step : call.operation->steps) {
    if (!step.each.empty()) {
      TAVOLA_TRY(Purpose purpose, read_each(call, step));
      all.push_back(std::move(purpose));
      continue;
    }
    TAVOLA_TRY(const Item key_fields, planner.key_fields(step));
    TAVOLA_TRY(const bool needed, planner.needs_stored(step, key_fields));
    if (!needed) continue;
    Purpose purpose{.step = &step, .key_fields = key_fields};
    TAVOLA_TRY(purpose.read, get_read(*call.design, *call.design->find_entity(step.entity.text), key_fields));
    all.push_back(std::move(purpose));
  }
  return all;
}

// The fields of `name` that any expression of the operation looks at.
FieldNames fields_used_of(const Operation& operation, const std::string& name) {
  FieldNames fields;
  const auto look = [&](const Rule& rule) {
    for (const std::vector<std::string>& path : rule.paths()) {
      if (path.size() > 1 && path.front() == name) fields.insert(path[1]);
    }
  };
  for (const Step& step : operation.steps) {
    for (const Assignment& assignment : step.key) look(assignment.value);
    for (const Assignment& assignment : step.set) look(assignment.value);
    for (const Requirement& requirement : step.require) look(requirement.that);
    if (step.when) look(*step.when);
  }
  return fields;
}

// Fields that a snapshot takes from what was read, unless the step says otherwise.
Result<void> add_snapshots(const Call& call, const Others& others, const Step& step, Item& key_and_set) {
  for (const Copy& copy : call.design->copies) {
    if (copy.kind != Copy::Kind::Snapshot || copy.to.text != step.entity.text) continue;
    for (const ReadFirst& read : call.operation->reads) {
      const auto source = others.find(read.name);
      if (read.entity.text != copy.from.text || source == others.end()) continue;
      for (const Assignment& carried : copy.carry) {
        const bool said =
            std::ranges::any_of(step.set, [&](const Assignment& one) { return one.field == carried.field; });
        TAVOLA_TRY(std::optional<Value> value, carried.value.value({.fields = &source->second}));
        if (!said && value) key_and_set[carried.field] = *std::move(value);
      }
    }
  }
  return {};
}

class Planning {
 public:
  Planning(const Call& call, const ReadItems& found)
      : call_(call), found_(found), writes_(call.design->table), planner_(call, writes_) {}

  Result<Plan> run() {
    TAVOLA_TRY(purposes_, purposes(call_));
    if (found_.size() != purposes_.size()) return fail(Error::internal("not everything was read"));
    if (const Item* const record = first_time()) return what_came_of(*record);
    TAVOLA_CHECK(take_first_reads());
    for (const Step& step : call_.operation->steps) {
      if (step.each.empty()) {
        TAVOLA_CHECK(take(step));
      } else {
        TAVOLA_CHECK(take_each(step));
      }
    }
    TAVOLA_CHECK(guard_first_reads());
    return finish();
  }

 private:
  std::optional<Stored> stored_of(std::size_t at) const {
    if (found_[at].empty()) return std::nullopt;
    const Item& item = found_[at].front();
    return Stored{item, decode(*call_.design, item).fields};
  }

  // The record of the first time, when this is not the first.
  const Item* first_time() const {
    const bool repeated = !purposes_.empty() && purposes_.front().once && !found_.front().empty();
    return repeated ? &found_.front().front() : nullptr;
  }

  Result<Plan> what_came_of(const Item& record) const {
    TAVOLA_TRY(const std::string given, fingerprint(call_));
    if (const auto then = record.find("given"); then == record.end() || then->second != Value(given)) {
      return fail(refused("DIFFERENT_REQUEST", "it was done before with other parameters"));
    }
    Plan plan{.returns = entity_of(call_.operation->returns), .repeated = true};
    if (const auto result = record.find("result");
        result != record.end() && result->second.type() == Type::Map) {
      plan.result = result->second.map();
    }
    return plan;
  }

  Result<void> take_first_reads() {
    for (std::size_t i = 0; i < purposes_.size(); ++i) {
      const ReadFirst* first = purposes_[i].first;
      if (first == nullptr) continue;
      std::optional<Stored> stored = stored_of(i);
      if (!stored && first->required) {
        return fail(refused("NOT_FOUND",
                            "there is no " + first->entity.text + " " + to_json(purposes_[i].key_fields)));
      }
      planner_.others()[first->name] = stored ? std::move(stored->fields) : Item();
    }
    return {};
  }

  Result<bool> is_taken(const Step& step) {
    if (!step.when) return true;
    return step.when->holds(
        {.parameters = &call_.parameters, .others = &planner_.others(), .now = call_.moment.now});
  }

  Result<void> take(const Step& step) {
    TAVOLA_TRY(const bool taken, is_taken(step));
    if (!taken) return {};
    Before before;
    for (std::size_t i = 0; i < purposes_.size(); ++i) {
      if (purposes_[i].step == &step) before = {true, stored_of(i)};
    }
    TAVOLA_TRY(Item key_fields, planner_.key_fields(step));
    if (step.kind == Step::Kind::Put) TAVOLA_CHECK(add_snapshots(call_, planner_.others(), step, key_fields));
    return planner_.plan(step, key_fields, before);
  }

  // What the pattern found takes the place of what is stored, as far as it has the fields.
  Result<void> take_each(const Step& step) {
    const Entity& entity = *call_.design->find_entity(step.entity.text);
    for (std::size_t i = 0; i < purposes_.size(); ++i) {
      if (purposes_[i].each != &step) continue;
      for (const Item& item : found_[i]) {
        const Decoded decoded = decode(*call_.design, item);
        if (decoded.entity != purposes_[i].read.entity) continue;
        planner_.others()[step.element] = decoded.fields;
        TAVOLA_TRY(const bool taken, is_taken(step));
        if (!taken) continue;
        Stored stored{.item = {}, .fields = {}};
        for (const Attribute& field : entity.fields) {
          const auto value = decoded.fields.find(field.name);
          if (value != decoded.fields.end()) stored.fields[field.name] = value->second;
        }
        TAVOLA_TRY(const Item key_fields, planner_.key_fields(step));
        for (const auto& [field, value] : key_fields) stored.fields[field] = value;
        stored.item = item;
        TAVOLA_CHECK(
            planner_.plan(step, key_fields,
                          {decoded.entity == &entity || step.kind == Step::Kind::Delete, std::move(stored)}));
      }
    }
    return {};
  }

  Result<void> guard_first_reads() {
    for (std::size_t i = 0; i < purposes_.size(); ++i) {
      const ReadFirst* first = purposes_[i].first;
      if (first == nullptr) continue;
      const FieldNames used = fields_used_of(*call_.operation, first->name);
      if (used.empty() && !first->required) continue;
      const Entity& entity = *call_.design->find_entity(first->entity.text);
      TAVOLA_TRY(const Item key, key_of(*call_.design, entity, purposes_[i].key_fields));
      TAVOLA_TRY(PendingWrite* const write, writes_.on(PendingWrite::Kind::Check, key));
      add_unchanged(*call_.design, entity, used,
                    found_[i].empty() ? std::nullopt : std::optional<Item>(found_[i].front()), *write);
    }
    return {};
  }

  Result<Plan> finish() {
    Plan plan;
    const Operation& operation = *call_.operation;
    if (!operation.returns.empty()) {
      plan.result = planner_.others()[operation.returns];
      plan.returns = entity_of(operation.returns);
      const auto partly = planner_.partly_known().find(operation.returns);
      if (partly != planner_.partly_known().end()) plan.read_back = partly->second;
    }
    TAVOLA_CHECK(remember_once(plan));
    TAVOLA_TRY(plan.actions, std::move(writes_).finish());
    if (plan.actions.size() > limits::kTransactionActionsMax) {
      return fail(refused("TOO_MANY", "it would write " + std::to_string(plan.actions.size()) +
                                          " items, and a transaction writes " +
                                          std::to_string(limits::kTransactionActionsMax) + " at most"));
    }
    return plan;
  }

  const Entity* entity_of(const std::string& name) const {
    for (const ReadFirst& read : call_.operation->reads) {
      if (read.name == name) return call_.design->find_entity(read.entity.text);
    }
    for (const Step& step : call_.operation->steps) {
      if (step.as == name) return call_.design->find_entity(step.entity.text);
    }
    return nullptr;
  }

  // With which parameters it was done and what came of it.
  Result<void> remember_once(const Plan& plan) {
    const std::optional<Item> key = once_key(call_);
    if (!key) return {};
    TAVOLA_TRY(PendingWrite* const write, writes_.on(PendingWrite::Kind::Put, *key));
    write->item = *key;
    TAVOLA_TRY(write->item["given"], fingerprint(call_));
    write->item["result"] = Value(Map(plan.result));
    write->causes.push_back({.kind = Cause::Kind::Changed,
                             .name = {},
                             .reason = "it was done before",
                             .condition = absent_condition(call_.design->table, write->parts)});
    return {};
  }

  const Call& call_;
  const ReadItems& found_;
  std::vector<Purpose> purposes_;
  PendingWrites writes_;
  StepPlanner planner_;
};

}  // namespace

Result<Call> begin(const Design& design, const Operation& operation, const Item& given,
                   const Moment& moment) {
  Call call{.design = &design, .operation = &operation, .given = given, .moment = moment};
  TAVOLA_TRY(call.parameters, check_parameters(operation.parameters, given, moment));
  return call;
}

Result<std::vector<Read>> reads(const Call& call) {
  TAVOLA_TRY(std::vector<Purpose> all, purposes(call));
  std::vector<Read> reads;
  for (Purpose& purpose : all) reads.push_back(std::move(purpose.read));
  return reads;
}

Error refused(std::string name, std::string reason) {
  std::string message = name + ": " + reason;
  return {ErrorCode::ConditionalCheckFailed, std::move(message),
          std::make_shared<Refusal>(std::move(name), std::move(reason))};
}

Result<Plan> plan(const Call& call, const ReadItems& found) { return Planning(call, found).run(); }

const Cause& meaning(const Action& action, const std::optional<Item>& stored) {
  const Result<PackedItem> packed = pack(stored.value_or(Item()));
  return std::visit(
      [&](const auto& write) -> const Cause& {
        for (const Cause& cause : action.causes) {
          expr::Compiler compiler(write.names, write.values.view());
          const Result<expr::Condition> condition = compiler.condition(cause.condition);
          if (packed && condition && !condition->holds(packed->view())) return cause;
        }
        // All of them hold for what is said to be stored: it has changed once more.
        static const Cause changed{Cause::Kind::Changed, {}, "it changed meanwhile", {}};
        return changed;
      },
      action.write);
}

std::string_view condition_of(const TransactWrite& write) {
  return std::visit([](const auto& one) -> std::string_view { return one.condition_expression; }, write);
}

}  // namespace tavola::design
