#include "access/permissions/write_attributes.h"

#include <algorithm>
#include <iterator>

#include "expr/evaluate/compile.h"
#include "expr/language/parse.h"

namespace tavola::access {
namespace {

std::vector<std::string> in_expression(const auto& request) {
  if (request.condition_expression.empty()) return {};
  expr::Compiler compiler(request.names, request.values.view());
  const auto condition = compiler.condition(request.condition_expression);
  return condition ? condition->attributes() : std::vector<std::string>();
}

std::vector<std::string> in_either(const auto& request) {
  std::vector<std::string> names = in_expression(request);
  if (!request.expected) return names;
  std::ranges::transform(*request.expected, std::back_inserter(names),
                         [](const auto& expected) { return expected.first; });
  return names;
}

// Reads the names in the paths of an update expression.
class UpdateNames {
 public:
  UpdateNames(const expr::ast::Update& update, const AttributeNames& names)
      : update_(update), names_(names) {}

  void add(const expr::ast::Path& path, std::vector<std::string>& names) const {
    const expr::ast::PathElement& first = path.elements.front();
    if (first.kind == expr::ast::PathElement::Kind::Name) {
      names.push_back(first.name);
      return;
    }
    const auto name = names_.find(update_.placeholders.names[first.number]);
    if (name != names_.end()) names.push_back(name->second);
  }
  void add(const expr::ast::Operand& operand, std::vector<std::string>& names) const {
    if (const auto* const path = std::get_if<expr::ast::Path>(&operand.form)) add(*path, names);
    if (const auto* const call = std::get_if<expr::ast::Call>(&operand.form)) {
      for (const expr::ast::Operand& inner : call->operands) add(inner, names);
    }
  }

  // Adds the attributes whose stored values an action reads.
  void add_read(const expr::ast::Action& action, std::vector<std::string>& names) const {
    if (action.section == expr::ast::Section::Add || action.section == expr::ast::Section::Delete)
      add(action.path, names);
    if (action.value) add_read(*action.value, action.path, names);
  }

 private:
  // Adds the attributes that the value assigned to `target` reads.
  void add_read(const expr::ast::Operand& value, const expr::ast::Path& target,
                std::vector<std::string>& names) const {
    const auto* const call = std::get_if<expr::ast::Call>(&value.form);
    if (call == nullptr || call->function != expr::Function::IfNotExists) return add(value, names);
    // An existing value stays, and the caller does not learn that it existed.
    for (const expr::ast::Operand& operand : call->operands) {
      const auto* const path = std::get_if<expr::ast::Path>(&operand.form);
      const bool is_target =
          &operand == &call->operands.front() && path != nullptr && whole(*path) == whole(target);
      if (!is_target) add_read(operand, target, names);
    }
  }

  // Returns the names and positions of a path, with placeholders replaced.
  std::vector<std::string> whole(const expr::ast::Path& path) const {
    std::vector<std::string> elements;
    for (const expr::ast::PathElement& element : path.elements) {
      switch (element.kind) {
        case expr::ast::PathElement::Kind::Name:
          elements.push_back(element.name);
          break;
        case expr::ast::PathElement::Kind::Index:
          elements.push_back("[" + std::to_string(element.number) + "]");
          break;
        case expr::ast::PathElement::Kind::Placeholder: {
          const auto name = names_.find(update_.placeholders.names[element.number]);
          elements.push_back(name == names_.end() ? std::string() : name->second);
          break;
        }
      }
    }
    return elements;
  }

  const expr::ast::Update& update_;
  const AttributeNames& names_;
};

}  // namespace

std::vector<std::string> condition_attributes(const PutItemRequest& request) { return in_either(request); }
std::vector<std::string> condition_attributes(const UpdateItemRequest& request) { return in_either(request); }
std::vector<std::string> condition_attributes(const DeleteItemRequest& request) { return in_either(request); }
std::vector<std::string> condition_attributes(const ConditionCheck& request) {
  return in_expression(request);
}

std::vector<AttributeChange> attribute_changes(const UpdateItemRequest& request) {
  std::vector<AttributeChange> changes;
  if (request.attribute_updates) {
    for (const auto& [name, update] : *request.attribute_updates) {
      AttributeChange& change = changes.emplace_back(AttributeChange{name});
      // DELETE without a value removes the attribute.
      const bool is_read =
          update.action == UpdateAction::Add || (update.action == UpdateAction::Delete && update.value);
      if (is_read) change.reads.push_back(name);
    }
  }
  if (request.update_expression.empty()) return changes;
  const auto update = expr::parse_update(request.update_expression);
  if (!update) return changes;
  const UpdateNames names(*update, request.names);
  for (const expr::ast::Action& action : update->actions) {
    std::vector<std::string> changed;
    names.add(action.path, changed);
    if (changed.empty()) continue;
    AttributeChange& change = changes.emplace_back(AttributeChange{std::move(changed.front())});
    if (action.value) names.add(*action.value, change.from);
    names.add_read(action, change.reads);
  }
  return changes;
}

}  // namespace tavola::access
