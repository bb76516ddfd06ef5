// Aggregates: the groups and the measures of a pattern's items, and the rows that they make.
#include <algorithm>
#include <charconv>

#include "base/ascii.h"
#include "design/language/infer_parameters.h"
#include "design/language/reading.h"
#include "design/requests/pattern_request.h"

namespace tavola::design {
namespace {

using yaml::Node;
using MeasureFunction = Measure::Function;

struct FunctionName {
  std::string_view name;
  MeasureFunction function;
};
constexpr FunctionName kMeasures[] = {{"count", MeasureFunction::Count},
                                      {"sum", MeasureFunction::Sum},
                                      {"min", MeasureFunction::Min},
                                      {"max", MeasureFunction::Max},
                                      {"avg", MeasureFunction::Average}};

// Returns a part of a scalar, with its position.
Node part_of(const Node& scalar, std::string_view part) {
  Node node = scalar;
  while (part.starts_with(' ')) part.remove_prefix(1);
  while (part.ends_with(' ')) part.remove_suffix(1);
  const auto offset = static_cast<std::size_t>(part.data() - scalar.text.data());
  if (!part.empty()) node.span = span_within(scalar.span, scalar.text, offset, part.size());
  node.text = part;
  return node;
}

// A call that is a whole text: "sum(quantity * unitPrice)".
struct WholeCall {
  std::string_view function;
  std::vector<std::string_view> operands;
};

// Splits a call into its operands. Returns nullopt if the text is anything else than one call.
std::optional<WholeCall> whole_call(std::string_view text) {
  const std::size_t open = text.find('(');
  if (open == std::string_view::npos || !text.ends_with(')')) return std::nullopt;
  WholeCall call{text.substr(0, open), {}};
  int depth = 0;
  char quote = '\0';
  std::size_t begin = open + 1;
  for (std::size_t at = open; at < text.size(); ++at) {
    const char c = text[at];
    if (quote != '\0') {
      if (c == quote) quote = '\0';
    } else if (c == '\'' || c == '"') {
      quote = c;
    } else if (c == '(') {
      ++depth;
    } else if (c == ')' && --depth == 0) {
      if (at + 1 != text.size()) return std::nullopt;
      const std::string_view last = text.substr(begin, at - begin);
      const bool is_none = call.operands.empty() && last.find_first_not_of(' ') == std::string_view::npos;
      if (!is_none) call.operands.push_back(last);
    } else if (c == ',' && depth == 1) {
      call.operands.push_back(text.substr(begin, at - begin));
      begin = at + 1;
    }
  }
  return depth == 0 ? std::optional(std::move(call)) : std::nullopt;
}

std::optional<int> whole_number(std::string_view text) {
  int number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// ---- The type of a result, judging by its text ----

// Functions whose result is a text.
constexpr std::string_view kTextFunctions[] = {"iso",         "week",   "month",    "lower",     "upper",
                                               "join",        "concat", "hostname", "substring", "text",
                                               "core_domain", "sha256", "md5",      "uuid",      "ulid"};

Attribute result_of(std::string name, const Rule& rule, const Entity& entity) {
  if (const Attribute* const field = entity.find_field(rule.text()))
    return given_form(std::move(name), *field);
  Attribute result;
  result.name = std::move(name);
  const std::optional<WholeCall> call = whole_call(rule.text());
  if (call && (call->function == "day" || call->function == "date")) {
    result.type.kind = AttributeType::Kind::Date;
  } else if (call && std::ranges::find(kTextFunctions, call->function) != std::end(kTextFunctions)) {
    result.type.kind = AttributeType::Kind::String;
  } else if (call && (call->function == "round" || call->function == "number" || call->function == "size")) {
    result.type.kind = AttributeType::Kind::Number;
  } else if (!call && rule.text().find_first_of("+-*/") != std::string::npos) {
    result.type.kind = AttributeType::Kind::Number;
  } else {
    result.type.kind = AttributeType::Kind::Any;
  }
  return result;
}

bool is_always_there(const Entity& entity, const Rule& rule) {
  const std::vector<std::string> keys = entity.key_fields();
  return std::ranges::all_of(rule.paths(), [&](const std::vector<std::string>& path) {
    const Attribute* const field = entity.find_field(path.front());
    const bool in_key = std::ranges::find(keys, path.front()) != keys.end();
    return path.size() == 1 && field != nullptr && (field->required || in_key);
  });
}

Attribute column_of(const Assignment& group, const Entity& entity) {
  Attribute column = result_of(group.field, group.value, entity);
  column.required = is_always_there(entity, group.value) && group.value.parameters().empty();
  column.at = group.at;
  return column;
}

Attribute column_of(const Measure& measure, const Entity& entity) {
  Attribute column;
  if (measure.of && (measure.function == MeasureFunction::Min || measure.function == MeasureFunction::Max)) {
    column = result_of(measure.name, *measure.of, entity);
  } else {
    const Attribute* const summed = measure.of && measure.function == MeasureFunction::Sum
                                        ? entity.find_field(measure.of->text())
                                        : nullptr;
    const bool is_whole = measure.function == MeasureFunction::Count ||
                          (summed != nullptr && summed->type.kind == AttributeType::Kind::Integer);
    column.type.kind = is_whole ? AttributeType::Kind::Integer : AttributeType::Kind::Number;
    column.required = measure.function == MeasureFunction::Count || measure.function == MeasureFunction::Sum;
  }
  column.name = measure.name;
  column.at = measure.at;
  return column;
}

// ---- Reading ----

class AggregateReader {
 public:
  AggregateReader(const Entity& entity, Pattern& pattern, Problems& problems)
      : entity_(entity), names_(&entity), pattern_(pattern), problems_(problems) {}

  void read(const Node& node) {
    read_groups(node);
    for (const yaml::Entry& entry : entries_at(node, "compute")) read_measure(entry);
    if (entries_at(node, "compute").empty()) {
      problems_.error("aggregate-form", pattern_.at, "`" + pattern_.name + "` computes nothing",
                      "Add `compute`, as in: compute: { items: count() }.");
    }
    read_order(node);
    auto row = std::make_shared<Entity>();
    row->name = pattern_.name + "Row";
    if (is_lower(row->name.front())) row->name.front() = static_cast<char>(row->name.front() - 'a' + 'A');
    row->notes.doc = "A row of " + pattern_.name + ".";
    row->at = pattern_.at;
    for (const Assignment& group : pattern_.by) row->fields.push_back(column_of(group, entity_));
    for (const Measure& measure : pattern_.measures) row->fields.push_back(column_of(measure, entity_));
    pattern_.row = std::move(row);
  }

  ParameterUses uses() const {
    ParameterUses uses;
    for (const Assignment& group : pattern_.by) use_rule(group.value, &entity_, nullptr, group.at, uses);
    for (const Measure& measure : pattern_.measures) {
      if (measure.of) use_rule(*measure.of, &entity_, nullptr, measure.at, uses);
      if (measure.per) use_rule(*measure.per, &entity_, nullptr, measure.at, uses);
    }
    return uses;
  }

 private:
  void read_groups(const Node& node) {
    const Node* const by = node.find("by");
    if (by == nullptr) return;
    pattern_.by = read_assignments(node, "by", names_, problems_);
    if (by->kind == yaml::Kind::Map) return;
    for (const Word& word : words_at(node, "by")) {
      if (auto group = implied(word.text, word.text, names_, word.at)) {
        pattern_.by.push_back(*std::move(group));
      } else {
        problems_.error("unknown-field", word.at, "`" + entity_.name + "` has no field `" + word.text + "`",
                        "Group by a field, or write { name: expression }.");
      }
    }
  }

  void misread(const Node& said) {
    problems_.error(
        "aggregate-form", said.span, "`" + said.text + "` is not a measure",
        "Write count(), sum(x), min(x), max(x), avg(x) or avg(x, n), for an expression x over the fields "
        "of `" +
            entity_.name + "`; or round(…, digits) around one of them.");
  }

  void read_measure(const yaml::Entry& entry) {
    Measure measure;
    measure.name = entry.key.text;
    measure.at = entry.key.span;
    Node said = part_of(entry.value, entry.value.text);
    std::optional<WholeCall> call = whole_call(said.text);
    if (call && call->function == "round" && call->operands.size() == 2) {
      measure.digits = whole_number(part_of(said, call->operands[1]).text);
      if (!measure.digits || *measure.digits < 0 || *measure.digits > 38) return misread(said);
      said = part_of(said, call->operands[0]);
      call = whole_call(said.text);
    }
    const auto* const known =
        call ? std::ranges::find(kMeasures, call->function, &FunctionName::name) : std::end(kMeasures);
    if (known == std::end(kMeasures)) return misread(said);
    measure.function = known->function;
    const std::size_t operands = call->operands.size();
    const bool is_average = measure.function == MeasureFunction::Average;
    const std::size_t least = measure.function == MeasureFunction::Count ? 0 : 1;
    if (operands < least || operands > (is_average ? 2U : 1U)) return misread(said);
    if (operands > 0) {
      measure.of = read_rule(part_of(said, call->operands[0]), Rule::Form::Value, names_, problems_);
      if (!measure.of) return;
    }
    if (operands > 1) {
      measure.per = read_rule(part_of(said, call->operands[1]), Rule::Form::Value, names_, problems_);
      if (!measure.per) return;
    }
    pattern_.measures.push_back(std::move(measure));
  }

  // `revenue desc`, `revenue`, `desc`.
  void read_order(const Node& node) {
    const Node* const order = node.find("order");
    if (order == nullptr) return;
    const std::optional<Pair> pair = split(*order, " ");
    const Word direction = pair ? pair->second : word_of(*order);
    const bool is_direction = direction.text == "asc" || direction.text == "desc";
    pattern_.backwards = direction.text == "desc";
    if (pair) pattern_.order_by = pair->first;
    if (!pair && !is_direction) pattern_.order_by = direction;
    if (pair && !is_direction) {
      problems_.error("unknown-value", direction.at, "rows cannot be ordered by `" + order->text + "`",
                      "Write the name of a group or a measure, and asc or desc.");
    }
  }

  const Entity& entity_;
  const Vocabulary names_;
  Pattern& pattern_;
  Problems& problems_;
};

// Puts each parameter behind those that its default uses: defaults are computed in this order.
void order_by_defaults(std::vector<Parameter>& parameters) {
  std::vector<Parameter> ordered;
  const auto is_waiting = [&](const Parameter& parameter) {
    if (!parameter.otherwise) return false;
    return std::ranges::any_of(parameter.otherwise->parameters(), [&](const std::string& name) {
      return name != parameter.name &&
             std::ranges::find(parameters, name, &Parameter::name) != parameters.end();
    });
  };
  while (!parameters.empty()) {
    auto next = std::ranges::find_if_not(parameters, is_waiting);
    if (next == parameters.end())
      next = parameters.begin();  // a circle: the first is computed without the others
    ordered.push_back(std::move(*next));
    parameters.erase(next);
  }
  parameters = std::move(ordered);
}

}  // namespace

void read_aggregate(const Node& node, const Design& design, Pattern& pattern, Problems& problems) {
  const Pattern* const over = design.find_pattern(pattern.over.text);
  const Entity* const entity = over == nullptr ? nullptr : aggregated_entity(design, *over);
  if (entity == nullptr) return;  // validate_patterns.cc reports it
  AggregateReader reader(*entity, pattern, problems);
  reader.read(node);
  pattern.parameters = over->parameters;
  for (Parameter& parameter : parameters_of(reader.uses())) {
    if (std::ranges::find(pattern.parameters, parameter.name, &Parameter::name) == pattern.parameters.end())
      pattern.parameters.push_back(std::move(parameter));
  }
  read_parameters(node, pattern.parameters, problems);
  order_by_defaults(pattern.parameters);
}

}  // namespace tavola::design
