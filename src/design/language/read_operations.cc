#include <set>

#include "design/language/infer_parameters.h"
#include "design/language/reading.h"
#include "design/model/key_templates.h"
#include "design/model/nearest.h"
#include "design/model/taken_fields.h"

namespace tavola::design {
namespace {

using yaml::Node;
using StepKind = Step::Kind;

struct KindKey {
  std::string_view key;
  StepKind kind;
};
constexpr KindKey kStepKinds[] = {{"put", StepKind::Put},
                                  {"update", StepKind::Update},
                                  {"delete", StepKind::Delete},
                                  {"check", StepKind::Check},
                                  {"transition", StepKind::Transition}};

using NameSet = std::set<std::string, std::less<>>;

NameSet names_in(const std::vector<Assignment>& assignments) {
  NameSet names;
  for (const Assignment& one : assignments) names.insert(one.field);
  return names;
}

// The state that all operations of a design share while they are read.
struct OperationsReading {
  OperationsReading(const Design& design, Problems& problems_of_design)
      : to_take(design), count("operations", problems_of_design), problems(problems_of_design) {}

  FieldsToTake to_take;
  PartCount count;
  Problems& problems;
};

// Reads which one thing the step does, and to which entity.
void read_kind(const Node& node, Step& step, Problems& problems) {
  const Node* first = nullptr;
  for (const auto& [key, kind] : kStepKinds) {
    const Node* said = node.find(key);
    if (said == nullptr) continue;
    if (first != nullptr) {
      problems.error("step-form", said->span, "a step does one thing, and this one does two",
                     "Split it into two steps.");
      return;
    }
    first = said;
    step.kind = kind;
    step.entity = word_of(*said);
    if (kind != StepKind::Transition) continue;
    const std::optional<Pair> pair = split(*said, ".");
    if (pair) {
      step.entity = pair->first;
      step.transition = pair->second;
    } else {
      problems.error("step-form", said->span, "`" + said->text + "` is not a transition",
                     "Write the entity and the transition: File.claim.");
    }
  }
  if (first == nullptr) {
    problems.error("step-form", step.at, "the step does nothing",
                   "Add put, update, delete, check or transition.");
  }
}

// `if_exists: return` says more of a put with `exists: false`, which it implies.
void read_if_exists(const Node& node, const Node& found, Step& step, Problems& problems) {
  if (node.find("exists") != nullptr) {
    problems.error("step-form", found.span, "`if_exists` and `exists` both say what an existing item means",
                   "Leave out `exists`.");
  }
  step.exists = false;
  step.returns_existing = true;
}

// An operation that does nothing but put an item returns it. The item gets a name that nothing else has.
void return_created(const Design& design, Operation& operation) {
  if (operation.steps.size() != 1) return;
  Step& step = operation.steps.front();
  const Entity* const entity = design.find_entity(step.entity.text);
  if (step.kind != StepKind::Put || !step.each.empty() || entity == nullptr) return;
  const auto is_taken = [&](const std::string& name) {
    return entity->find_field(name) != nullptr ||
           std::ranges::find(operation.reads, name, &ReadFirst::name) != operation.reads.end();
  };
  if (step.as.empty()) {
    step.as = "created";
    while (is_taken(step.as)) step.as += "_item";
  }
  operation.returns = step.as;
}

// Reads one operation: its reads and steps in order, with the names that each may use, and the parameters of all of
// them.
class OperationReader {
 public:
  OperationReader(const Design& design, Operation& operation, OperationsReading& shared)
      : design_(design), operation_(operation), shared_(shared), problems_(shared.problems) {}

  void read(const Node& node) {
    for (const yaml::Entry& entry : entries_at(node, "read")) {
      read_first(entry);
      count(operation_.reads.back().key.size());
      if (problems_.is_cut()) return;
    }
    if (const Node* steps = node.find("steps")) {
      for (const Node& step : steps->items) {
        read_step(step);
        count(operation_.steps.back().key.size() + operation_.steps.back().set.size());
        if (problems_.is_cut()) return;
      }
    }
    if (const Node* idempotent = node.find("idempotent_by")) read_idempotent(node, *idempotent);
    operation_.returns = text_at(node, "returns");
    operation_.returns_at = word_at(node, "returns").at;
    if (operation_.returns.empty()) return_created(design_, operation_);
    operation_.notes = read_notes(node);
    operation_.parameters = parameters_of(uses_);
    shared_.count.add_all(operation_.parameters, operation_.at);
    if (problems_.is_cut()) return;
    read_parameters(node, operation_.parameters, problems_);
  }

 private:
  void count(std::size_t parts) { shared_.count.add(parts, operation_.at); }

  void use(const std::string& name, const Entity* entity, const Span& at, bool required = true) {
    uses_.push_back({.name = name, .entity = entity, .like = nullptr, .required = required, .at = at});
  }

  // `idempotent_by: saleId`, or with a scope: `{ param: saleId, within: [shopId] }`.
  void read_idempotent(const Node& node, const Node& said) {
    const Node* const token = said.is_scalar() ? &said : said.find("param");
    if (token == nullptr) return;
    operation_.idempotent_by = token->text;
    operation_.idempotent_within = words_at(said, "within");
    use_token(node, word_of(*token));
    for (const Word& scope : operation_.idempotent_within) use_token(node, scope);
  }

  // Adds the token that identifies repeated calls. It must be a parameter that is used or declared elsewhere:
  // any other name is probably mistyped.
  void use_token(const Node& node, const Word& token) {
    NameSet known;
    for (const ParameterUse& one : uses_) known.insert(one.name);
    for (const yaml::Entry& said : entries_at(node, "params")) known.insert(said.key.text);
    if (!known.contains(token.text)) {
      const std::vector<std::string> names(known.begin(), known.end());
      problems_.error("unknown-name", token.at, "`" + token.text + "` is not a parameter of the operation",
                      did_you_mean(token.text, names, "Add it to `params`, or name another parameter."));
    }
    use(token.text, nullptr, token.at);
  }

  void use_all(const std::vector<Assignment>& assignments, const Entity& entity) {
    for (const Assignment& one : assignments)
      use_rule(one.value, &entity, entity.find_field(one.field), one.at, uses_);
  }

  // Adds field = :field, the parameter of the same name.
  void take(const std::string& field, const Entity& entity, const Span& at, bool required,
            std::vector<Assignment>& into) {
    std::optional<Assignment> assignment = implied(field, ":" + field, Vocabulary(), at);
    if (!assignment) return;  // a bad name; validate_names.cc reports it
    into.push_back(*std::move(assignment));
    use(field, &entity, at, required);
  }

  // Adds a field of the key of an item that exists.
  void take_key(const std::string& field, const Entity& entity, const Span& at,
                std::vector<Assignment>& into) {
    take(field, entity, at, true, into);
    if (!uses_.empty() && uses_.back().name == field) uses_.back().is_day = is_shown_as_day(entity, field);
  }

  void read_first(const yaml::Entry& entry) {
    ReadFirst& read = operation_.reads.emplace_back();
    read.name = entry.key.text;
    read.at = entry.key.span;
    read.entity = word_at(entry.value, "get");
    if (const Node* required = entry.value.find("required")) read.required = required->boolean();
    const Entity* entity = design_.find_entity(read.entity.text);
    read.key = read_assignments(entry.value, "key", others_, problems_);
    if (entity != nullptr) {
      use_all(read.key, *entity);
      for (const std::string& field : entity->key_fields()) {
        if (!assigns(read.key, field)) take_key(field, *entity, read.at, read.key);
      }
    }
    others_.add(read.name, entity);
  }

  void read_each(const Node& node, Step& step) {
    const Node* each = node.find("each");
    if (each == nullptr) return;
    const std::optional<Pair> pair = split(*each, " as ");
    if (!pair) {
      problems_.error("step-form", each->span, "`" + each->text + "` has no name for the pattern's item",
                      "Write the pattern and a name: commentsOf as comment.");
      return;
    }
    step.each = pair->first;
    step.element = pair->second.text;
    const Pattern* pattern = design_.find_pattern(step.each.text);
    if (pattern == nullptr) return;
    count(pattern->parameters.size());
    for (const Parameter& parameter : pattern->parameters) {
      uses_.push_back({.name = parameter.name,
                       .entity = nullptr,
                       .like = &parameter.form,
                       .required = parameter.required,
                       .at = step.each.at});
    }
  }

  void read_requirements(const Node& node, const Vocabulary& names, Step& step) {
    const Node* require = node.find("require");
    if (require == nullptr) return;
    if (require->kind != yaml::Kind::List) return read_requirement(*require, names, step);
    for (const Node& one : require->items) read_requirement(one, names, step);
  }

  void read_requirement(const Node& node, const Vocabulary& names, Step& step) {
    const Node* that = node.is_scalar() ? &node : node.find("that");
    std::optional<Rule> rule = read_rule(*that, Rule::Form::Condition, names, problems_);
    if (!rule) return;
    use_rule(*rule, names.entity(), nullptr, that->span, uses_);
    step.require.push_back(
        {.that = *std::move(rule), .otherwise = text_at(node, "otherwise"), .at = that->span});
  }

  // Completes the key. In an `each`, the fields of the found item take precedence over parameters.
  void complete_key(const Entity& entity, const Vocabulary& others, Step& step) {
    const Entity* found = others.find_other(step.element);
    for (const std::string& field : entity.key_fields()) {
      if (assigns(step.key, field)) continue;
      if (step.kind == StepKind::Put && assigns(step.set, field)) continue;
      if (found != nullptr && found->find_field(field) != nullptr) {
        if (auto from_found = implied(field, step.element + "." + field, others, step.at))
          step.key.push_back(*std::move(from_found));
        continue;
      }
      const Attribute* attribute = entity.find_field(field);
      if (attribute == nullptr) continue;
      if (step.kind != StepKind::Put) {
        take_key(field, entity, step.at, step.key);
      } else if (!attribute->is_computed()) {
        take(field, entity, step.at, !attribute->otherwise && attribute->generate == Attribute::Generate::No,
             step.key);
      }
    }
  }

  // Completes a put with every field that is not given and not computed.
  void complete_put(const Entity& entity, Step& step) {
    const NameSet in_key = names_in(step.key);
    const NameSet in_set = names_in(step.set);
    for (const Attribute* field : shared_.to_take.of(entity).by_put) {
      if (in_key.contains(field->name) || in_set.contains(field->name)) continue;
      const bool has_other_source =
          field->otherwise || field->only || field->when || field->generate != Attribute::Generate::No;
      take(field->name, entity, step.at, field->required && !has_other_source, step.set);
    }
  }

  void read_take(const Node& node, const Entity& entity, Step& step) {
    const std::vector<Word> words = words_at(node, "take");
    if (words.empty()) return;
    const bool all = words.size() == 1 && words.front().text == "all" && entity.find_field("all") == nullptr;
    if (!all) {
      for (const Word& word : words) {
        if (problems_.is_full()) return;
        if (entity.find_field(word.text) == nullptr) {
          problems_.error("unknown-field", word.at, "`" + entity.name + "` has no field `" + word.text + "`",
                          did_you_mean(word.text, field_names(entity), "Take fields of the entity."));
        } else if (!assigns(step.set, word.text)) {
          take(word.text, entity, word.at, false, step.set);
        }
      }
      return;
    }
    const NameSet said = names_in(step.set);
    for (const Attribute* field : shared_.to_take.of(entity).by_all) {
      if (!said.contains(field->name)) take(field->name, entity, words.front().at, false, step.set);
    }
  }

  // Takes the fields that the transition needs, and the names in its assignments, from parameters unless
  // something sets them.
  void complete_transition(const Entity& entity, Step& step) {
    const Transition* transition = entity.find_transition(step.transition.text);
    if (transition == nullptr) return;
    use_all(transition->set, entity);
    count(transition->set.size() + transition->require.size());
    for (const Word& field : transition->require) {
      const bool is_set = assigns(step.set, field.text) || assigns(transition->set, field.text);
      if (!is_set && entity.find_field(field.text) != nullptr)
        take(field.text, entity, step.at, true, step.set);
    }
  }

  void read_step(const Node& node) {
    Step& step = operation_.steps.emplace_back();
    step.at = node.entries.empty() ? node.span : node.entries.front().key.span;
    read_kind(node, step, problems_);
    read_each(node, step);
    step.as = text_at(node, "as");
    step.otherwise = text_at(node, "otherwise");
    step.remove = words_at(node, "remove");
    if (const Node* exists = node.find("exists")) step.exists = exists->boolean();
    if (const Node* found = node.find("if_exists")) read_if_exists(node, *found, step, problems_);
    const Entity* entity = design_.find_entity(step.entity.text);
    Vocabulary others = others_;
    if (const Pattern* pattern = design_.find_pattern(step.each.text))
      others.add(step.element, design_.find_entity(pattern->entity.text));
    if (const Node* when = node.find("when")) {
      step.when = read_rule(*when, Rule::Form::Condition, others, problems_);
      if (step.when) use_rule(*step.when, entity, nullptr, when->span, uses_);
    }
    if (entity != nullptr) read_write(node, *entity, others, step);
    if (!step.as.empty()) others_.add(step.as, entity);
  }

  void read_write(const Node& node, const Entity& entity, const Vocabulary& others, Step& step) {
    const Vocabulary names = others.with(&entity);
    step.key = read_assignments(node, "key", others, problems_);
    step.set = read_assignments(node, "set", names, problems_);
    use_all(step.key, entity);
    complete_key(entity, others, step);
    read_requirements(node, names, step);
    use_all(step.set, entity);
    read_take(node, entity, step);
    if (step.kind == StepKind::Put) complete_put(entity, step);
    if (step.kind == StepKind::Transition) complete_transition(entity, step);
  }

  const Design& design_;
  Operation& operation_;
  OperationsReading& shared_;
  Problems& problems_;
  Vocabulary others_;
  ParameterUses uses_;
};

}  // namespace

void read_operations(const Node& root, Design& design, Problems& problems) {
  OperationsReading shared(design, problems);
  for (const auto& [key, node] : entries_at(root, "operations")) {
    if (problems.is_cut()) return;
    Operation operation;
    operation.name = key.text;
    operation.at = key.span;
    OperationReader(design, operation, shared).read(node);
    design.operations.push_back(std::move(operation));
  }
}

}  // namespace tavola::design
