// Rules: the expressions of designs. They are DynamoDB's conditions and operands, with literals, arithmetic and further
// functions (docs/DESIGN-LANGUAGE.md, "Expressions"). The parser of requests parses them, in a wider dialect, to the
// same trees.
//
//   TAVOLA rule:   quantity * unitPrice        status = COMPLETED        sha256(join('|', :status, :price))
//
// A rule is evaluated here, over fields and parameters, or lowered: printed as an expression of DynamoDB, with every
// part that reads no field computed first. Thread safety: immutable.
#pragma once

#include <expected>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tavola/error.h>
#include <tavola/expression.h>
#include <tavola/value.h>

#include "base/clock.h"
#include "base/random.h"
#include "expr/language/rule_problem.h"

namespace tavola::expr {

// Resolves bare words: `status = COMPLETED` compares a field with a text.
class Vocabulary {
 public:
  virtual ~Vocabulary() = default;
  // Returns whether `word` is a field, or the name of something with fields ("product" in product.name).
  virtual bool is_name(std::string_view word) const = 0;
  // Returns whether `word` is one of the values of the field `name`, which may be nested: "product.status". The name is
  // empty for the field that a rule of Form::Value is for.
  virtual bool is_value_of(std::string_view name, std::string_view word) const = 0;
  // Returns whether the field `name` counts seconds since 1970: then a duration added to it is in seconds.
  virtual bool counts_seconds(std::string_view /*name*/) const { return false; }
  // Returns the nearest existing name, for "did you mean"; empty if none is near.
  virtual std::string nearest(std::string_view word) const = 0;
};

// The inputs of a rule.
struct RuleInputs {
  const Item* fields = nullptr;                                      // by bare names
  const Item* parameters = nullptr;                                  // by ":name", without the colon
  const std::map<std::string, Item, std::less<>>* others = nullptr;  // product.name: `name` of `product`
  WallTime now{};
  Random* random = nullptr;   // for uuid() and ulid()
  std::string_view caller{};  // for caller(); empty if unknown
};

// Collects the names and values of one request while its expressions are built.
class ExpressionParts {
 public:
  std::string name(std::string_view attribute);  // "#n0"; equal attributes share one
  std::string value(const Value& value);         // ":v0"
  const AttributeNames& names() const { return names_; }
  const Item& values() const { return values_; }

 private:
  AttributeNames names_;
  Item values_;
};

class Rule {
 public:
  enum class Form : std::uint8_t { Condition, Value };

  static std::expected<Rule, RuleProblem> parse(std::string_view text, Form form,
                                                const Vocabulary& vocabulary);

  const std::string& text() const { return text_; }

  // Returns the paths it reads, by their names, each once: {"currentStock"}, {"product", "name"}.
  const std::vector<std::vector<std::string>>& paths() const { return paths_; }
  const std::vector<std::string>& parameters() const { return parameters_; }  // without the colon, each once
  bool is_constant() const { return paths_.empty() && parameters_.empty(); }

  // Returns whether a number that it computes is a time in milliseconds, judging by its text: it uses now(), ms() or a
  // duration. A field or parameter that is only passed on does not count.
  bool gives_moment() const { return gives_moment_; }
  bool uses_caller() const { return uses_caller_; }  // its text contains caller()
  bool asks_exists() const { return asks_exists_; }  // its text asks whether something exists
  // Returns whether equal inputs can give different results: its text contains now(), uuid() or ulid().
  bool changes_by_itself() const { return changes_by_itself_; }

  // Form::Condition only. A missing operand compares as in DynamoDB: it is unequal (<>) to everything, and no other
  // comparison with it holds. Fails on operands of wrong types and on arithmetic that fails.
  Result<bool> holds(const RuleInputs& inputs) const;
  // Form::Value only; returns nullopt if an operand is missing.
  Result<std::optional<Value>> value(const RuleInputs& inputs) const;

  // Returns the rule as an expression of DynamoDB: bare fields stay paths; parameters, others and everything computed
  // from them become values. A Form::Value becomes an operand of SET. Fails if DynamoDB has no such expression
  // (why_not_lowered reports that in advance), or a value is missing.
  Result<std::string> lower(const RuleInputs& inputs, ExpressionParts& parts) const;
  // Returns why it cannot be lowered, whatever the inputs; nullopt if it can.
  std::optional<RuleProblem> why_not_lowered() const;

 private:
  struct Tree;
  std::string text_;
  std::shared_ptr<const Tree> tree_;
  std::vector<std::vector<std::string>> paths_;
  std::vector<std::string> parameters_;
  bool gives_moment_ = false;
  bool uses_caller_ = false;
  bool asks_exists_ = false;
  bool changes_by_itself_ = false;
};

}  // namespace tavola::expr
