#include "workshop/gen/gen_ts_operations.h"

#include <algorithm>

#include "design/requests/step_plan.h"
#include "workshop/gen/gen_names.h"
#include "workshop/gen/gen_ts_rules.h"
#include "workshop/gen/gen_ts_types.h"

namespace tavola::workshop {
namespace {

using design::Assignment;
using design::Attribute;
using design::Design;
using design::Entity;
using design::Operation;
using design::Parameter;
using design::Step;

// Returns the parameters of a pattern that the operation has, too.
std::string same_parameters(const Operation& operation, const design::Pattern& pattern) {
  std::string text;
  for (const Parameter& parameter : pattern.parameters) {
    const auto own = std::ranges::find(operation.parameters, parameter.name, &Parameter::name);
    if (own == operation.parameters.end()) continue;
    text += (text.empty() ? " " : ", ") + ts_property(parameter.name) + ": " + ts_member("p", parameter.name);
  }
  return "{" + text + " }";
}

// Returns ", within: [p.shopId]"; nothing without a scope.
std::string scope_of(const Operation& operation) {
  std::string within;
  for (const design::Word& scope : operation.idempotent_within)
    within += (within.empty() ? "" : ", ") + ts_member("p", scope.text);
  return within.empty() ? "" : ", within: [" + within + "]";
}

// Returns how an existing item is recognized as the one that a step would put.
std::string recognized(const Design& design, const Entity& entity) {
  std::string same;
  for (const std::string& name : design::distinguishing_fields(design, entity))
    same += (same.empty() ? "" : ", ") + ts_literal(name);
  const std::string deleted = deleted_by(design, entity);
  return "{ same: [" + same + "]" + (deleted.empty() ? "" : ", deleted: " + ts_literal(deleted)) + " }";
}

class OperationText {
 public:
  OperationText(const Design& design, const Operation& operation) : design_(design), operation_(operation) {
    for (const design::ReadFirst& read : operation.reads) scope_.others.insert(read.name);
    for (const Step& step : operation.steps) {
      if (!step.as.empty()) scope_.others.insert(step.as);
      if (!step.element.empty()) scope_.others.insert(step.element);
    }
  }

  std::string take() {
    const std::string name = pascal_case(operation_.name);
    const bool taken = design_.find_entity(name) != nullptr;
    const std::string parameters = name + (taken ? "Parameters" : "");
    write_types(name, parameters);
    const Entity* returned = returned_by(design_, operation_);
    const std::string type = returned == nullptr ? "void" : ts_type_name(returned->name);
    const std::string accepting = ts_accepting(operation_.parameters, "db.now()");
    const std::string given = accepting.empty() ? "p" : "given";
    const bool bare = operation_.parameters.empty();
    text_ +=
        ts_comment(said_about(operation_.notes)) + "export async function " + ts_variable(operation_.name) +
        "(db: Connection" + (bare ? "" : ", " + given + ": " + parameters) + "): Promise<" + type +
        "> {\n  if (\"v1\" in db) return servedOperation(db, " + ts_literal(operation_.name) + ", " +
        (bare ? "{}" : given) + (returned == nullptr ? "" : ", " + kind_name(*returned)) + ");\n" + accepting;
    text_ += "  return perform(db, { operation: " + ts_literal(operation_.name) + ", given" +
             (bare                ? ": {}"
              : accepting.empty() ? ": p"
                                  : "");
    if (!operation_.idempotent_by.empty()) text_ += ", once: " + ts_member("p", operation_.idempotent_by);
    text_ += scope_of(operation_);
    text_ += (returned == nullptr ? "" : ", returns: " + kind_name(*returned)) + " }, async (t) => {\n";
    for (const design::ReadFirst& read : operation_.reads) write_read(read);
    for (const Step& step : operation_.steps) write_step(step);
    if (returned != nullptr) {
      const bool read = std::ranges::any_of(operation_.reads,
                                            [&](const auto& one) { return one.name == operation_.returns; });
      const std::string variable = ts_variable(operation_.returns);
      text_ += "    return " + (read ? "{ ..." + variable + " }" : variable) + ";\n";
    }
    return std::move(text_) + "  });\n}\n";
  }

 private:
  void write_types(const std::string& name, const std::string& parameters) {
    if (!operation_.parameters.empty()) {
      text_ += "\nexport interface " + parameters + " {\n";
      for (const Parameter& parameter : operation_.parameters) text_ += ts_field(field_of(parameter), "  ");
      text_ += "}\n";
    }
    std::string names;
    for (const std::string& refusal : refusals_of(design_, operation_)) {
      names += (names.empty() ? "" : " | ") + ts_literal(refusal);
    }
    text_ += "\nexport type " + name + "Refusal = " + (names.empty() ? "never" : names) + ";\n";
  }

  std::string fields(const std::vector<Assignment>& all) const {
    std::string text;
    for (const Assignment& one : all)
      text += (text.empty() ? " " : ", ") + ts_property(one.field) + ": " + ts_value_of(one.value, scope_);
    return text.empty() ? "{}" : "{" + text + " }";
  }

  void write_read(const design::ReadFirst& read) {
    text_ += "    const " + ts_variable(read.name) + " = await t.read(" +
             kind_name(*design_.find_entity(read.entity.text)) + ", " + fields(read.key) +
             (read.required ? "" : ", false") + ");\n";
  }

  // ---- Steps

  void write_step(const Step& step) {
    scope_.entity = nullptr;
    const std::string condition = step.when ? ts_condition(*step.when, scope_) : std::string();
    const std::string call = call_of(step);
    if (!step.each.empty()) {
      const design::Pattern& pattern = *design_.find_pattern(step.each.text);
      const std::string parameters = step.implied ? fields(step.given) : same_parameters(operation_, pattern);
      text_ += "    for await (const " + ts_variable(step.element) + " of " + ts_variable(step.each.text) +
               "(db" + (pattern.parameters.empty() ? "" : ", " + parameters) + ")) {\n      " +
               (condition.empty() ? "" : "if (" + condition + ") ") + call + ";\n    }\n";
    } else if (step.as.empty()) {
      text_ += "    " + (condition.empty() ? "" : "if (" + condition + ") ") + call + ";\n";
    } else if (condition.empty()) {
      text_ += "    const " + ts_variable(step.as) + " = " + call + ";\n";
    } else {
      text_ += "    const " + ts_variable(step.as) + ": Fields = " + condition + " ? " + call + " : {};\n";
    }
  }

  std::string call_of(const Step& step) {
    const Entity& entity = *design_.find_entity(step.entity.text);
    const std::string key = fields(step.key);
    scope_.entity = &entity;
    std::string options;
    const auto option = [&options](const std::string& text) { options += "      " + text + ",\n"; };
    if (const std::string requirements = requirements_of(step); !requirements.empty())
      option("require: " + requirements);
    if (const std::string set = changes_of(step); !set.empty()) option("set: " + set);
    const bool is_usual = step.kind != Step::Kind::Put && step.exists == true;
    if (step.exists && !is_usual) option(*step.exists ? "exists: true" : "exists: false");
    if (!step.exists && !step.element.empty()) option("exists: false");
    if (step.returns_existing) option("ifExists: " + recognized(design_, entity));
    if (!step.otherwise.empty()) option("otherwise: " + ts_literal(step.otherwise));
    return "await t." + std::string(method(step.kind)) + "(" + kind_name(entity) + ", " + key + ", " +
           (options.empty() ? "{}" : "{\n" + options + "    }") +
           (step.kind == Step::Kind::Transition ? ", \"transition\")" : ")");
  }

  static std::string_view method(Step::Kind kind) {
    switch (kind) {
      case Step::Kind::Put:
        return "put";
      case Step::Kind::Delete:
        return "remove";
      case Step::Kind::Check:
        return "check";
      default:
        return "update";
    }
  }

  std::string requirements_of(const Step& step) const {
    std::string text;
    const auto require = [&text](const std::string& that, const std::string& name,
                                 const std::string& reason) {
      text += "        refuseUnless(" + that + ", " + ts_literal(name) + ", " + ts_literal(reason) + ");\n";
    };
    if (step.kind == Step::Kind::Transition) {
      const auto& [lifecycle, transition] = transition_of(step);
      std::string states;
      std::string names;
      for (const design::Word& from : transition->from) {
        states += (states.empty() ? "" : ", ") + ts_literal(from.text);
        names += (names.empty() ? "" : " or ") + from.text;
      }
      require("[" + states + "].includes(" + ts_member("it", state_field(*lifecycle)) + ")",
              step.otherwise.empty() ? "WRONG_STATE" : step.otherwise,
              lifecycle->name + ": " + transition->name + " is possible from " + names);
    }
    for (const auto& [field, assigned] : needs_of(step)) {
      const std::string stored = ts_member("it", field);
      require(assigned == nullptr ? "has(" + stored + ")"
                                  : "has(first(" + ts_value_of(*assigned, scope_) + ", " + stored + "))",
              step.otherwise.empty() ? "REFUSED" : step.otherwise, step.transition.text + " needs " + field);
    }
    for (const design::Requirement& requirement : step.require) {
      std::string name = requirement.otherwise.empty() ? step.otherwise : requirement.otherwise;
      if (name.empty()) name = "REFUSED";
      require(ts_condition(requirement.that, scope_), name, requirement.that.text() + " does not hold");
    }
    if (text.empty()) return {};
    const bool uses_it = text.find("it.") != std::string::npos || text.find("it[") != std::string::npos;
    return std::string(uses_it ? "(it)" : "()") + " => {\n" + text + "      }";
  }

  // Returns the fields that a transition needs, and the values that it or the step assigns to them.
  std::vector<std::pair<std::string, const design::Rule*>> needs_of(const Step& step) const {
    std::vector<std::pair<std::string, const design::Rule*>> needs;
    if (step.kind != Step::Kind::Transition) return needs;
    const design::Transition& transition = *transition_of(step).transition;
    for (const design::Word& needed : transition.require) {
      const design::Rule* assigned = nullptr;
      for (const std::vector<Assignment>* all : {&transition.set, &step.set}) {
        const auto found = std::ranges::find(*all, needed.text, &Assignment::field);
        if (found != all->end()) assigned = &found->value;
      }
      needs.emplace_back(needed.text, assigned);
    }
    return needs;
  }

  struct Moved {
    const design::Lifecycle* lifecycle;
    const design::Transition* transition;
  };
  Moved transition_of(const Step& step) const {
    for (const design::Lifecycle& lifecycle : scope_.entity->lifecycles) {
      for (const design::Transition& transition : lifecycle.transitions) {
        if (transition.name == step.transition.text) return {&lifecycle, &transition};
      }
    }
    return {};
  }
  static const std::string& state_field(const design::Lifecycle& lifecycle) {
    return lifecycle.attribute.empty() ? lifecycle.name : lifecycle.attribute;
  }

  // Returns the assignments of the transition, then those of the step, which win, as in an object literal.
  std::string changes_of(const Step& step) const {
    std::vector<std::pair<std::string, std::string>> changes;
    const auto set = [&changes](const std::string& field, const std::string& value) {
      std::erase_if(changes, [&](const auto& one) { return one.first == field; });
      changes.emplace_back(field, value);
    };
    if (step.kind == Step::Kind::Transition) {
      const auto& [lifecycle, transition] = transition_of(step);
      set(state_field(*lifecycle), ts_literal(transition->to.text));
      for (const Assignment& one : transition->set) set(one.field, assigned(one));
    }
    if (step.kind == Step::Kind::Put) add_snapshots(step, changes);
    for (const Assignment& one : step.set) set(one.field, assigned(one));
    for (const design::Word& word : step.remove) set(word.text, "gone");
    if (changes.empty()) return {};
    std::string text;
    for (const auto& [field, value] : changes) text += "        " + ts_property(field) + ": " + value + ",\n";
    const bool uses_it = text.find("it.") != std::string::npos || text.find("it[") != std::string::npos;
    return std::string(uses_it ? "(it)" : "()") + " => ({\n" + text + "      })";
  }

  // A computed time is in milliseconds; a field or a parameter has its own form.
  std::string assigned(const Assignment& one) const {
    std::string value = ts_value_of(one.value, scope_);
    const Attribute* field = scope_.entity->find_field(one.field);
    const bool is_computed = value == scope_.now || value.find('(') != std::string::npos;
    const bool in_seconds =
        field != nullptr && field->type.kind == design::AttributeType::Kind::TimestampS && is_computed;
    return in_seconds ? "seconds(" + value + ")" : value;
  }

  // Adds the values that a snapshot takes from an item that was read: `product.name`.
  void add_snapshots(const Step& step, std::vector<std::pair<std::string, std::string>>& changes) const {
    for (const design::Copy& copy : design_.copies) {
      if (copy.kind != design::Copy::Kind::Snapshot || copy.to.text != step.entity.text) continue;
      for (const design::ReadFirst& read : operation_.reads) {
        if (read.entity.text != copy.from.text) continue;
        for (const Assignment& one : copy.carry) {
          const TsScope scope{.entity = design_.find_entity(copy.from.text)};
          const std::string variable = ts_variable(read.name);
          changes.emplace_back(one.field,
                               "((it: Fields) => " + ts_value_of(one.value, scope) + ")(" + variable + ")");
        }
      }
    }
  }

  const Design& design_;
  const Operation& operation_;
  TsScope scope_;
  std::string text_;
};

}  // namespace

std::string kind_name(const Entity& entity) { return camel_case(entity.name) + "Kind"; }

std::string ts_arguments(const std::vector<Parameter>& parameters) {
  std::string fields;
  for (const Parameter& parameter : parameters) {
    const Attribute field = field_of(parameter);
    fields += (fields.empty() ? " " : "; ") + ts_property(field.name) + (field.required ? ": " : "?: ") +
              ts_type(field);
  }
  if (fields.empty()) return {};
  return (ts_accepting(parameters, "").empty() ? ", p: {" : ", given: {") + fields + " }";
}

// Returns whether a default uses other parameters, or is a time in a key: then the defaults are computed one after the other.
static bool are_in_order(const std::vector<Parameter>& parameters) {
  return std::ranges::any_of(parameters, [](const Parameter& one) {
    return one.otherwise && (one.may_be_day || !one.otherwise->parameters().empty());
  });
}

static std::string ts_default(const Parameter& parameter, const std::string& now) {
  const std::string value = ts_value_of(*parameter.otherwise, {.now = now});
  if (!parameter.may_be_day || !parameter.otherwise->gives_moment()) return value;
  return "iso(" + value + ", " + std::to_string(parameter.form.type.digits) + ")";
}

std::string ts_accepting(const std::vector<Parameter>& parameters, const std::string& now) {
  std::string forms;
  std::string defaults;
  const bool in_order = are_in_order(parameters);
  for (const Parameter& parameter : parameters) {
    Attribute field = field_of(parameter);
    field.otherwise.reset();
    if (in_order && parameter.otherwise)
      defaults += "  " + ts_member("p", field.name) + " \?\?= " + ts_default(parameter, now) + ";\n";
    if (!has_bounds(field) && !parameter.otherwise) continue;
    if (parameter.may_be_day) continue;
    field.required = false;
    field.generate = Attribute::Generate::No;
    field.automatic = Attribute::Auto::No;
    field.stored = true;
    const std::string otherwise =
        parameter.otherwise && !in_order ? ts_default(parameter, now) : std::string();
    forms += (forms.empty() ? " " : ", ") + ts_property(field.name) + ": " +
             ts_form(field, {.otherwise = otherwise});
  }
  if (in_order) {
    return "  const p: Fields = { ...given };\n" + defaults +
           (forms.empty() ? "" : "  Object.assign(p, acceptAll({" + forms + " }, p));\n");
  }
  return forms.empty() ? forms : "  const p = acceptAll({" + forms + " }, given);\n";
}

std::string ts_operation(const Design& design, const Operation& operation) {
  return OperationText(design, operation).take();
}

}  // namespace tavola::workshop
