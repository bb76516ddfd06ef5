#include "workshop/cost/explain.h"

#include <algorithm>

#include "base/joined.h"
#include "base/overloaded.h"
#include "design/lint/overlapping_entities.h"
#include "design/model/arguments.h"
#include "design/model/timestamps.h"
#include "design/requests/pattern_request.h"
#include "wire/client/write_requests.h"

namespace tavola::workshop {
namespace {

using design::AttributeType;
using design::Design;
using design::Parameter;
using design::Pattern;
using Kind = AttributeType::Kind;

Sent sent_read(const design::ReadRequest& request) {
  return std::visit(Overloaded{[](const GetItemRequest& get) { return Sent{"GetItem", wire::to_json(get)}; },
                               [](const QueryRequest& query) { return Sent{"Query", wire::to_json(query)}; },
                               [](const ScanRequest& scan) { return Sent{"Scan", wire::to_json(scan)}; }},
                    request);
}

// ---- Missing parameters ----

bool is_number(const AttributeType& type) { return design::stored_type(type) == Type::Number; }

// Numbers cannot be `<name>`. These stand for them while the request is built; no real request has such a
// number.
std::string stand_in(std::size_t place) { return std::to_string(77'123'450'009'000 + place); }

struct Gap {
  const Parameter* parameter = nullptr;
  std::string stand_in;  // for a number
};

struct Filled {
  Item values;
  std::vector<Gap> gaps;
};

// Returns the given values, checked, and an example or a mark for each missing one.
Result<Filled> fill(const Pattern& pattern, const Item& given, WallTime now) {
  std::vector<Parameter> sure;
  Filled filled;
  for (const Parameter& parameter : pattern.parameters) {
    // The caller is not known here.
    const bool has_default = parameter.otherwise && !parameter.otherwise->uses_caller();
    const bool is_gap = !given.contains(parameter.name) && parameter.required && !has_default;
    if (is_gap) filled.gaps.push_back({&parameter, {}});
    if (!is_gap) sure.push_back(parameter);
  }
  TAVOLA_TRY(filled.values, design::check_parameters(sure, given, {.now = now}));
  for (Gap& gap : filled.gaps) {
    Value& value = filled.values[gap.parameter->name];
    const design::Attribute& form = gap.parameter->form;
    if (form.example) {
      value = *form.example;
    } else if (is_number(form.type)) {
      gap.stand_in = stand_in(static_cast<std::size_t>(&gap - filled.gaps.data()));
      value = Number::parse(gap.stand_in).value_or(Number());
    } else if (form.type.kind == Kind::Boolean) {
      value = true;
    } else {
      value = "<" + gap.parameter->name + ">";
    }
  }
  return filled;
}

// Returns values of the right form, for templates and filters that do not accept a mark.
Item plausible(const Filled& filled, WallTime now) {
  Item values = filled.values;
  for (const Gap& gap : filled.gaps) {
    const AttributeType& type = gap.parameter->form.type;
    if (gap.parameter->form.example) continue;
    if (type.is_timestamp()) values[gap.parameter->name] = design::write_moment(type, now);
    if (type.kind == Kind::Number || type.kind == Kind::Integer) values[gap.parameter->name] = 1;
  }
  return values;
}

void replace_all(std::string& text, std::string_view what, std::string_view by) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size())) {
    text.replace(at, what.size(), by);
  }
}

Result<Sent> request_of(const Design& design, const Pattern& part, const Filled& filled, WallTime now) {
  Result<design::ReadRequest> request = design::read_request(design, part, filled.values, {.now = now});
  if (!request && !filled.gaps.empty()) {
    request = design::read_request(design, part, plausible(filled, now), {.now = now});
  }
  if (!request) return fail(request.error());
  Sent sent = sent_read(*request);
  for (const Gap& gap : filled.gaps) {
    if (!gap.stand_in.empty()) replace_all(sent.request, gap.stand_in, "<" + gap.parameter->name + ">");
  }
  return sent;
}

// ---- Costs and notes ----

std::vector<ReadCost> costs_of(const Design& design, const Pattern& part) {
  if (part.form == Pattern::Form::Scan) return {};
  if (part.form == Pattern::Form::Get) return {{1, units_to_read(design, part, 1)}};
  std::vector<ReadCost> costs;
  for (const std::int64_t items : {1, 10, 100, 1000}) {
    if (part.limit && items >= *part.limit) break;
    costs.push_back({items, units_to_read(design, part, items)});
  }
  if (part.limit) costs.push_back({*part.limit, units_to_read(design, part, *part.limit)});
  return costs;
}

std::vector<std::string> notes_of(const Design& design, const Pattern& part) {
  std::vector<std::string> notes;
  if (part.form == Pattern::Form::Scan) notes.emplace_back("It reads the whole table, whatever it returns.");
  if (part.filter) notes.emplace_back("Items that the filter excludes are read and paid for as well.");
  if (!part.follow.empty()) {
    const design::Entity& target = *design::found_by(design, part);
    notes.push_back("For each item, the " + target.name + " that `" + part.follow.text + "` of " +
                    part.entity.text + " names is read by BatchGetItem, about " +
                    std::to_string(item_bytes(design, target)) + " bytes and " +
                    to_text(units_to_follow(design, part)) + " units each; the read units include it.");
  }
  const design::Index* const index = design.find_index(part.via.text);
  if (index == nullptr) return notes;
  if (!index->local) notes.emplace_back("A global index is updated shortly after the table.");
  if (index->projection.type != ProjectionType::All && part.follow.empty()) {
    notes.emplace_back("The index holds a part of each item; the rest takes a GetItem by its key.");
  }
  return notes;
}

Result<ExplainedRead> explain_part(const Design& design, const Pattern& part, const Filled& filled,
                                   WallTime now) {
  ExplainedRead read{.pattern = part.name, .entity = part.entity.text};
  if (const design::Entity* const found = design::found_by(design, part)) read.entity = found->name;
  TAVOLA_TRY(read.sent, request_of(design, part, filled, now));
  if (design.find_index(part.via.text) != nullptr) read.index = part.via.text;
  if (part.consistent) read.consistency = Consistency::Strong;
  read.item_bytes = bytes_read(design, part);
  read.costs = costs_of(design, part);
  for (const design::Entity* entity : design::also_read(design, part)) read.also.push_back(entity->name);
  read.notes = notes_of(design, part);
  return read;
}

Sent sent_action(const TransactWrite& action) {
  return std::visit(
      Overloaded{[](const PutItemRequest& put) { return Sent{"PutItem", wire::to_json(put)}; },
                 [](const UpdateItemRequest& update) { return Sent{"UpdateItem", wire::to_json(update)}; },
                 [](const DeleteItemRequest& remove) { return Sent{"DeleteItem", wire::to_json(remove)}; },
                 [&](const ConditionCheck&) {
                   return Sent{"TransactWriteItems",
                               wire::to_json(TransactWriteItemsRequest{.actions = {action}})};
                 }},
      action);
}

}  // namespace

Result<Explanation> explain(const Design& design, const Pattern& pattern, const Item& given, WallTime now) {
  Explanation explanation{.name = pattern.name, .title = pattern.notes.title};
  if (pattern.form == Pattern::Form::None || pattern.form == Pattern::Form::Transition) return explanation;
  TAVOLA_TRY(const Filled filled, fill(pattern, given, now));
  const bool is_aggregate = pattern.form == Pattern::Form::Aggregate;
  for (const Pattern* part : design::parts_of(design, pattern)) {
    Pattern whole = *part;
    if (is_aggregate) whole.limit.reset();  // all pages are read
    TAVOLA_TRY(ExplainedRead read, explain_part(design, whole, filled, now));
    if (is_aggregate) {
      read.notes.push_back("All pages are read, and " + pattern.name +
                           " computes its rows from these items: " +
                           joined(pattern.row->fields, &design::Attribute::name) + ".");
    }
    explanation.reads.push_back(std::move(read));
  }
  return explanation;
}

Result<std::vector<Sent>> explain_reads(const Design& design, const design::Operation& operation,
                                        const Item& given, const design::Ambient& ambient) {
  TAVOLA_TRY(const design::Call call, design::begin(design, operation, given, ambient));
  TAVOLA_TRY(const std::vector<design::Read> reads, design::reads(call));
  std::vector<Sent> sent;
  sent.reserve(reads.size());
  for (const design::Read& read : reads) sent.push_back(sent_read(read.request));
  return sent;
}

Result<ExplainedWrites> explain_writes(const Design& design, const design::Operation& operation,
                                       const Item& given, const design::Ambient& ambient,
                                       const design::ReadItems& found) {
  TAVOLA_TRY(design::Call call, design::begin(design, operation, given, ambient));
  TAVOLA_TRY(const std::vector<design::Read> reads, design::reads(call));
  const auto first = static_cast<std::ptrdiff_t>(std::min(reads.size(), found.size()));
  const design::ReadItems planned(found.begin(), found.begin() + first);
  design::ReadItems further(found.begin() + first, found.end());
  std::vector<Sent> unread;
  const design::ReadRelated read = [&](const design::Read& one) -> Result<std::vector<Item>> {
    if (further.empty()) {
      unread.push_back(sent_read(one.request));
      return std::vector<Item>();
    }
    std::vector<Item> items = std::move(further.front());
    further.erase(further.begin());
    return items;
  };
  Result<design::Plan> made = design::plan(call, planned, read);
  if (!unread.empty()) return ExplainedWrites{.unread = std::move(unread)};  // made without them, or refused
  TAVOLA_TRY(const design::Plan plan, std::move(made));
  ExplainedWrites writes{.result = plan.result};
  if (plan.actions.size() == 1) writes.sent = sent_action(plan.actions.front().write);
  if (plan.actions.size() > 1) {
    TransactWriteItemsRequest request;
    for (const design::Action& action : plan.actions) request.actions.push_back(action.write);
    writes.sent = {"TransactWriteItems", wire::to_json(request)};
  }
  if (plan.read_back) {
    GetItemRequest request{.table_name = design.table.name, .consistent_read = true};
    TAVOLA_TRY(request.key, pack(*plan.read_back));
    writes.read_back = {"GetItem", wire::to_json(request)};
  }
  for (std::size_t i = 0; i < plan.actions.size(); ++i) {
    for (const design::Cause& cause : plan.actions[i].causes) writes.causes.push_back({i, cause});
  }
  return writes;
}

}  // namespace tavola::workshop
