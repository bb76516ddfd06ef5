#include <algorithm>

#include "base/joined.h"
#include "design/lint/overlapping_entities.h"
#include "design/requests/aggregate.h"
#include "design/requests/pattern_request.h"
#include "workshop/cost/estimate.h"
#include "workshop/docs/docs_sections.h"

namespace tavola::workshop {
namespace {

using design::Design;
using design::Operation;
using design::Parameter;
using design::Pattern;
using design::Step;

const design::KeyAttribute& hash_of(const Design& design, const std::string& via) {
  const design::Index* const index = design.find_index(via);
  return index == nullptr ? design.table.hash : index->hash;
}
const std::optional<design::KeyAttribute>& range_of(const Design& design, const std::string& via) {
  const design::Index* const index = design.find_index(via);
  return index == nullptr ? design.table.range : index->range;
}

std::string key_condition(const Design& design, const Pattern& pattern) {
  std::string text =
      code(hash_of(design, pattern.via.text).name + " = " + (pattern.hash ? pattern.hash->text() : ""));
  const auto& range = range_of(design, pattern.via.text);
  if (pattern.range && range) text += " and " + code(range->name + " " + pattern.range->text);
  return text;
}

std::string followed_text(const Pattern& pattern) {
  return pattern.follow.empty() ? "" : ", then BatchGetItem";
}

// Returns "Query on GSI1", for the table of all patterns.
std::string request_text(const Design& design, const Pattern& pattern) {
  switch (pattern.form) {
    case Pattern::Form::Get:
      return "GetItem";
    case Pattern::Form::Query:
      return "Query on " + place_text(design, pattern.via.text) + followed_text(pattern);
    case Pattern::Form::Scan:
      return "Scan of " + place_text(design, pattern.via.text) + followed_text(pattern);
    case Pattern::Form::Union:
      return joined(pattern.parts, &design::Word::text);
    case Pattern::Form::Transition:
      return "by operations";
    case Pattern::Form::Aggregate:
      return "rows computed from " + code(pattern.over.text);
    case Pattern::Form::None:
      break;
  }
  return pattern.planned ? "planned" : "none";
}

std::string parameter_text(const Parameter& parameter) {
  std::string text = code(parameter.name) + " (" + design::type_text(parameter.form.type);
  if (parameter.otherwise) text += ", " + code(parameter.otherwise->text()) + " by default";
  if (!parameter.otherwise && !parameter.required) text += ", optional";
  text += ")";
  if (!parameter.form.notes.doc.empty()) text += ": " + parameter.form.notes.doc;
  return text;
}

// Documented parameters have their own lines; the others share one.
void add_parameters(std::vector<std::string>& lines, const std::vector<Parameter>& parameters) {
  if (parameters.empty()) return;
  const bool are_short =
      std::ranges::all_of(parameters, [](const Parameter& one) { return one.form.notes.doc.empty(); });
  if (are_short) {
    lines.push_back("Parameters: " + joined(parameters, parameter_text));
    return;
  }
  std::string text = "Parameters:";
  for (const Parameter& parameter : parameters) text += "\n  - " + parameter_text(parameter);
  lines.push_back(std::move(text));
}

std::string cost_text(const Design& design, const Pattern& pattern) {
  const std::size_t bytes = bytes_read(design, pattern);
  if (pattern.form == Pattern::Form::Scan)
    return "Cost: reads the whole table, an eighth of a unit for each KB.";
  const std::string consistency = pattern.consistent ? ", strongly consistent" : "";
  const Units one = units_to_read(design, pattern, 1);
  std::string text = "Cost: " + to_text(one) + (one.halves == 2 ? " read unit" : " read units");
  if (pattern.form == Pattern::Form::Get)
    return text + " for an item of about " + std::to_string(bytes) + " bytes" + consistency + ".";
  const std::int64_t page = pattern.limit.value_or(100);
  return text + " for one item of about " + std::to_string(bytes) + " bytes, " +
         to_text(units_to_read(design, pattern, page)) + " for " + std::to_string(page) + consistency + ".";
}

void add_aggregate(std::vector<std::string>& lines, const Pattern& pattern) {
  const std::string groups = joined(pattern.by, [](const design::Assignment& group) {
    const bool is_field = group.value.text() == group.field;
    return code(group.field) + (is_field ? "" : " = " + code(group.value.text()));
  });
  lines.push_back("Computed from all items of " + code(pattern.over.text) +
                  (groups.empty() ? ", as one row" : ", a row for each " + groups));
  lines.push_back("Computes " + joined(pattern.measures, [](const design::Measure& measure) {
                    return code(measure.name) + " = " + code(design::measure_text(measure));
                  }));
  std::string order;
  if (!pattern.order_by.empty()) order = "By " + code(pattern.order_by.text);
  if (pattern.backwards) order += order.empty() ? "In descending order" : ", descending";
  if (pattern.limit)
    order += (order.empty() ? "The first " : "; the first ") + std::to_string(*pattern.limit) + " rows";
  if (!order.empty()) lines.push_back(std::move(order));
}

std::vector<std::string> pattern_lines(const Design& design, const Pattern& pattern) {
  std::vector<std::string> lines;
  if (pattern.form == Pattern::Form::Get)
    lines.push_back("GetItem of " + pattern.entity.text + " by its key");
  if (pattern.form == Pattern::Form::Query) {
    lines.push_back("Query on " + place_text(design, pattern.via.text) + ": " +
                    key_condition(design, pattern) + (pattern.backwards ? ", backwards" : ""));
  }
  if (pattern.form == Pattern::Form::Scan) lines.push_back("Scan of " + place_text(design, pattern.via.text));
  if (pattern.form == Pattern::Form::Union) {
    lines.push_back("In order: " +
                    joined(pattern.parts, [](const design::Word& word) { return code(word.text); }));
  }
  if (pattern.form == Pattern::Form::Transition)
    lines.push_back("Served by the transitions of " + code(pattern.transition));
  if (!pattern.follow.empty()) {
    lines.push_back("Returns the " + design::found_by(design, pattern)->name + " that each " +
                    code(pattern.follow.text) + " names, by BatchGetItem; missing ones are left out");
  }
  if (pattern.filter) lines.push_back("Filter: " + code(pattern.filter->text()));
  if (pattern.form == Pattern::Form::Aggregate) add_aggregate(lines, pattern);
  if (pattern.limit && pattern.form != Pattern::Form::Aggregate)
    lines.push_back("Pages of " + std::to_string(*pattern.limit) + " items");
  add_parameters(lines, pattern.parameters);
  const bool is_request = pattern.form == Pattern::Form::Get || pattern.form == Pattern::Form::Query ||
                          pattern.form == Pattern::Form::Scan;
  if (is_request) lines.push_back(cost_text(design, pattern));
  if (pattern.form == Pattern::Form::Aggregate)
    lines.push_back("Cost: that of all pages of " + code(pattern.over.text) + ".");
  if (pattern.form == Pattern::Form::Query) {
    const auto others = also_read(design, pattern);
    if (!others.empty()) {
      lines.push_back("The same keys also hold: " +
                      joined(others, [](const design::Entity* one) { return one->name; }));
    }
  }
  return lines;
}

// ---- Operations ----

std::string otherwise_text(const std::string& name) { return ", otherwise **" + name + "**"; }

std::string step_head(const Step& step) {
  switch (step.kind) {
    case Step::Kind::Put:
      return "put " + step.entity.text;
    case Step::Kind::Update:
      return "update " + step.entity.text;
    case Step::Kind::Delete:
      return "delete " + step.entity.text;
    case Step::Kind::Check:
      return "check " + step.entity.text;
    case Step::Kind::Transition:
      return "transition " + code(step.transition.text) + " of " + step.entity.text;
  }
  return "";
}

bool must_exist(const Step& step) { return step.exists.value_or(step.kind != Step::Kind::Put); }

std::string named(const Step& step, std::string_view usual) {
  return step.otherwise.empty() ? std::string(usual) : step.otherwise;
}

std::string step_text(const Step& step) {
  std::string text = step_head(step);
  if (!step.each.empty()) text += " for each of " + code(step.each.text);
  if (step.implied) {
    text += step.kind == Step::Kind::Check ? ": there must be none" + otherwise_text(step.otherwise)
            : step.remove.empty()          ? ""
                                           : ": without " + code(step.remove.front().text);
    return text + " (`on_delete`)";
  }
  if (step.when) text += ", if " + code(step.when->text());
  if (step.returns_existing) text += ": if it exists, nothing is done, and the operation returns it; it";
  if (step.exists == false)
    text += std::string(step.returns_existing ? " must then be the same one" : ": must not exist") +
            otherwise_text(named(step, "ALREADY_EXISTS"));
  if (must_exist(step)) text += ": must exist" + otherwise_text(named(step, "NOT_FOUND"));
  if (step.kind == Step::Kind::Transition)
    text += "; must be in a state with this transition" + otherwise_text(named(step, "WRONG_STATE"));
  for (const design::Requirement& requirement : step.require) {
    const std::string name = requirement.otherwise.empty() ? named(step, "REFUSED") : requirement.otherwise;
    text += "\n   - needs " + code(requirement.that.text()) + otherwise_text(name);
  }
  std::vector<std::string> computed;
  for (const design::Assignment& one : step.set) {
    if (one.value.text() == ":" + one.field) continue;  // taken unchanged
    computed.push_back(code(one.field + " = " + one.value.text()));
  }
  if (!computed.empty()) text += "\n   - sets " + joined(computed);
  if (!step.remove.empty()) {
    text += "\n   - removes " + joined(step.remove, [](const design::Word& word) { return code(word.text); });
  }
  return text;
}

std::string steps_text(const Operation& operation) {
  std::string text;
  for (std::size_t i = 0; i < operation.steps.size(); ++i) {
    text += (i == 0 ? "" : "\n") + std::to_string(i + 1) + ". " + step_text(operation.steps[i]);
  }
  return text;
}

// Returns "put Sale, put Transaction, guard of sku ×2".
std::string writes_text(const OperationEstimate& cost) {
  std::vector<std::pair<std::string, int>> counted;
  for (const Access& access : cost.writes) {
    const auto same = std::ranges::find(counted, access.what, &std::pair<std::string, int>::first);
    same == counted.end() ? void(counted.emplace_back(access.what, 1)) : void(++same->second);
  }
  return joined(counted, [](const std::pair<std::string, int>& one) {
    return one.first + (one.second == 1 ? "" : " ×" + std::to_string(one.second));
  });
}

std::vector<std::string> operation_lines(const Design& design, const Operation& operation) {
  std::vector<std::string> lines;
  add_parameters(lines, operation.parameters);
  if (!operation.reads.empty()) {
    lines.push_back("Reads first: " + joined(operation.reads, [](const design::ReadFirst& read) {
                      return read.entity.text + " as " + code(read.name) +
                             (read.required ? "" : " (if there is one)");
                    }));
  }
  if (!operation.idempotent_by.empty()) {
    const std::string within =
        joined(operation.idempotent_within, [](const design::Word& scope) { return code(scope.text); });
    lines.push_back("Has its effect once for each " + code(operation.idempotent_by) +
                    (within.empty() ? "" : " within " + within) +
                    "; with other parameters it is refused as **DIFFERENT_REQUEST**");
  }
  if (!operation.returns.empty()) lines.push_back("Returns " + code(operation.returns));
  const OperationEstimate cost = estimate(design, operation);
  lines.push_back(std::string(cost.is_transaction ? "One transaction" : "One write") + ": " +
                  writes_text(cost));
  const std::string reads = cost.read_units.halves == 0 ? "" : to_text(cost.read_units) + " read units and ";
  lines.push_back("Cost: about " + reads + to_text(cost.write_units) + " write units.");
  return lines;
}

}  // namespace

void write_patterns(Markdown& out, const Design& design) {
  if (design.patterns.empty()) return;
  out.heading(2, "Patterns");
  std::vector<std::vector<std::string>> rows;
  rows.reserve(design.patterns.size());
  for (const Pattern& pattern : design.patterns) {
    rows.push_back({code(pattern.name), pattern.notes.title, request_text(design, pattern)});
  }
  out.table({"Pattern", "Answers", "Request"}, rows);
  for (const Pattern& pattern : design.patterns) {
    out.heading(3, with_title(pattern.name, pattern.notes));
    out.paragraph(pattern.notes.doc);
    out.bullets(pattern_lines(design, pattern));
  }
}

void write_operations(Markdown& out, const Design& design) {
  if (design.operations.empty()) return;
  out.heading(2, "Operations");
  out.paragraph("Each takes effect completely, or is refused by name and changes nothing.");
  for (const Operation& operation : design.operations) {
    out.heading(3, with_title(operation.name, operation.notes));
    out.paragraph(operation.notes.doc);
    out.paragraph(steps_text(operation));
    out.bullets(operation_lines(design, operation));
  }
}

}  // namespace tavola::workshop
