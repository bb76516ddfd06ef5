// A text of a policy with wildcards or variables: "dynamodb:Get*", "table/Orders/index/?", "${aws:username}#*".
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "policy/context.h"

namespace tavola::policy {

struct PatternRules {
  bool wildcards = true;  // '*' and '?' stand for other characters
  bool variables = true;  // "${aws:username}" stands for a value of the request, and "${*}" for a star
  bool ignores_case = false;
};

class Pattern {
 public:
  // Fails with a description of the fault.
  static std::expected<Pattern, std::string> parse(std::string_view text, const PatternRules& rules);

  // Returns false if a variable has no value in this request.
  bool matches(std::string_view text, const Context& context) const;
  // Returns whether it matches everything.
  bool is_star() const;
  // Adds the keys of its variables.
  void add_keys(KeySet& keys) const;

 private:
  struct One {};   // any character
  struct Many {};  // any characters
  using Piece = std::variant<std::string, One, Many, Key>;

  std::vector<Piece> pieces_;
  bool ignores_case_ = false;
};

}  // namespace tavola::policy
