// One test of a policy's Condition: "ForAllValues:StringEquals": {"dynamodb:LeadingKeys": ["${aws:username}"]}.
#pragma once

#include <array>
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "policy/context.h"
#include "policy/pattern.h"

namespace tavola::policy {

enum class Quantifier : std::uint8_t { One, ForAllValues, ForAnyValue };

// How an operator compares a value of the request with those of the policy.
enum class Comparing : std::uint8_t {
  Text,
  TextIgnoringCase,
  Like,
  Arn,
  Number,
  Time,
  Boolean,
  Address,
  Absence
};
enum class Order : std::uint8_t { Equal, Less, LessOrEqual, Greater, GreaterOrEqual };

struct Operator {
  Comparing comparing = Comparing::Text;
  Order order = Order::Equal;
  bool negated = false;  // none of the policy's values may match
  Quantifier quantifier = Quantifier::One;
  bool if_exists = false;
};
// Fails with a description of the fault, like all functions below.
std::expected<Operator, std::string> parse_operator(std::string_view text);

// "10.0.0.0/8", "::1"
struct AddressRange {
  std::array<std::uint8_t, 16> bytes{};
  bool is_v6 = false;
  unsigned bits = 0;
  bool contains(std::string_view address) const;
};
std::expected<AddressRange, std::string> parse_address_range(std::string_view text);

class Condition {
 public:
  static std::expected<Condition, std::string> parse(std::string_view operator_text,
                                                     std::string_view key_text,
                                                     std::vector<std::string> values, bool has_variables);

  bool holds(const Context& context) const;

  // Adds the keys that it depends on: its own, and those of its variables.
  void add_keys(KeySet& keys) const;
  // Returns whether only requests from callers or addresses that the policy names satisfy it.
  bool names_callers() const;

  // As written in the policy.
  const std::string& operator_text() const { return operator_text_; }
  const std::string& key_text() const { return key_text_; }
  const std::vector<std::string>& values() const { return values_; }

 private:
  using ArnParts = std::vector<Pattern>;  // six, between colons
  using Operand = std::variant<Pattern, ArnParts, double, bool, AddressRange>;

  std::expected<Operand, std::string> parse_operand(std::string_view text, bool has_variables) const;
  bool fits(const Operand& operand, std::string_view value, const Context& context) const;

  Operator op_;
  Key key_ = Key::CurrentTime;
  std::vector<Operand> operands_;
  std::string operator_text_;
  std::string key_text_;
  std::vector<std::string> values_;
};

}  // namespace tavola::policy
