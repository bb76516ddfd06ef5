#include <algorithm>
#include <map>
#include <set>

#include "design/language/infer_parameters.h"
#include "design/language/reading.h"
#include "design/model/key_templates.h"

namespace tavola::design {
namespace {

using yaml::Node;
using Form = Pattern::Form;

struct FormKey {
  std::string_view key;
  Form form;
};
constexpr FormKey kForms[] = {
    {"get", Form::Get},     {"query", Form::Query},         {"scan", Form::Scan},
    {"union", Form::Union}, {"aggregate", Form::Aggregate}, {"transition", Form::Transition}};

void read_form(const Node& node, Pattern& pattern, Problems& problems) {
  for (const auto& [key, form] : kForms) {
    const Node* said = node.find(key);
    if (said == nullptr) continue;
    if (pattern.form != Form::None) {
      problems.error("pattern-form", said->span, "`" + pattern.name + "` has two kinds of request",
                     "Keep one of get, query, scan, union, aggregate and transition.");
      return;
    }
    pattern.form = form;
    if (form == Form::Union) {
      pattern.parts = words_at(node, key);
    } else if (form == Form::Aggregate) {
      pattern.over = word_of(*said);
    } else if (form == Form::Transition) {
      const std::optional<Pair> pair = split(*said, ".");
      pattern.entity = pair ? pair->first : word_of(*said);
      pattern.transition = said->text;
    } else {
      pattern.entity = word_of(*said);
    }
  }
  if (pattern.form == Form::None && !pattern.planned) {
    problems.error("pattern-form", pattern.at, "`" + pattern.name + "` has no request",
                   "Add get, query, scan, union or aggregate, or `status: planned`.");
  }
}

// `desc`, `entitySk`, `entitySk desc`.
void read_order(const Node& node, const Design& design, Pattern& pattern, Problems& problems) {
  const Node* order = node.find("order");
  if (order == nullptr || pattern.form == Form::Aggregate) return;
  const std::optional<Pair> pair = split(*order, " ");
  const std::string direction = pair ? pair->second.text : order->text;
  pattern.backwards = direction == "desc";
  const bool is_direction = direction == "asc" || direction == "desc";
  if (is_direction && !pair) return;
  const Index* index = design.find_index(pattern.via.text);
  const std::optional<KeyAttribute>& range = index == nullptr ? design.table.range : index->range;
  const std::string& name = pair ? pair->first.text : order->text;
  if ((is_direction || !pair) && range && range->name == name) return;
  problems.error("unknown-value", order->span, "items cannot be ordered by `" + order->text + "`",
                 "Items are in the order of the sort key: write asc or desc" +
                     (range ? ", or `" + range->name + "` and asc or desc." : "."));
}

// Returns the templates that an entity has for the keys of the table or an index, including those of states.
std::vector<const Template*> templates_of(const Entity& entity, const KeySource& source) {
  std::vector<const Template*> templates;
  if (source.from) templates.push_back(&*source.from);
  const Lifecycle* lifecycle = entity.find_lifecycle(source.lifecycle);
  if (lifecycle == nullptr) return templates;
  for (const State& state : lifecycle->states) {
    if (state.key) templates.push_back(&*state.key);
  }
  return templates;
}

std::vector<const Template*> own_templates(const Pattern& pattern, const Entity& entity, bool of_range) {
  if (pattern.via.text == "table") {
    if (!of_range) return {&entity.hash};
    return entity.range ? std::vector{&*entity.range} : std::vector<const Template*>();
  }
  const IndexEntry* entry = entity.find_index(pattern.via.text);
  if (entry == nullptr) return {};
  if (!of_range) return templates_of(entity, entry->hash);
  return entry->range ? templates_of(entity, *entry->range) : std::vector<const Template*>();
}

// Removes the type of a parameter that is only a prefix: `begins_with URL#<start>` has no whole URL.
void loosen_prefix(const Pattern& pattern, std::vector<Parameter>& parameters) {
  if (!pattern.range || pattern.range->op != RangeCondition::Operator::BeginsWith) return;
  const std::vector<Template::Part>& parts = pattern.range->first.parts();
  const auto* last = parts.empty() ? nullptr : std::get_if<Placeholder>(&parts.back());
  if (last == nullptr) return;
  const bool in_hash = pattern.hash && std::ranges::count(pattern.hash->fields(), last->field) > 0;
  if (in_hash) return;
  for (Parameter& parameter : parameters) {
    if (parameter.name != last->field || stored_type(parameter.form.type) != Type::String) continue;
    Attribute any_text;
    any_text.name = parameter.name;
    any_text.raw = parameter.form.raw;
    any_text.notes = std::move(parameter.form.notes);
    parameter.form = std::move(any_text);
  }
}

// Lets a day end a range of times: the day sorts before the day's times, which begin with it.
void allow_days(Pattern& pattern) {
  if (!pattern.range || pattern.range->op == RangeCondition::Operator::Equal) return;
  for (const Template* end :
       {&pattern.range->first, pattern.range->second ? &*pattern.range->second : nullptr}) {
    const auto* last = end == nullptr ? nullptr : std::get_if<Placeholder>(&end->parts().back());
    if (last == nullptr || last->format != Placeholder::Format::Plain) continue;
    const auto parameter = std::ranges::find(pattern.parameters, last->field, &Parameter::name);
    if (parameter == pattern.parameters.end()) continue;
    parameter->may_be_day = parameter->form.type.kind == AttributeType::Kind::TimestampIso;
  }
}

std::vector<Parameter> infer_parameters(const Pattern& pattern, const Entity& entity) {
  ParameterUses uses;
  if (pattern.form == Form::Get) {
    for (const std::string& field : entity.key_fields())
      uses.push_back({.name = field,
                      .entity = &entity,
                      .like = nullptr,
                      .required = true,
                      .at = pattern.at,
                      .is_day = is_shown_as_day(entity, field)});
  }
  if (pattern.hash)
    use_placeholders(*pattern.hash, own_templates(pattern, entity, false), entity, pattern.hash_at, uses);
  if (pattern.range) {
    const std::vector<const Template*> own = own_templates(pattern, entity, true);
    use_placeholders(pattern.range->first, own, entity, pattern.range_at, uses);
    if (pattern.range->second) use_placeholders(*pattern.range->second, own, entity, pattern.range_at, uses);
  }
  if (pattern.filter) use_rule(*pattern.filter, &entity, nullptr, pattern.filter_at, uses);
  std::vector<Parameter> parameters = parameters_of(uses);
  loosen_prefix(pattern, parameters);
  return parameters;
}

// An aggregate has no request of its own, and nothing else has groups and measures.
void read_form_keys(const Node& node, const Pattern& pattern, Problems& problems) {
  const bool is_aggregate = pattern.form == Form::Aggregate;
  for (const std::string_view key : {"by", "compute"}) {
    const Node* const said = is_aggregate ? nullptr : node.find(key);
    if (said == nullptr) continue;
    problems.error("pattern-form", said->span, "`" + std::string(key) + "` belongs to an aggregate",
                   "Name another pattern: aggregate: " + pattern.name + ".");
  }
  for (const std::string_view key : {"via", "hash", "range", "filter", "follow", "consistent"}) {
    const Node* const said = is_aggregate ? node.find(key) : nullptr;
    if (said == nullptr) continue;
    problems.error("aggregate-form", said->span, "an aggregate has no `" + std::string(key) + "` of its own",
                   "Write it in the pattern `" + pattern.over.text + "`.");
  }
}

Pattern read_pattern(const yaml::Entry& entry, const Design& design, Problems& problems) {
  const Node& node = entry.value;
  Pattern pattern;
  pattern.name = entry.key.text;
  pattern.at = entry.key.span;
  pattern.planned = text_at(node, "status") == "planned";
  read_form(node, pattern, problems);
  pattern.via = word_at(node, "via");
  if (pattern.via.empty()) pattern.via = {"table", pattern.at};
  const Entity* entity = design.find_entity(pattern.entity.text);
  if (const Node* hash = node.find("hash")) {
    pattern.hash = read_template(*hash, problems);
    pattern.hash_at = hash->span;
  }
  if (const Node* range = node.find("range")) {
    pattern.range = read_range(*range, problems);
    pattern.range_at = range->span;
  }
  if (const Node* filter = node.find("filter"); filter != nullptr && entity != nullptr) {
    pattern.filter = read_rule(*filter, Rule::Form::Condition, Vocabulary(entity), problems);
    pattern.filter_at = filter->span;
  }
  read_form_keys(node, pattern, problems);
  read_order(node, design, pattern, problems);
  pattern.follow = word_at(node, "follow");
  if (const auto limit = count_at(node, "limit")) pattern.limit = static_cast<std::int64_t>(*limit);
  pattern.consistent = flag_at(node, "consistent");
  pattern.notes = read_notes(node);
  if (entity != nullptr) pattern.parameters = infer_parameters(pattern, *entity);
  const bool is_made_of_others = pattern.form == Form::Union || pattern.form == Form::Aggregate;
  if (!is_made_of_others) read_parameters(node, pattern.parameters, problems);
  allow_days(pattern);
  return pattern;
}

// Collects the parameters of all patterns that a union runs, each once.
class UnionParameters {
 public:
  explicit UnionParameters(const Design& design) : design_(design) {}

  void add(const Pattern& pattern) {
    if (!seen_.insert(pattern.name).second) return;
    for (const Word& part : pattern.parts) {
      if (const Pattern* found = design_.find_pattern(part.text)) add(*found);
    }
    if (pattern.form == Form::Union) return;
    for (const Parameter& parameter : pattern.parameters) {
      const auto [known, is_new] = numbers_.try_emplace(parameter.name, parameters_.size());
      if (is_new) {
        parameters_.push_back(parameter);
      } else {
        parameters_[known->second].required = parameters_[known->second].required || parameter.required;
      }
    }
  }
  std::vector<Parameter> take() { return std::move(parameters_); }

 private:
  const Design& design_;
  std::set<std::string_view> seen_;
  std::map<std::string_view, std::size_t> numbers_;
  std::vector<Parameter> parameters_;
};

}  // namespace

void read_patterns(const Node& root, Design& design, Problems& problems) {
  PartCount count("patterns", problems);
  for (const yaml::Entry& entry : entries_at(root, "patterns")) {
    design.patterns.push_back(read_pattern(entry, design, problems));
    count.add_all(design.patterns.back().parameters, entry.key.span);
    if (problems.is_cut()) return;
  }
  for (const auto& [key, node] : entries_at(root, "patterns")) {
    const auto pattern = std::ranges::find(design.patterns, key.text, &Pattern::name);
    if (pattern->form != Form::Union) continue;
    UnionParameters all(design);
    all.add(*pattern);
    pattern->parameters = all.take();
    count.add_all(pattern->parameters, pattern->at);
    if (problems.is_cut()) return;
    read_parameters(node, pattern->parameters, problems);
  }
  for (const auto& [key, node] : entries_at(root, "patterns")) {
    const auto pattern = std::ranges::find(design.patterns, key.text, &Pattern::name);
    if (pattern->form != Form::Aggregate) continue;
    read_aggregate(node, design, *pattern, problems);
    count.add_all(pattern->parameters, pattern->at);
    if (problems.is_cut()) return;
  }
}

}  // namespace tavola::design
