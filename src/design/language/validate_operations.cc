#include <algorithm>

#include "design/language/validate.h"
#include "design/language/validate_references.h"

namespace tavola::design {
namespace {

using StepKind = Step::Kind;

class OperationCheck {
 public:
  OperationCheck(const Design& design, const Operation& operation, Problems& problems)
      : design_(design), operation_(operation), problems_(problems) {}

  void check() {
    if (operation_.steps.empty()) {
      problems_.error("step-form", operation_.at, "`" + operation_.name + "` has no steps",
                      "Add some to `steps`.");
    }
    for (const ReadFirst& read : operation_.reads) {
      const Entity* entity = require_entity(design_, read.entity, problems_);
      if (entity != nullptr) check_assignments(read.key, *entity);
      names_.add(read.name, entity);
    }
    for (const Step& step : operation_.steps) check_step(step);
    check_returns();
  }

 private:
  void check_returns() {
    const std::string& name = operation_.returns;
    if (name.empty() || names_.is_name(name)) return;
    std::vector<std::string> known = names_of(operation_.reads);
    for (const Step& step : operation_.steps) {
      if (!step.as.empty()) known.push_back(step.as);
    }
    refuse_unknown("unknown-name", {name, operation_.returns_at}, "the step or item", known, problems_);
  }

  void check_assignments(const std::vector<Assignment>& assignments, const Entity& entity) {
    for (const Assignment& one : assignments) {
      require_field(entity, {one.field, one.at}, problems_);
      require_suitable(entity, one, problems_);
      check_paths(one.value, one.at);
    }
  }

  // Checks product.name: a field of the item named `product`.
  void check_paths(const Rule& rule, const Span& at) {
    for (const std::vector<std::string>& path : rule.paths()) {
      const Entity* other = names_.find_other(path.front());
      if (other != nullptr && path.size() > 1) require_field(*other, {path[1], at}, problems_);
    }
  }

  void check_step(const Step& step) {
    if (!step.each.empty()) {
      const Pattern* pattern = design_.find_pattern(step.each.text);
      if (pattern == nullptr) {
        refuse_unknown("unknown-pattern", step.each, "the pattern", names_of(design_.patterns), problems_);
      } else if (!pattern->follow.empty() || pattern->form == Pattern::Form::Aggregate) {
        problems_.error("step-form", step.each.at,
                        "`" + pattern->name + "` " +
                            (pattern->follow.empty() ? "is an aggregate" : "follows a reference"),
                        "Name a pattern that returns the items themselves.");
      } else {
        names_.add(step.element, design_.find_entity(pattern->entity.text));
      }
    }
    if (step.entity.empty()) return;  // step-form was reported
    const Entity* entity = require_entity(design_, step.entity, problems_);
    if (entity != nullptr) check_write(step, *entity);
    if (entity != nullptr && step.returns_existing) check_if_exists(step, *entity);
    if (!step.as.empty()) names_.add(step.as, entity);
  }

  void check_write(const Step& step, const Entity& entity) {
    const bool is_transition = step.kind == StepKind::Transition && !step.transition.empty();
    if (is_transition && entity.find_transition(step.transition.text) == nullptr) {
      std::vector<std::string> known;
      for (const Lifecycle& lifecycle : entity.lifecycles) {
        for (const Transition& transition : lifecycle.transitions) known.push_back(transition.name);
      }
      refuse_unknown("unknown-transition", step.transition, "the transition", known, problems_);
    }
    check_assignments(step.key, entity);
    check_assignments(step.set, entity);
    for (const Word& field : step.remove) require_field(entity, field, problems_);
    for (const Requirement& requirement : step.require) {
      require_lowered(requirement.that, requirement.at, problems_);
      check_paths(requirement.that, requirement.at);
    }
    if (step.when) check_paths(*step.when, step.at);
    check_changes(step, entity);
  }

  // An existing item replaces the whole operation: it is looked for first, by its key, and returned.
  void check_if_exists(const Step& step, const Entity& entity) {
    const auto refuse = [&](const std::string& what, const std::string& todo) {
      problems_.error("if-exists", step.at, "`if_exists: return` " + what, todo);
    };
    if (step.kind != StepKind::Put || !step.each.empty())
      return refuse("belongs to a `put` of one item", "Leave it out, or make the step such a `put`.");
    if (&step != &operation_.steps.front())
      return refuse("belongs to the first step, because nothing is done if the item exists",
                    "Move the step to the front.");
    if (step.as.empty() || operation_.returns != step.as)
      return refuse("needs an operation that returns the item",
                    "Give the step a name with `as`, and name it in `returns`.");
    for (const std::string& name : entity.key_fields()) {
      const Attribute* const field = entity.find_field(name);
      const auto reads = [&](const Assignment& one) {
        return one.field == name && !one.value.paths().empty();
      };
      const bool is_known = field != nullptr && !field->is_computed() && !field->otherwise &&
                            std::ranges::none_of(step.key, reads) && std::ranges::none_of(step.set, reads);
      if (!is_known)
        return refuse("looks for the item by its key, and `" + name + "` is not made of parameters",
                      "Make the key of parameters, such as `:" + name + "`.");
    }
  }

  // A computed field cannot be set, and a key cannot be changed.
  void check_changes(const Step& step, const Entity& entity) {
    const std::vector<std::string> keys = entity.key_fields();
    std::vector<Word> changed = step.remove;
    for (const Assignment& one : step.set) changed.push_back({one.field, one.at});
    for (const Word& word : changed) {
      const Attribute* field = entity.find_field(word.text);
      if (field != nullptr && field->is_computed()) {
        problems_.error("step-form", word.at, "`" + word.text + "` is computed, and cannot be set",
                        "Set the fields it is computed from.");
      }
      if (step.kind != StepKind::Put && std::ranges::count(keys, word.text) > 0) {
        problems_.error("step-form", word.at, "`" + word.text + "` is part of the key, which does not change",
                        "Put it under `key`; to change a key, delete and put.");
      }
    }
    const bool writes_nothing = step.kind == StepKind::Delete || step.kind == StepKind::Check;
    if (writes_nothing && !changed.empty())
      problems_.error("step-form", changed.front().at, "this step sets nothing", "Make it an update.");
  }

  const Design& design_;
  const Operation& operation_;
  Problems& problems_;
  Vocabulary names_;
};

}  // namespace

void validate_operations(const Design& design, Problems& problems) {
  for (const Operation& operation : design.operations) OperationCheck(design, operation, problems).check();
}

}  // namespace tavola::design
