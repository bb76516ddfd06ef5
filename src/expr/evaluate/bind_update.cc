#include <algorithm>
#include <numeric>

#include "expr/evaluate/bind.h"

namespace tavola::expr {

namespace {

using ast::Operand;
using Detail = std::optional<std::string>;

class UpdateChecker {
 public:
  UpdateChecker(const ast::Update& tree, const Bindings& bindings) : tree_(tree), bindings_(bindings) {}

  Detail undefined_names() const {
    for (const ast::Action& action : tree_.actions) {
      if (Detail detail = undefined_name(action.path, tree_.placeholders, bindings_)) return detail;
      if (Detail detail = too_deep(action.path)) return detail;
      if (!action.value) continue;
      if (Detail detail = undefined_names_in(*action.value)) return detail;
    }
    return std::nullopt;
  }

  Detail undefined_values() const {
    for (const ast::Action& action : tree_.actions) {
      if (!action.value) continue;
      if (Detail detail = undefined_placeholder(*action.value, tree_.placeholders, bindings_)) return detail;
    }
    return std::nullopt;
  }

  // ADD takes numbers and sets, DELETE only sets.
  Detail section_operands() const {
    for (const ast::Action& action : tree_.actions) {
      const bool add = action.section == ast::Section::Add;
      if (!action.value || (!add && action.section != ast::Section::Delete)) continue;
      const Type type = bindings_.values[std::get<ast::ValueSlot>(action.value->form).slot].type();
      if (is_set(type) || (add && type == Type::Number)) continue;
      return messages::section_operand_type(add ? "ADD" : "DELETE", type);
    }
    return std::nullopt;
  }

  Detail functions() const {
    for (const ast::Action& action : tree_.actions) {
      if (!action.value) continue;
      if (Detail detail = functions_in(*action.value)) return detail;
    }
    return std::nullopt;
  }

 private:
  Detail undefined_names_in(const Operand& operand) const {
    if (const auto* path = std::get_if<ast::Path>(&operand.form)) {
      if (Detail detail = undefined_name(*path, tree_.placeholders, bindings_)) return detail;
      return too_deep(*path);
    }
    if (const auto* call = std::get_if<ast::Call>(&operand.form)) {
      for (const Operand& argument : call->operands) {
        if (Detail detail = undefined_names_in(argument)) return detail;
      }
    }
    return std::nullopt;
  }

  Detail functions_in(const Operand& operand) const {
    const auto* call = std::get_if<ast::Call>(&operand.form);
    if (call == nullptr) return std::nullopt;
    for (const Operand& argument : call->operands) {
      if (Detail detail = functions_in(argument)) return detail;
    }
    const FunctionInfo& function = info(call->function);
    if (call->operands.size() != function.operands) {
      return messages::operand_count(function.name, call->operands.size());
    }
    if (call->function == Function::IfNotExists) {
      if (std::holds_alternative<ast::Path>(call->operands[0].form)) return std::nullopt;
      return messages::path_required(function.name);
    }
    return operand_types(*call, call->function == Function::ListAppend ? Type::List : Type::Number);
  }

  // Only values of the request have a known type without an item.
  Detail operand_types(const ast::Call& call, Type allowed) const {
    for (const Operand& operand : call.operands) {
      const auto* value = std::get_if<ast::ValueSlot>(&operand.form);
      if (value == nullptr) continue;
      const Type type = bindings_.values[value->slot].type();
      if (type != allowed) return messages::operand_type(info(call.function).name, type_name(type));
    }
    return std::nullopt;
  }

  const ast::Update& tree_;
  const Bindings& bindings_;
};

void bind_paths(const ast::Update& tree, Bindings& bindings) {
  bindings.paths.reserve(tree.actions.size());
  for (const ast::Action& action : tree.actions) {
    bindings.paths.push_back(bind_path(action.path, bindings.names));
  }
  bindings.by_path.resize(tree.actions.size());
  std::iota(bindings.by_path.begin(), bindings.by_path.end(), 0U);
  std::ranges::sort(bindings.by_path, {},
                    [&](std::uint32_t i) -> const BoundPath& { return bindings.paths[i]; });
}

}  // namespace

Result<void> bind_update(const ast::Update& tree, Bindings& bindings) {
  const auto refuse = [](const Detail& detail) {
    return fail(messages::invalid(ExpressionKind::Update, *detail));
  };
  const UpdateChecker checker(tree, bindings);
  if (const Detail detail = checker.undefined_names()) return refuse(detail);
  if (const Detail detail = checker.undefined_values()) return refuse(detail);
  bind_paths(tree, bindings);
  const bool clashing = std::ranges::adjacent_find(bindings.by_path, [&](std::uint32_t a, std::uint32_t b) {
                          return clashes(bindings.paths[a], bindings.paths[b]);
                        }) != bindings.by_path.end();
  if (clashing) return check_clashes(bindings.paths, ExpressionKind::Update);
  if (tree.older_parameters) return {};  // legacy_updates.cc has checked the types, with other messages
  if (const Detail detail = checker.section_operands()) return refuse(detail);
  if (const Detail detail = checker.functions()) return refuse(detail);
  return {};
}

}  // namespace tavola::expr
