// Rules: the expressions of designs. DynamoDB's conditions and operands, with literals, arithmetic and further functions
// (docs/DESIGN-LANGUAGE.md, "Expressions"). They are read by the parser of requests, in a wider dialect, to the same trees.
//
//   TAVOLA rule:   quantity * unitPrice        status = COMPLETED        sha256(join('|', :status, :price))
//
// A rule is evaluated here, over fields and parameters, or lowered: printed as an expression of DynamoDB, with everything
// that holds no field computed first. Thread safety: immutable.
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

// Tells bare words apart: `status = COMPLETED` compares a field with a text.
class Vocabulary {
 public:
  virtual ~Vocabulary() = default;
  // A field, or the name of something with fields ("product" in product.name).
  virtual bool is_name(std::string_view word) const = 0;
  // Whether `word` is one of the values of the field `name`, which may be inside of another: "product.status". The name is
  // empty for the field that a rule of Form::Value is for.
  virtual bool is_value_of(std::string_view name, std::string_view word) const = 0;
  // Whether the field `name` counts seconds since 1970: a duration that is added to it is one in seconds.
  virtual bool counts_seconds(std::string_view /*name*/) const { return false; }
  // The nearest name that exists, for "did you mean"; empty when none is near.
  virtual std::string nearest(std::string_view word) const = 0;
};

// What a rule looks at.
struct RuleInputs {
  const Item* fields = nullptr;                                      // by bare names
  const Item* parameters = nullptr;                                  // by ":name", without the colon
  const std::map<std::string, Item, std::less<>>* others = nullptr;  // product.name: `name` of `product`
  WallTime now{};
  Random* random = nullptr;   // for uuid() and ulid()
  std::string_view caller{};  // for caller(): empty when nobody is known
};

// Collects the names and values of one request while its expressions are made.
class ExpressionParts {
 public:
  std::string name(std::string_view attribute);  // "#n0"; the same for the same attribute
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

  // The paths it reads, by their names, each once: {"currentStock"}, {"product", "name"}.
  const std::vector<std::vector<std::string>>& paths() const { return paths_; }
  const std::vector<std::string>& parameters() const { return parameters_; }  // without the colon, each once
  bool is_constant() const { return paths_.empty() && parameters_.empty(); }

  // Whether a number that it gives is a moment in milliseconds, by how it is written: with now(), ms() or a duration. What is
  // only passed on, a field or a parameter, is whatever it was.
  bool gives_moment() const { return gives_moment_; }
  bool uses_caller() const { return uses_caller_; }  // caller() stands somewhere in it

  // Of Form::Condition. What is missing compares as DynamoDB does it: it is unequal (<>) to everything, and no other
  // comparison with it holds. Fails on operands of wrong types and on arithmetic that fails.
  Result<bool> holds(const RuleInputs& inputs) const;
  // Of Form::Value; nothing when it is made of something missing.
  Result<std::optional<Value>> value(const RuleInputs& inputs) const;

  // As DynamoDB's expression: bare fields stay paths; parameters, others and what is made of them become values. Of a
  // Form::Value: an operand of SET. Fails where DynamoDB has no such expression (why_not_lowered tells so beforehand),
  // or a value is missing.
  Result<std::string> lower(const RuleInputs& inputs, ExpressionParts& parts) const;
  // What keeps it from being lowered, whatever the inputs; nothing when it can be.
  std::optional<RuleProblem> why_not_lowered() const;

 private:
  struct Tree;
  std::string text_;
  std::shared_ptr<const Tree> tree_;
  std::vector<std::vector<std::string>> paths_;
  std::vector<std::string> parameters_;
  bool gives_moment_ = false;
  bool uses_caller_ = false;
};

}  // namespace tavola::expr
