#include "expr/evaluate/compile.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "expr/evaluate/apply_projection.h"
#include "expr/evaluate/apply_update.h"
#include "expr/evaluate/bind.h"
#include "expr/evaluate/cache.h"
#include "expr/evaluate/evaluate_condition.h"
#include "expr/evaluate/key_condition.h"
#include "expr/evaluate/legacy.h"
#include "expr/language/parse.h"

namespace tavola::expr {

namespace {

// One cache per grammar, for the whole process; never destroyed, so that threads may outlive main().
template <class Tree>
TreeCache<Tree>& cache() {
  static auto& instance = *new TreeCache<Tree>();
  return instance;
}

template <class Tree, class Parse>
Result<std::shared_ptr<const Tree>> find_or_parse(std::string_view text, Parse parse) {
  if (auto found = cache<Tree>().find(text)) return found;
  TAVOLA_TRY(Tree tree, parse());
  return cache<Tree>().insert(text, std::move(tree));
}

// Names, each once, in insertion order. Legacy parameters may have very many: beyond a threshold, a hash table is used.
class NameList {
 public:
  void add(std::string_view name) {
    constexpr std::size_t kFew = 16;
    if (names_.size() < kFew) {
      if (std::ranges::find(names_, name) != names_.end()) return;
    } else {
      if (known_.empty()) known_.insert(names_.begin(), names_.end());
      if (!known_.emplace(name).second) return;
    }
    names_.emplace_back(name);
  }
  std::vector<std::string> finish() && { return std::move(names_); }

 private:
  std::vector<std::string> names_;
  std::unordered_set<std::string> known_;
};

// Selects the paths that count when the attributes of an expression are collected.
enum class WhichPaths : std::uint8_t { All, Nested };

bool counts(std::size_t path_length, WhichPaths which) { return which == WhichPaths::All || path_length > 1; }

// Returns whether the operand is if_not_exists(attribute, …).
bool keeps_its_value(const ast::Operand& operand, std::string_view attribute, const Bindings& bindings) {
  const auto* const call = std::get_if<ast::Call>(&operand.form);
  if (call == nullptr || call->function != Function::IfNotExists) return false;
  const auto* const path = std::get_if<ast::Path>(&call->operands.front().form);
  return path != nullptr && path->elements.size() == 1 &&
         element_name(path->elements.front(), bindings.names) == attribute;
}

class AttributeCollector {
 public:
  AttributeCollector(const Bindings& bindings, WhichPaths which) : bindings_(bindings), which_(which) {}

  void visit(const BoundPath& path) {
    if (counts(path.size(), which_)) attributes_.add(path.front().name);
  }

  void visit(const ast::Operand& operand) {
    if (const auto* path = std::get_if<ast::Path>(&operand.form)) {
      if (counts(path->elements.size(), which_)) {
        attributes_.add(element_name(path->elements.front(), bindings_.names));
      }
    } else if (const auto* call = std::get_if<ast::Call>(&operand.form)) {
      visit(*call);
    }
  }

  void visit(const ast::Node& node) {
    std::visit(Overloaded{
                   [this](const ast::Comparison& x) { visit_all(x.left, x.right); },
                   [this](const ast::Between& x) { visit_all(x.value, x.low, x.high); },
                   [this](const ast::In& x) {
                     visit(x.value);
                     for (const ast::Operand& candidate : x.candidates) visit(candidate);
                   },
                   [this](const ast::Call& x) { visit(x); },
                   [this](const ast::Not& x) { visit(x.term.front()); },
                   [this](const auto& x) {
                     for (const ast::Node& term : x.terms) visit(term);
                   },
               },
               node.form);
  }

  std::vector<std::string> finish() && { return std::move(attributes_).finish(); }

 private:
  void visit_all(const auto&... operands) { (visit(operands), ...); }
  void visit(const ast::Call& call) {
    for (const ast::Operand& operand : call.operands) visit(operand);
  }

  const Bindings& bindings_;
  WhichPaths which_;
  NameList attributes_;
};

std::vector<std::string> attributes_of(const ast::Node& root, const Bindings& bindings, WhichPaths which) {
  AttributeCollector collector(bindings, which);
  collector.visit(root);
  return std::move(collector).finish();
}

// Returns the first elements of the bound paths only.
std::vector<std::string> first_elements(const Bindings& bindings, WhichPaths which) {
  AttributeCollector collector(bindings, which);
  for (const BoundPath& path : bindings.paths) collector.visit(path);
  return std::move(collector).finish();
}

// Returns the type of an operand of SET, ADD or DELETE if it does not depend on the item.
std::optional<Type> type_from_expression(const ast::Operand& operand, const Bindings& bindings) {
  if (const auto* value = std::get_if<ast::ValueSlot>(&operand.form)) {
    return bindings.values[value->slot].type();
  }
  if (const auto* call = std::get_if<ast::Call>(&operand.form)) {
    if (call->function == Function::ListAppend) return Type::List;
    if (call->function != Function::IfNotExists) return Type::Number;  // a sum or a difference
  }
  return std::nullopt;
}

}  // namespace

bool Condition::holds(const ItemView& item) const { return empty() || expr::holds(*tree_, *bindings_, item); }

std::vector<std::string> Condition::attributes() const {
  return empty() ? std::vector<std::string>() : attributes_of(tree_->root, *bindings_, WhichPaths::All);
}

std::vector<std::string> Condition::nested_attributes() const {
  return empty() ? std::vector<std::string>() : attributes_of(tree_->root, *bindings_, WhichPaths::Nested);
}

PackedItem Projection::apply(const ItemView& item) const {
  return empty() ? PackedItem(item) : project(item, bindings_->paths);
}

std::vector<std::string> Projection::attributes() const {
  return empty() ? std::vector<std::string>() : first_elements(*bindings_, WhichPaths::All);
}

std::vector<std::string> Projection::nested_attributes() const {
  return empty() ? std::vector<std::string>() : first_elements(*bindings_, WhichPaths::Nested);
}

Result<PackedItem> Update::apply(const ItemView& before, ItemState state) const {
  if (empty()) return PackedItem(before);
  return apply_update(*tree_, *bindings_, before, state);
}

std::vector<std::string> Update::attributes() const {
  return empty() ? std::vector<std::string>() : first_elements(*bindings_, WhichPaths::All);
}

bool Update::assigns(std::string_view attribute) const {
  if (empty()) return false;
  for (std::size_t i = 0; i < tree_->actions.size(); ++i) {
    const ast::Action& action = tree_->actions[i];
    const BoundPath& path = bindings_->paths[i];
    if (path.size() != 1 || path.front().name != attribute || !action.value) continue;
    if (action.section == ast::Section::Delete) continue;
    if (!keeps_its_value(*action.value, attribute, *bindings_)) return true;
  }
  return false;
}

std::vector<std::string> Update::nested_attributes() const {
  if (empty()) return {};
  AttributeCollector collector(*bindings_, WhichPaths::Nested);
  for (const BoundPath& path : bindings_->paths) collector.visit(path);
  for (const ast::Action& action : tree_->actions) {
    if (action.value) collector.visit(*action.value);
  }
  return std::move(collector).finish();
}

std::vector<Update::KnownType> Update::known_types() const {
  std::vector<KnownType> known;
  if (empty()) return known;
  for (std::size_t i = 0; i < tree_->actions.size(); ++i) {
    const ast::Action& action = tree_->actions[i];
    if (!action.value || bindings_->paths[i].size() != 1) continue;
    if (const auto type = type_from_expression(*action.value, *bindings_)) {
      known.push_back({std::string(bindings_->paths[i].front().name), *type});
    }
  }
  return known;
}

bool Update::only_removes() const {
  return !empty() && std::ranges::all_of(tree_->actions, [](const ast::Action& action) {
    return action.section == ast::Section::Remove || action.section == ast::Section::Delete;
  });
}

// The new bindings borrow names from this update's tree and bindings, which the new tree keeps alive.
Projection Update::touched() const {
  Projection projection;
  if (empty()) return projection;
  struct Kept {
    ast::Projection tree;
    std::shared_ptr<const ast::Update> update;
    std::shared_ptr<const Bindings> bindings;
  };
  auto kept = std::make_shared<Kept>(Kept{{}, tree_, bindings_});
  projection.tree_ = std::shared_ptr<const ast::Projection>(kept, &kept->tree);
  auto bindings = std::make_shared<Bindings>();
  bindings->paths = bindings_->paths;
  std::ranges::sort(bindings->paths);
  projection.bindings_ = std::move(bindings);
  return projection;
}

// Keeps all trees alive, because `scope` records placeholders as views into them.
struct Compiler::State {
  State(const AttributeNames& names, const ItemView& values) : scope(names, values) {}

  template <class Tree>
  struct Bound {
    std::shared_ptr<const Tree> tree;
    std::shared_ptr<Bindings> bindings;
  };

  template <class Tree, class Parse>
  Result<Bound<Tree>> resolve(std::string_view text, Parse parse) {
    TAVOLA_TRY(auto tree, find_or_parse<Tree>(text, parse));
    trees.push_back(tree);
    auto bindings = std::make_shared<Bindings>(scope.resolve(tree->placeholders));
    return Bound<Tree>{std::move(tree), std::move(bindings)};
  }

  Result<Bound<ast::Condition>> condition(std::string_view text, ExpressionKind kind) {
    TAVOLA_TRY(auto bound, resolve<ast::Condition>(text, [&] { return parse_condition(text, kind); }));
    TAVOLA_CHECK(check_condition(*bound.tree, *bound.bindings, kind));
    return bound;
  }

  Scope scope;
  std::vector<std::shared_ptr<const void>> trees;
};

Compiler::Compiler(const AttributeNames& names, const ItemView& values)
    : state_(std::make_unique<State>(names, values)) {}
Compiler::~Compiler() = default;

template <class Compiled, class Parts>
Compiled Compiler::assembled(Parts parts) {
  Compiled compiled;
  compiled.tree_ = std::move(parts.tree);
  compiled.bindings_ = std::move(parts.bindings);
  return compiled;
}

Result<Condition> Compiler::condition(std::string_view text, ConditionRole role) {
  const auto kind = role == ConditionRole::Filter ? ExpressionKind::Filter : ExpressionKind::Condition;
  TAVOLA_TRY(State::Bound<ast::Condition> bound, state_->condition(text, kind));
  return assembled<Condition>(std::move(bound));
}

Result<Projection> Compiler::projection(std::string_view text) {
  TAVOLA_TRY(auto bound, state_->resolve<ast::Projection>(text, [&] { return parse_projection(text); }));
  TAVOLA_CHECK(bind_projection(*bound.tree, *bound.bindings));
  return assembled<Projection>(std::move(bound));
}

Result<Update> Compiler::update(std::string_view text) {
  TAVOLA_TRY(auto bound, state_->resolve<ast::Update>(text, [&] { return parse_update(text); }));
  TAVOLA_CHECK(bind_update(*bound.tree, *bound.bindings));
  return assembled<Update>(std::move(bound));
}

Result<KeyExpression> Compiler::key_expression(std::string_view text) {
  TAVOLA_TRY(State::Bound<ast::Condition> bound, state_->condition(text, ExpressionKind::KeyCondition));
  return assembled<KeyExpression>(std::move(bound));
}

Result<KeyCondition> Compiler::key_condition(std::string_view text) {
  TAVOLA_TRY(const KeyExpression expression, key_expression(text));
  return expression.terms();
}

Result<KeyCondition> KeyExpression::terms() const { return expr::key_condition(*tree_, *bindings_); }

Result<Condition> Compiler::expected(const ExpectedAttributes& expected, ConditionalOperator op) {
  TAVOLA_TRY(Translated<ast::Condition> translated, translate(expected, op));
  return assembled<Condition>(std::move(translated));
}

Result<Condition> Compiler::filter(const LegacyConditions& conditions, ConditionalOperator op) {
  TAVOLA_TRY(Translated<ast::Condition> translated, translate(conditions, op));
  return assembled<Condition>(std::move(translated));
}

Result<KeyCondition> Compiler::key_conditions(const LegacyConditions& conditions) {
  return translate_key_conditions(conditions);
}

Result<Projection> Compiler::attributes_to_get(const std::vector<std::string>& names) {
  TAVOLA_TRY(Translated<ast::Projection> translated, translate(names));
  return assembled<Projection>(std::move(translated));
}

Result<Update> Compiler::attribute_updates(const AttributeUpdates& updates) {
  TAVOLA_TRY(Translated<ast::Update> translated, translate(updates));
  return assembled<Update>(std::move(translated));
}

Result<void> Compiler::check_placeholders() const { return state_->scope.check_keys(); }
Result<void> Compiler::check_all_used() const { return state_->scope.check_all_used(); }

}  // namespace tavola::expr
