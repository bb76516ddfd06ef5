#include "lens/states.h"

#include <algorithm>

#include "design/language/infer_parameters.h"
#include "design/model/timestamps.h"
#include "design/model/vocabulary.h"
#include "design/rules/lifecycle_rule.h"

namespace tavola::lens {
namespace {

using design::Assignment;
using design::Design;
using design::Entity;
using design::Lifecycle;
using design::Operation;
using design::Rule;
using design::State;
using design::Step;
using design::Transition;

void write_time(json::Writer& json, std::string_view name, const std::optional<WallTime>& time) {
  json.name(name);
  if (time) {
    json.text(iso8601(*time));
  } else {
    json.raw() += "null";
  }
}

// Adds field = :field to the assignments, and the parameter.
Result<void> take(const Entity& entity, const std::string& field, std::vector<Assignment>& into,
                  design::ParameterUses& uses) {
  auto rule = Rule::parse(":" + field, Rule::Form::Value, design::Vocabulary());
  if (!rule) return fail(Error::internal("the field " + field + " cannot be a parameter"));
  into.push_back({.field = field, .value = *std::move(rule), .at = {}});
  uses.push_back({.name = field, .entity = &entity, .like = nullptr, .required = true, .at = {}});
  return {};
}

bool has_transition(const Operation& operation, const Entity& entity, const Transition& transition) {
  return std::ranges::any_of(operation.steps, [&](const Step& step) {
    return step.kind == Step::Kind::Transition && step.entity.text == entity.name &&
           step.transition.text == transition.name;
  });
}

}  // namespace

const State* state_of(const Lifecycle& lifecycle, const Item& fields) {
  const auto found = fields.find(lifecycle.field());
  return found == fields.end() || !found->second.is_string() ? nullptr
                                                             : lifecycle.find_state(found->second.string());
}

Stay stay_in(const Entity& entity, const State& state, const Item& fields, WallTime now) {
  Stay stay;
  if (const auto since = design::since_when(entity, state, fields))
    stay.since = WallTime(std::chrono::milliseconds(*since));
  if (stay.since && state.stuck_after) {
    stay.stuck_at = *stay.since + *state.stuck_after;
    stay.is_stuck = *stay.stuck_at <= now;
  }
  return stay;
}

void write_stay(json::Writer& json, const Stay& stay) {
  write_time(json, "since", stay.since);
  json.name("stuck").boolean(stay.is_stuck);
  write_time(json, "stuckAt", stay.stuck_at);
}

Result<Operation> operation_of(const Entity& entity, const Transition& transition) {
  Operation operation;
  operation.name = transition.name;
  Step step;
  step.kind = Step::Kind::Transition;
  step.entity = {entity.name, transition.at};
  step.transition = {transition.name, transition.at};
  design::ParameterUses uses;
  for (const std::string& field : entity.key_fields()) TAVOLA_CHECK(take(entity, field, step.key, uses));
  for (const design::Word& field : transition.require) {
    const bool is_set =
        std::ranges::find(transition.set, field.text, &Assignment::field) != transition.set.end();
    if (!is_set && entity.find_field(field.text) != nullptr)
      TAVOLA_CHECK(take(entity, field.text, step.set, uses));
  }
  for (const Assignment& one : transition.set) {
    design::use_rule(one.value, &entity, entity.find_field(one.field), one.at, uses);
  }
  operation.steps.push_back(std::move(step));
  operation.parameters = design::parameters_of(uses);
  return operation;
}

Result<void> write_transitions(json::Writer& json, const Design& design, const Entity& entity,
                               const Lifecycle& lifecycle) {
  json.begin_list();
  for (const Transition& transition : lifecycle.transitions) {
    json.begin_object();
    json.name("name").text(transition.name);
    json.name("title").text(transition.notes.title);
    json.name("doc").text(transition.notes.doc);
    json.name("from").begin_list();
    for (const design::Word& from : transition.from) json.text(from.text);
    json.end_list();
    json.name("to").text(transition.to.text);
    json.name("operations").begin_list();
    for (const Operation& operation : design.operations) {
      if (has_transition(operation, entity, transition)) json.text(operation.name);
    }
    json.end_list();
    TAVOLA_TRY(const Operation operation, operation_of(entity, transition));
    const std::vector<std::string> key = entity.key_fields();
    json.name("needs").begin_list();
    for (const design::Parameter& parameter : operation.parameters) {
      if (std::ranges::find(key, parameter.name) != key.end()) continue;
      json.begin_object();
      json.name("name").text(parameter.name);
      json.name("type").text(design::type_text(parameter.form.type));
      json.name("required").boolean(parameter.required);
      json.end_object();
    }
    json.end_list();
    json.end_object();
  }
  json.end_list();
  return {};
}

}  // namespace tavola::lens
