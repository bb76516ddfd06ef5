// The attribute names and values of a statement, and the expressions of requests that are built from them.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <tavola/error.h>
#include <tavola/expression.h>
#include <tavola/packed.h>
#include <tavola/value.h>

#include "expr/language/ast.h"
#include "partiql/statement.h"

namespace tavola::partiql {

namespace ast = expr::ast;

// Numbered in the order they are added; trees (expr/language/ast.h) refer to them by number.
class Slots {
 public:
  ast::Path path(std::string_view attribute);
  ast::Path path(const Path& path);
  ast::Operand value(Value value);

  const std::string& name_at(std::uint32_t slot) const { return names_[slot]; }
  const Value& value_at(std::uint32_t slot) const { return values_[slot]; }
  std::size_t name_count() const { return names_.size(); }
  std::size_t value_count() const { return values_.size(); }

 private:
  std::vector<std::string> names_;
  std::vector<Value> values_;
};

// Returns the attribute that `path` begins with.
const std::string& attribute_of(const ast::Path& path, const Slots& slots);
// Whether `path` is a whole attribute.
inline bool is_whole(const ast::Path& path) { return path.elements.size() == 1; }

// Visits every operand in the tree, nested ones included.
void each_operand(const ast::Node& node, const std::function<void(const ast::Operand&)>& look);
void each_operand(const ast::Operand& operand, const std::function<void(const ast::Operand&)>& look);

// Returns the attributes that a condition reads, in the order of first mention.
std::vector<std::string> attributes_of(const ast::Node& node, const Slots& slots);

ast::Node all_of(std::vector<ast::Node> terms);  // at least one
ast::Node any_of(std::vector<ast::Node> terms);
ast::Node none_of(ast::Node term);
ast::Node call(expr::Function function, ast::Operand operand);

// The expressions of one request as text, with exactly the names and values that they use: DynamoDB refuses others.
class RequestTexts {
 public:
  explicit RequestTexts(const Slots& slots) : slots_(slots) {}

  std::string condition(const ast::Node& node);
  std::string update(const std::vector<ast::Action>& actions);
  std::string projection(const std::vector<std::string>& attributes);

  AttributeNames names() const;
  Result<PackedItem> values() const;

 private:
  void use(const ast::Operand& operand);
  void use(const ast::Path& path);
  ast::Placeholders placeholders() const;

  const Slots& slots_;
  std::set<std::uint32_t> names_;
  std::set<std::uint32_t> values_;
  AttributeNames more_names_;  // used by projections
};

}  // namespace tavola::partiql
