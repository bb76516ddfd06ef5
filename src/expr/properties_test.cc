// Random expressions against models that are too simple to be wrong: trees of values instead of packed bytes.
#include <algorithm>
#include <map>
#include <optional>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <tavola/packed.h>

#include "expr/evaluate/bind.h"
#include "expr/evaluate/compile.h"
#include "expr/evaluate/evaluate_condition.h"
#include "expr/language/parse.h"
#include "expr/language/print.h"
#include "expr/test_random_items.h"

namespace tavola::expr {
namespace {

// ---- Conditions

class NaiveCondition {
 public:
  NaiveCondition(const Item& item, const std::vector<Value>& values) : item_(item), values_(values) {}

  bool holds(const ast::Node& node) const {
    return std::visit(
        Overloaded{
            [&](const ast::Comparison& x) { return compare(x.comparator, get(x.left), get(x.right)); },
            [&](const ast::Between& x) {
              const auto value = get(x.value);
              return compare(ast::Comparator::GreaterEqual, value, get(x.low)) &&
                     compare(ast::Comparator::LessEqual, value, get(x.high));
            },
            [&](const ast::In& x) {
              return std::ranges::any_of(x.candidates, [&](const ast::Operand& candidate) {
                return compare(ast::Comparator::Equal, get(x.value), get(candidate));
              });
            },
            [&](const ast::Call& x) { return call(x); },
            [&](const ast::And& x) {
              return std::ranges::all_of(x.terms, [&](const auto& y) { return holds(y); });
            },
            [&](const ast::Or& x) {
              return std::ranges::any_of(x.terms, [&](const auto& y) { return holds(y); });
            },
            [&](const ast::Not& x) { return !holds(x.term.front()); },
        },
        node.form);
  }

 private:
  std::optional<Value> get(const ast::Operand& operand) const {
    if (const auto* slot = std::get_if<ast::ValueSlot>(&operand.form)) return values_[slot->slot];
    if (const auto* path = std::get_if<ast::Path>(&operand.form)) return follow(*path);
    const auto value = get(std::get<ast::Call>(operand.form).operands[0]);
    if (!value) return std::nullopt;
    switch (value->type()) {
      case Type::String:
        return value->string() == "é" ? 1 : static_cast<int>(value->string().size());
      case Type::Binary:
        return static_cast<int>(value->binary().bytes.size());
      case Type::List:
        return static_cast<int>(value->list().size());
      case Type::Map:
        return static_cast<int>(value->map().size());
      case Type::StringSet:
        return static_cast<int>(value->string_set().size());
      case Type::NumberSet:
        return static_cast<int>(value->number_set().size());
      default:
        return std::nullopt;
    }
  }

  std::optional<Value> follow(const ast::Path& path) const {
    Value at = item_;
    for (const ast::PathElement& element : path.elements) {
      if (element.kind == ast::PathElement::Kind::Index) {
        if (at.type() != Type::List || element.number >= at.list().size()) return std::nullopt;
        at = Value(at.list()[element.number]);
      } else {
        if (at.type() != Type::Map || !at.map().contains(element.name)) return std::nullopt;
        at = Value(at.map().at(element.name));
      }
    }
    return at;
  }

  static std::optional<std::strong_ordering> order(const Value& a, const Value& b) {
    if (a.type() != b.type()) return std::nullopt;
    if (a.is_number()) return a.number() <=> b.number();
    if (a.is_string()) return a.string() <=> b.string();
    if (a.type() == Type::Binary) return a.binary() <=> b.binary();
    return std::nullopt;
  }

  static bool compare(ast::Comparator comparator, const std::optional<Value>& a,
                      const std::optional<Value>& b) {
    const bool equal = a && b && *a == *b;
    if (comparator == ast::Comparator::Equal) return equal;
    if (comparator == ast::Comparator::NotEqual) return !equal;
    if (!a || !b) return false;
    const auto found = order(*a, *b);
    if (!found) return false;
    switch (comparator) {
      case ast::Comparator::Less:
        return *found < 0;
      case ast::Comparator::LessEqual:
        return *found <= 0;
      case ast::Comparator::Greater:
        return *found > 0;
      default:
        return *found >= 0;
    }
  }

  bool call(const ast::Call& x) const {
    const auto first = get(x.operands[0]);
    if (x.function == Function::AttributeExists) return first.has_value();
    if (x.function == Function::AttributeNotExists) return !first.has_value();
    const auto second = get(x.operands[1]);
    if (!first || !second) return false;
    const bool same = first->type() == second->type();
    if (x.function == Function::BeginsWith) {
      if (first->is_string()) return same && first->string().starts_with(second->string());
      return first->type() == Type::Binary && same &&
             first->binary().bytes.starts_with(second->binary().bytes);
    }
    switch (first->type()) {
      case Type::String:
        return same && first->string().find(second->string()) != std::string::npos;
      case Type::Binary:
        return same && first->binary().bytes.find(second->binary().bytes) != std::string::npos;
      case Type::List:
        return std::ranges::find(first->list(), *second) != first->list().end();
      case Type::StringSet:
        return second->is_string() && first->string_set().contains(second->string());
      case Type::NumberSet:
        return second->is_number() && first->number_set().contains(second->number());
      default:
        return false;
    }
  }

  const Item& item_;
  const std::vector<Value>& values_;
};

std::vector<Value> slot_values(RandomItems& random) {
  std::vector<Value> values;
  values.reserve(RandomItems::kValues);
  for (std::size_t i = 0; i < RandomItems::kOrdered; ++i) {
    values.push_back(i % 3 == 0   ? Value(static_cast<int>(random.below(5)) - 2)
                     : i % 3 == 1 ? Value(random.text())
                                  : Value(Binary{random.text()}));
  }
  while (values.size() < RandomItems::kValues) values.push_back(random.value(2));
  return values;
}

ast::Placeholders all_slots() {
  ast::Placeholders placeholders;
  for (std::size_t i = 0; i < RandomItems::kValues; ++i)
    placeholders.values.push_back(":v" + std::to_string(i));
  return placeholders;
}

Item as_request_values(const std::vector<Value>& values) {
  Item item;
  for (std::size_t i = 0; i < values.size(); ++i) item[":v" + std::to_string(i)] = values[i];
  return item;
}

RC_GTEST_PROP(Expressions, AConditionHoldsExactlyWhenTheModelSaysSo, (std::uint64_t seed)) {
  RandomItems random(seed);
  const ast::Condition tree{random.condition(3), all_slots()};
  const std::vector<Value> values = slot_values(random);
  const PackedItem packed_values = *pack(as_request_values(values));
  const AttributeNames names;
  Scope scope(names, packed_values.view());
  const Bindings bindings = scope.resolve(tree.placeholders);
  for (int i = 0; i < 5; ++i) {
    const Item item = random.item();
    const PackedItem packed = *pack(item);
    RC_ASSERT(holds(tree, bindings, packed.view()) == NaiveCondition(item, values).holds(tree.root));
  }
}

RC_GTEST_PROP(Expressions, APrintedConditionParsesToTheSameTree, (std::uint64_t seed)) {
  RandomItems random(seed);
  const ast::Condition generated{random.condition(4), all_slots()};
  const Result<ast::Condition> first = parse_condition(print(generated), ExpressionKind::Condition);
  if (!first) RC_ASSERT(first.error().message().find("too many operators") != std::string::npos);
  if (!first) return;
  // The generator numbers its slots in advance, the parser by first mention: compare parsed trees only.
  const Result<ast::Condition> second = parse_condition(print(*first), ExpressionKind::Condition);
  RC_ASSERT(second.has_value());
  RC_ASSERT(*second == *first);
  RC_ASSERT(print(*second) == print(generated));
}

// ---- Projections and updates

using Step = std::variant<std::string, std::size_t>;
using Steps = std::vector<Step>;

Steps steps(const ast::Path& path) {
  Steps all;
  for (const ast::PathElement& element : path.elements) {
    if (element.kind == ast::PathElement::Kind::Index) {
      all.emplace_back(static_cast<std::size_t>(element.number));
    } else {
      all.emplace_back(element.name);
    }
  }
  return all;
}

const Value* step(const Value* at, const Step& step) {
  if (at == nullptr) return nullptr;
  if (const auto* name = std::get_if<std::string>(&step)) {
    if (at->type() != Type::Map) return nullptr;
    const auto found = at->map().find(*name);
    return found == at->map().end() ? nullptr : &found->second;
  }
  const std::size_t index = std::get<std::size_t>(step);
  return at->type() == Type::List && index < at->list().size() ? &at->list()[index] : nullptr;
}

const Value* find(const Item& item, const Steps& path) {
  const auto first = item.find(std::get<std::string>(path.front()));
  const Value* at = first == item.end() ? nullptr : &first->second;
  for (std::size_t i = 1; i < path.size(); ++i) at = step(at, path[i]);
  return at;
}

// Keeps the parts on a selected path; returns nullopt if there are none.
std::optional<Value> naive_project(const Value& at, const Steps& here, const std::vector<Steps>& selected) {
  if (std::ranges::find(selected, here) != selected.end()) return at;
  const bool on_the_way = std::ranges::any_of(
      selected, [&](const Steps& path) { return std::ranges::mismatch(here, path).in1 == here.end(); });
  if (!on_the_way) return std::nullopt;
  const auto inner = [&](const Value& value, Step next) {
    Steps there = here;
    there.push_back(std::move(next));
    return naive_project(value, there, selected);
  };
  if (at.type() == Type::List) {
    List list;
    for (std::size_t i = 0; i < at.list().size(); ++i) {
      if (auto kept = inner(at.list()[i], i)) list.push_back(*std::move(kept));
    }
    return list;
  }
  Map map;
  for (const auto& [name, value] : at.map()) {
    if (auto kept = inner(value, name)) map[name] = *std::move(kept);
  }
  return map;
}

RC_GTEST_PROP(Expressions, AProjectionKeepsWhatTheModelKeeps, (std::uint64_t seed)) {
  RandomItems random(seed);
  std::string text = random.path();
  for (std::size_t more = random.below(4); more > 0; --more) text += ", " + random.path();
  const AttributeNames names;
  const PackedItem no_values;
  Compiler compiler(names, no_values.view());
  const Result<Projection> projection = compiler.projection(text);
  if (!projection) {
    RC_ASSERT(projection.error().message().find("Two document paths") != std::string::npos);
    return;
  }
  const Item item = random.item();
  std::vector<Steps> selected;
  const ast::Projection tree = *parse_projection(text);
  for (const ast::Path& path : tree.paths) {
    if (find(item, steps(path)) != nullptr) selected.push_back(steps(path));
  }
  const std::optional<Value> kept = naive_project(item, {}, selected);
  RC_ASSERT(projection->apply(pack(item)->view()).unpack() == (kept ? kept->map() : Map()));
}

// A value whose lists are sparse, so that elements keep their numbers while some are added and removed.
struct Node {
  Value scalar;
  std::optional<std::map<Step, Node>> children;
  bool is_list = false;
};

Node open(const Value& value) {
  Node node;
  if (value.type() == Type::List) {
    node.is_list = true;
    node.children.emplace();
    for (std::size_t i = 0; i < value.list().size(); ++i)
      node.children->emplace(Step(i), open(value.list()[i]));
  } else if (value.type() == Type::Map) {
    node.children.emplace();
    for (const auto& [name, inner] : value.map()) node.children->emplace(Step(name), open(inner));
  } else {
    node.scalar = value;
  }
  return node;
}

Value close(const Node& node) {
  if (!node.children) return node.scalar;
  if (node.is_list) {
    List list;
    for (const auto& [index, inner] : *node.children) list.push_back(close(inner));
    return list;
  }
  Map map;
  for (const auto& [name, inner] : *node.children) map[std::get<std::string>(name)] = close(inner);
  return map;
}

// Applies SET or REMOVE; returns false if the path is invalid.
bool naive_edit(Node& root, const Steps& path, const std::optional<Value>& value) {
  Node* at = &root;
  for (std::size_t i = 0; i < path.size(); ++i) {
    const bool wants_list = std::holds_alternative<std::size_t>(path[i]);
    if (!at->children || at->is_list != wants_list) return false;
    std::map<Step, Node>& children = *at->children;
    if (i + 1 == path.size()) {
      if (value) {
        children.insert_or_assign(path.back(), open(*value));
      } else {
        children.erase(path.back());
      }
      break;
    }
    const auto next = children.find(path[i]);
    if (next == children.end()) return false;
    at = &next->second;
  }
  return true;
}

RC_GTEST_PROP(Expressions, AnUpdateLeavesWhatTheModelLeaves, (std::uint64_t seed)) {
  RandomItems random(seed);
  const std::vector<Value> values = slot_values(random);
  std::string text = "SET ";
  for (std::size_t count = 1 + random.below(3); count > 0; --count) {
    const std::string source =
        random.chance(2) ? ":v" + std::to_string(random.below(values.size())) : random.path();
    text += random.path() + " = " + source + (count > 1 ? ", " : " ");
  }
  if (random.chance(2)) text += "REMOVE " + random.path();
  const AttributeNames names;
  const PackedItem packed_values = *pack(as_request_values(values));
  Compiler compiler(names, packed_values.view());
  const Result<Update> update = compiler.update(text);
  if (!update) {
    RC_ASSERT(update.error().message().find("Two document paths") != std::string::npos);
    return;
  }
  const Item item = random.item();
  const Result<PackedItem> after = update->apply(pack(item)->view());
  const ast::Update tree = *parse_update(text);

  std::vector<std::optional<Value>> sources;
  for (const ast::Action& action : tree.actions) {
    std::optional<Value> source;
    if (action.value) {
      if (const auto* slot = std::get_if<ast::ValueSlot>(&action.value->form)) {
        const std::string& key = tree.placeholders.values[slot->slot];
        source = values[static_cast<std::size_t>(std::stoi(key.substr(2)))];
      } else {
        const Value* found = find(item, steps(std::get<ast::Path>(action.value->form)));
        if (found == nullptr) {
          RC_ASSERT(!after &&
                    after.error().message().find("does not exist in the item") != std::string::npos);
          return;
        }
        source = *found;
      }
    }
    sources.push_back(std::move(source));
  }
  Node root = open(item);
  bool valid = true;
  for (std::size_t i = 0; i < tree.actions.size(); ++i) {
    valid = naive_edit(root, steps(tree.actions[i].path), sources[i]) && valid;
  }
  if (!valid) {
    RC_ASSERT(!after && after.error().message().find("invalid for update") != std::string::npos);
    return;
  }
  RC_ASSERT(after.has_value());
  RC_LOG() << text << '\n' << to_json(item) << '\n';
  RC_ASSERT(to_json(after->unpack()) == to_json(close(root).map()));
  RC_ASSERT(check_packed(after->bytes()).has_value());
}

RC_GTEST_PROP(Expressions, APrintedUpdateParsesToTheSameTree, (std::uint64_t seed)) {
  RandomItems random(seed);
  const std::string path = random.path();
  const std::string text = "SET " + random.path() + " = if_not_exists(" + path +
                           ", :a) + (:b), #n.k = list_append(:a, " + random.path() + ") REMOVE " +
                           random.path() + " ADD #n :b DELETE " + path + " :c";
  const ast::Update tree = *parse_update(text);
  const Result<ast::Update> again = parse_update(print(tree));
  RC_ASSERT(again.has_value());
  RC_ASSERT(*again == tree);
  const ast::Projection projection = *parse_projection(path + ", #n[3]." + path);
  RC_ASSERT(*parse_projection(print(projection)) == projection);
}

}  // namespace
}  // namespace tavola::expr
