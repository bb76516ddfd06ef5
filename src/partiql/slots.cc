#include "partiql/slots.h"

#include <algorithm>
#include <map>
#include <ranges>

#include "base/overloaded.h"
#include "expr/language/print.h"

namespace tavola::partiql {

using ast::Node;
using ast::Operand;

ast::Path Slots::path(std::string_view attribute) {
  return path(Path{{Step{.name = std::string(attribute)}}});
}

ast::Path Slots::path(const Path& path) {
  ast::Path made;
  for (const Step& step : path.steps) {
    if (step.is_index) {
      made.elements.push_back({ast::PathElement::Kind::Index, step.index, {}});
      continue;
    }
    const auto found = std::ranges::find(names_, step.name);
    const auto slot = static_cast<std::uint32_t>(found - names_.begin());
    if (found == names_.end()) names_.push_back(step.name);
    made.elements.push_back({ast::PathElement::Kind::Placeholder, slot, {}});
  }
  return made;
}

Operand Slots::value(Value value) {
  values_.push_back(std::move(value));
  return {ast::ValueSlot{static_cast<std::uint32_t>(values_.size() - 1)}};
}

const std::string& attribute_of(const ast::Path& path, const Slots& slots) {
  return slots.name_at(path.elements.front().number);
}

void each_operand(const Operand& operand, const std::function<void(const Operand&)>& look) {
  look(operand);
  if (const auto* inner = std::get_if<ast::Call>(&operand.form)) {
    for (const Operand& argument : inner->operands) each_operand(argument, look);
  }
}

void each_operand(const Node& node, const std::function<void(const Operand&)>& look) {
  const auto all = [&](const auto& range) {
    for (const auto& element : range) each_operand(element, look);
  };
  std::visit(Overloaded{
                 [&](const ast::Comparison& x) {
                   each_operand(x.left, look);
                   each_operand(x.right, look);
                 },
                 [&](const ast::Between& x) {
                   each_operand(x.value, look);
                   each_operand(x.low, look);
                   each_operand(x.high, look);
                 },
                 [&](const ast::In& x) {
                   each_operand(x.value, look);
                   all(x.candidates);
                 },
                 [&](const ast::Call& x) { all(x.operands); },
                 [&](const ast::And& x) { all(x.terms); },
                 [&](const ast::Or& x) { all(x.terms); },
                 [&](const ast::Not& x) { all(x.term); },
             },
             node.form);
}

std::vector<std::string> attributes_of(const Node& node, const Slots& slots) {
  std::vector<std::string> found;
  each_operand(node, [&](const Operand& operand) {
    const auto* path = std::get_if<ast::Path>(&operand.form);
    if (path == nullptr) return;
    const std::string& name = attribute_of(*path, slots);
    if (std::ranges::find(found, name) == found.end()) found.push_back(name);
  });
  return found;
}

namespace {

// Joins a nested conjunction into the outer one: only parentheses would tell them apart.
template <class Joined>
Node joined(std::vector<Node> terms) {
  if (terms.size() == 1) return std::move(terms.front());
  Joined whole;
  for (Node& term : terms) {
    if (auto* same = std::get_if<Joined>(&term.form)) {
      std::ranges::move(same->terms, std::back_inserter(whole.terms));
    } else {
      whole.terms.push_back(std::move(term));
    }
  }
  return {std::move(whole)};
}

}  // namespace

Node all_of(std::vector<Node> terms) { return joined<ast::And>(std::move(terms)); }
Node any_of(std::vector<Node> terms) { return joined<ast::Or>(std::move(terms)); }

Node none_of(Node term) {
  ast::Not negated;
  negated.term.push_back(std::move(term));
  return {std::move(negated)};
}

Node call(expr::Function function, Operand operand) {
  ast::Call made{function, {}};
  made.operands.push_back(std::move(operand));
  return {std::move(made)};
}

// ---- RequestTexts ----

void RequestTexts::use(const ast::Path& path) {
  for (const ast::PathElement& element : path.elements) {
    if (element.kind == ast::PathElement::Kind::Placeholder) names_.insert(element.number);
  }
}

void RequestTexts::use(const Operand& operand) {
  if (const auto* path = std::get_if<ast::Path>(&operand.form)) use(*path);
  if (const auto* value = std::get_if<ast::ValueSlot>(&operand.form)) values_.insert(value->slot);
}

ast::Placeholders RequestTexts::placeholders() const {
  ast::Placeholders made;
  for (std::size_t i = 0; i < slots_.name_count(); ++i) made.names.push_back("#n" + std::to_string(i));
  for (std::size_t i = 0; i < slots_.value_count(); ++i) made.values.push_back(":v" + std::to_string(i));
  return made;
}

std::string RequestTexts::condition(const Node& node) {
  each_operand(node, [this](const Operand& operand) { use(operand); });
  return expr::print(ast::Condition{node, placeholders()});
}

std::string RequestTexts::update(const std::vector<ast::Action>& actions) {
  // Actions of one section keep their order. A multimap does that without stable_sort, which clang warns about.
  std::multimap<ast::Section, ast::Action> by_section;
  for (const ast::Action& action : actions) {
    by_section.emplace(action.section, action);
    use(action.path);
    if (action.value) each_operand(*action.value, [this](const Operand& operand) { use(operand); });
  }
  ast::Update tree{.actions = {}, .placeholders = placeholders()};
  std::ranges::copy(by_section | std::views::values, std::back_inserter(tree.actions));
  return expr::print(tree);
}

std::string RequestTexts::projection(const std::vector<std::string>& attributes) {
  std::string text;
  for (const std::string& attribute : attributes) {
    const std::string placeholder = "#p" + std::to_string(more_names_.size());
    more_names_.emplace(placeholder, attribute);
    text.append(text.empty() ? "" : ", ").append(placeholder);
  }
  return text;
}

AttributeNames RequestTexts::names() const {
  AttributeNames used = more_names_;
  for (const std::uint32_t slot : names_) used.emplace("#n" + std::to_string(slot), slots_.name_at(slot));
  return used;
}

Result<PackedItem> RequestTexts::values() const {
  Item used;
  for (const std::uint32_t slot : values_) used.emplace(":v" + std::to_string(slot), slots_.value_at(slot));
  return pack(used);
}

}  // namespace tavola::partiql
