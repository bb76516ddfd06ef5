#include "design/requests/operation_plan.h"

#include <algorithm>
#include <map>

#include "base/digest.h"
#include "base/encoding.h"
#include "base/overloaded.h"
#include "design/items/dependent_writes.h"
#include "design/model/arguments.h"
#include "design/model/plain_json.h"
#include "design/model/refusal.h"
#include "design/requests/step_plan.h"
#include "design/requests/unchanged.h"
#include "expr/evaluate/compile.h"
#include "value/limits.h"

namespace tavola::design {
namespace {

// The reads of an operation by purpose. Each item is read once.
struct PlannedReads {
  std::vector<Read> reads;
  std::map<const ReadFirst*, std::size_t> first;  // its number by purpose: named in `read`,
  std::map<const Step*, std::size_t> stored;      // or the stored item of a step,
  std::map<const Step*, std::size_t> each;        // or the elements of an `each`,
  std::optional<std::size_t> once;                // or the record that the operation was done before
  std::map<const ReadFirst*, Item> key_fields;

  Result<std::size_t> get(const Design& design, const Entity* entity, const Item& key) {
    GetItemRequest request{.table_name = design.table.name, .consistent_read = true};
    TAVOLA_TRY(request.key, pack(key));
    for (std::size_t i = 0; i < reads.size(); ++i) {
      const auto* other = std::get_if<GetItemRequest>(&reads[i].request);
      if (other != nullptr && other->key == request.key) return i;
    }
    reads.push_back({std::move(request), entity});
    return reads.size() - 1;
  }
};

Result<Item> key_fields_of(const Call& call, const ReadFirst& read) {
  Item key_fields;
  for (const Assignment& assignment : read.key) {
    TAVOLA_TRY(const std::optional<Value> value,
               assignment.value.value(call.ambient.with({.parameters = &call.parameters})));
    if (value) key_fields[assignment.field] = *value;
  }
  return key_fields;
}

Result<Read> each_read(const Call& call, const Step& step) {
  const Pattern& pattern = *call.design->find_pattern(step.each.text);
  Item parameters;
  for (const Parameter& parameter : pattern.parameters) {
    const auto found = call.parameters.find(parameter.name);
    if (!step.implied && found != call.parameters.end()) parameters[parameter.name] = found->second;
  }
  for (const Assignment& given : step.given) {
    TAVOLA_TRY(const std::optional<Value> value,
               given.value.value(call.ambient.with({.parameters = &call.parameters})));
    if (value) parameters[given.field] = *value;
  }
  TAVOLA_TRY(parameters, check_parameters(pattern.parameters, parameters, call.ambient));
  Read read{.request = {}, .entity = call.design->find_entity(pattern.entity.text)};
  if (step.implied) read.enough = step.kind == Step::Kind::Check ? 1 : limits::kTransactionActionsMax + 1;
  TAVOLA_TRY(read.request, read_request(*call.design, pattern, parameters, call.ambient));
  if (auto* query = std::get_if<QueryRequest>(&read.request)) {
    query->consistent_read = query->index_name.empty();
  }
  return read;
}

// Returns the key of the internal record that the operation was done (idempotent_by).
std::optional<Item> once_key(const Call& call) {
  const auto text_of = [&call](const std::string& parameter) -> std::optional<std::string> {
    const auto found = call.parameters.find(parameter);
    if (found == call.parameters.end()) return std::nullopt;
    return found->second.is_string() ? found->second.string() : to_json(found->second);
  };
  const std::optional<std::string> by = text_of(call.operation->idempotent_by);
  if (!by) return std::nullopt;
  // No operation's name has a '/', so records with a scope differ from those without.
  const std::vector<Word>& within = call.operation->idempotent_within;
  std::string name = call.operation->name + (within.empty() ? "#" + *by : "/");
  for (const Word& scope : within) name += record_part(text_of(scope.text).value_or("")) + "#";
  if (!within.empty()) name += record_part(*by);
  return record_key(call.design->table, "$once", name);
}

// Returns equal texts for equal calls. Plain JSON, so that generated code in other languages (workshop/runtime/) makes
// the same.
std::string fingerprint(const Call& call) {
  Item given = call.given;
  std::erase_if(given, [](const auto& parameter) { return parameter.second.is_null(); });
  return to_hex(sha256({to_plain_json(given)}));
}

// A key field with a wrong value is a parameter only if the operation has one of that name.
Error about_parameters(const Call& call, const Error& error) {
  const auto* const bad = error.detail<BadParameter>();
  const std::vector<Parameter>& known = call.operation->parameters;
  const bool is_one = bad == nullptr || std::ranges::find(known, bad->name, &Parameter::name) != known.end();
  return is_one ? error : Error(error.code(), error.message());
}

// Decides conditions over parameters alone, before anything is read.
Result<bool> may_be_taken(const Call& call, const Step& step) {
  if (!step.when || !step.when->paths().empty()) return true;
  return step.when->holds(call.ambient.with({.parameters = &call.parameters}));
}

Result<void> add_step(const Call& call, const StepPlanner& planner, const Step& step, PlannedReads& reading) {
  if (!step.each.empty()) {
    TAVOLA_TRY(Read read, each_read(call, step));
    reading.each[&step] = reading.reads.size();
    reading.reads.push_back(std::move(read));
    return {};
  }
  TAVOLA_TRY(const bool may_be, may_be_taken(call, step));
  if (!may_be) return {};
  TAVOLA_TRY(const Item key_fields, planner.key_fields(step));
  TAVOLA_TRY(const bool needed, planner.needs_stored(step, key_fields));
  if (!needed) return {};
  const Entity& entity = *call.design->find_entity(step.entity.text);
  TAVOLA_TRY(const Item key, key_of(*call.design, entity, key_fields));
  TAVOLA_TRY(reading.stored[&step], reading.get(*call.design, &entity, key));
  return {};
}

Result<PlannedReads> reading_of(const Call& call) {
  PlannedReads reading;
  if (const std::optional<Item> key = once_key(call)) {
    TAVOLA_TRY(reading.once, reading.get(*call.design, nullptr, *key));
  }
  for (const ReadFirst& read : call.operation->reads) {
    const Entity& entity = *call.design->find_entity(read.entity.text);
    TAVOLA_TRY(reading.key_fields[&read], key_fields_of(call, read));
    TAVOLA_TRY(const Item key, key_of(*call.design, entity, reading.key_fields[&read]));
    TAVOLA_TRY(reading.first[&read], reading.get(*call.design, &entity, key));
  }
  PendingWrites none(call.design->table);
  const StepPlanner planner(call, none);
  for (const Step& step : call.operation->steps) {
    if (!call.leaves_out(step)) TAVOLA_CHECK(add_step(call, planner, step, reading));
  }
  return reading;
}

// Returns the fields of a read item that the operation uses: in expressions, and for snapshots.
FieldNames fields_used_of(const Design& design, const Operation& operation, const ReadFirst& read) {
  FieldNames fields = fields_used_of(operation, read.name);
  for (const Copy& copy : design.copies) {
    const bool is_taken = std::ranges::any_of(operation.steps, [&](const Step& step) {
      return step.kind == Step::Kind::Put && step.entity.text == copy.to.text;
    });
    if (copy.kind != Copy::Kind::Snapshot || copy.from.text != read.entity.text || !is_taken) continue;
    for (const Assignment& carried : copy.carry) fields.merge(fields_read(carried.value));
  }
  return fields;
}

// Adds the fields that a snapshot takes from the item read, unless the step sets them.
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

class OperationPlanner {
 public:
  OperationPlanner(const Call& call, const ReadItems& found)
      : call_(call), found_(found), writes_(call.design->table), planner_(call, writes_) {}

  Result<Plan> run() {
    TAVOLA_TRY(reading_, reading_of(call_));
    if (found_.size() != reading_.reads.size()) return fail(Error::internal("a planned read is missing"));
    if (const Item* const record = first_time()) return what_came_of(*record);
    TAVOLA_CHECK(take_first_reads());
    for (const Step& step : call_.operation->steps) {
      if (call_.leaves_out(step)) continue;
      if (step.each.empty()) {
        TAVOLA_CHECK(take(step));
        if (planner_.existing())
          return Plan{.returns = entity_of(step.as), .result = *planner_.existing(), .repeated = true};
      } else {
        TAVOLA_CHECK(take_each(step));
      }
    }
    if (!writes_.unread().empty()) return Plan{.unread = writes_.unread()};
    TAVOLA_CHECK(guard_first_reads());
    return finish();
  }

 private:
  std::optional<Stored> stored_of(std::size_t at) const {
    if (found_[at].empty()) return std::nullopt;
    const Item& item = found_[at].front();
    return Stored{item, decode(*call_.design, item).fields};
  }

  // Returns the record of the first call, if this is a repeated one.
  const Item* first_time() const {
    return reading_.once && !found_[*reading_.once].empty() ? &found_[*reading_.once].front() : nullptr;
  }

  Result<Plan> what_came_of(const Item& record) const {
    if (const auto then = record.find("given");
        then == record.end() || then->second != Value(fingerprint(call_))) {
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
    for (const auto& [first, at] : reading_.first) {
      std::optional<Stored> stored = stored_of(at);
      if (!stored && first->required) {
        return fail(missing("NOT_FOUND", "there is no " + first->entity.text + " " +
                                             to_plain_json(reading_.key_fields.at(first))));
      }
      planner_.others()[first->name] = stored ? std::move(stored->fields) : Item();
    }
    return {};
  }

  Result<bool> is_taken(const Step& step) {
    if (!step.when) return true;
    return step.when->holds(
        call_.ambient.with({.parameters = &call_.parameters, .others = &planner_.others()}));
  }

  Result<void> take(const Step& step) {
    TAVOLA_TRY(const bool taken, is_taken(step));
    if (!taken) return {};
    Before before;
    if (const auto at = reading_.stored.find(&step); at != reading_.stored.end()) {
      before = {true, stored_of(at->second)};
    }
    TAVOLA_TRY(Item key_fields, planner_.key_fields(step));
    if (step.kind == Step::Kind::Put) TAVOLA_CHECK(add_snapshots(call_, planner_.others(), step, key_fields));
    return planner_.plan(step, key_fields, before);
  }

  Result<void> take_each(const Step& step) {
    const std::size_t at = reading_.each.at(&step);
    std::vector<Item> taken;  // an item that moves in an index during the read may be found twice
    for (const Item& item : found_[at]) {
      const Decoded decoded = decode(*call_.design, item);
      if (decoded.entity != reading_.reads[at].entity) continue;
      planner_.others()[step.element] = decoded.fields;
      TAVOLA_TRY(const bool is_one, is_taken(step));
      if (!is_one) continue;
      TAVOLA_TRY(const Item key_fields, planner_.key_fields(step));
      if (std::ranges::find(taken, key_fields) != taken.end()) continue;
      taken.push_back(key_fields);
      if (step.implied && step.kind == Step::Kind::Check) {
        return fail(refused(step.otherwise,
                            "the " + step.entity.text + " " + to_plain_json(key_fields) + " still names it"));
      }
      TAVOLA_TRY(const Before before, before_of(step, key_fields, {item, decoded.fields}));
      TAVOLA_CHECK(planner_.plan(step, key_fields, before));
    }
    return {};
  }

  // Uses the item that the pattern found in place of the stored one. For a delete, some fields of the step's entity
  // suffice; a change needs the whole item.
  Result<Before> before_of(const Step& step, const Item& key_fields, Stored found) const {
    const std::size_t at = reading_.each.at(&step);
    const Entity& entity = *call_.design->find_entity(step.entity.text);
    TAVOLA_TRY(const Item key, key_of(*call_.design, entity, key_fields));
    const bool is_same = std::ranges::all_of(key, [&](const auto& part) {
      const auto attribute = found.item.find(part.first);
      return attribute != found.item.end() && attribute->second == part.second;
    });
    const auto has_consequence = [&entity](const Consequence& one) { return is_of(one, entity); };
    const bool is_partial = !is_same || !is_whole(reading_.reads[at].request);
    const bool needs_all = std::ranges::any_of(call_.design->consequences, has_consequence);
    if (step.kind == Step::Kind::Delete && !(needs_all && is_partial)) {
      std::erase_if(found.fields,
                    [&](const auto& field) { return entity.find_field(field.first) == nullptr; });
      for (const auto& [field, value] : key_fields) found.fields[field] = value;
      if (!is_same) found.item.clear();
      return Before{true, std::move(found)};
    }
    TAVOLA_TRY(const bool needed, planner_.needs_stored(step, key_fields));
    if (!needed) return Before();
    if (!is_partial) return Before{true, std::move(found)};
    return fail(Error::validation("the step on each " + step.element + " needs the whole " + entity.name +
                                  ", and " + step.each.text + " does not return it"));
  }

  // Returns whether a request returns all attributes of its items.
  bool is_whole(const ReadRequest& request) const {
    const std::string name =
        std::visit(Overloaded{[](const GetItemRequest&) { return std::string(); },
                              [](const auto& query_or_scan) { return query_or_scan.index_name; }},
                   request);
    return name.empty() || call_.design->find_index(name)->projection.type == ProjectionType::All;
  }

  Result<void> guard_first_reads() {
    for (const auto& [first, at] : reading_.first) {
      const FieldNames used = fields_used_of(*call_.design, *call_.operation, *first);
      if (used.empty() && !first->required) continue;
      const Entity& entity = *call_.design->find_entity(first->entity.text);
      TAVOLA_TRY(const Item key, key_of(*call_.design, entity, reading_.key_fields.at(first)));
      TAVOLA_TRY(PendingWrite* const write, writes_.on(PendingWrite::Kind::Check, key));
      add_unchanged(*call_.design, entity, used,
                    found_[at].empty() ? std::nullopt : std::optional<Item>(found_[at].front()), *write);
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
      return fail(refused(std::string(kTooMany), "it would write " + std::to_string(plan.actions.size()) +
                                                     " items; the maximum of a transaction is " +
                                                     std::to_string(limits::kTransactionActionsMax)));
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

  // Writes the record of the call: its parameters and its result.
  Result<void> remember_once(const Plan& plan) {
    const std::optional<Item> key = once_key(call_);
    if (!key) return {};
    TAVOLA_TRY(PendingWrite* const write, writes_.on(PendingWrite::Kind::Put, *key));
    write->item = *key;
    write->item["given"] = fingerprint(call_);
    write->item["result"] = Value(Map(plan.result));
    write->causes.push_back({.kind = Cause::Kind::Changed,
                             .name = {},
                             .reason = "it was done before",
                             .condition = absent_condition(call_.design->table, write->parts)});
    return {};
  }

  const Call& call_;
  const ReadItems& found_;
  PlannedReads reading_;
  PendingWrites writes_;
  StepPlanner planner_;
};

}  // namespace

Result<Call> begin(const Design& design, const Operation& operation, const Item& given,
                   const Ambient& ambient) {
  Call call{.design = &design, .operation = &operation, .given = given, .ambient = ambient};
  TAVOLA_TRY(call.parameters, check_parameters(operation.parameters, given, ambient));
  return call;
}

Result<std::vector<Read>> reads(const Call& call) {
  Result<PlannedReads> reading = reading_of(call);
  if (!reading) return fail(about_parameters(call, reading.error()));
  return std::move(reading->reads);
}

Error refused(std::string name, std::string reason) {
  return refused(
      {.kind = Cause::Kind::Refusal, .name = std::move(name), .reason = std::move(reason), .condition = {}});
}

Error missing(std::string name, std::string reason) {
  return refused({.kind = Cause::Kind::Refusal,
                  .name = std::move(name),
                  .reason = std::move(reason),
                  .condition = {},
                  .is_missing = true});
}

Error refused(const Cause& cause) {
  if (!cause.field.empty()) {
    return {ErrorCode::Validation, "Tavola: " + cause.reason,
            std::make_shared<Violation>(cause.name, cause.field)};
  }
  const auto refusal = std::make_shared<Refusal>(cause.name, cause.reason);
  refusal->is_missing = cause.is_missing;
  return {ErrorCode::ConditionalCheckFailed, cause.name + ": " + cause.reason, refusal};
}

Result<Plan> plan(const Call& call, const ReadItems& found) {
  Result<Plan> plan = OperationPlanner(call, found).run();
  if (!plan) return fail(about_parameters(call, plan.error()));
  return plan;
}

Result<Plan> plan(Call& call, const ReadItems& found, const ReadRelated& read) {
  call.related.clear();
  for (;;) {
    TAVOLA_TRY(Plan planned, plan(call, found));
    if (planned.unread.empty()) return planned;
    for (const Read& one : planned.unread) {
      TAVOLA_TRY(const std::vector<Item> items, read(one));
      const std::string& key = std::get<GetItemRequest>(one.request).key.bytes();
      call.related.insert_or_assign(key, items.empty() ? std::nullopt : std::optional(items.front()));
    }
  }
}

const Cause& meaning(const Action& action, const std::optional<Item>& stored) {
  const Result<PackedItem> packed = pack(stored.value_or(Item()));
  return std::visit(
      [&](const auto& write) -> const Cause& {
        for (const Cause& cause : action.causes) {
          expr::Compiler compiler(write.names, write.values.view());
          const Result<expr::Condition> condition = compiler.condition(cause.condition);
          if (packed && condition && !condition->holds(packed->view())) return cause;
        }
        // All conditions hold for the item that is reported as stored: it has changed once more.
        static const Cause changed{Cause::Kind::Changed, {}, "it changed concurrently", {}};
        return changed;
      },
      action.write);
}

std::string_view condition_of(const TransactWrite& write) {
  return std::visit([](const auto& one) -> std::string_view { return one.condition_expression; }, write);
}

}  // namespace tavola::design
