// Rules of any text: a refusal has a position; a parsed rule evaluates, and one that can be lowered becomes an
// expression of DynamoDB's grammar, with every placeholder used.
#include <cstdint>
#include <string>
#include <string_view>

#include <tavola/packed.h>

#include "base/assert.h"
#include "expr/evaluate/compile.h"
#include "expr/rules/rule.h"

namespace {

using namespace tavola;
using expr::Rule;

class Words final : public expr::Vocabulary {
 public:
  bool is_name(std::string_view word) const override { return word.size() == 1 || word == "other"; }
  bool is_value_of(std::string_view name, std::string_view word) const override {
    return name == "s" && word == "OPEN";
  }
  std::string nearest(std::string_view /*word*/) const override { return {}; }
};

const Item& fields() {
  static const Item item{{"a", 1},
                         {"b", "text"},
                         {"s", "OPEN"},
                         {"l", List{1, "x"}},
                         {"m", Map{{"k", 2}}},
                         {"t", "2024-01-31T12:00:00Z"}};
  return item;
}

// A rule that may be lowered must be, except for missing or mistyped values, which depend on the inputs.
void check_lowered(const Rule& rule, Rule::Form form, const expr::RuleInputs& inputs) {
  expr::ExpressionParts parts;
  const Result<std::string> lowered = rule.lower(inputs, parts);
  if (!lowered) return;
  const auto values = pack(parts.values());
  if (!values) return;  // numbers too large, say
  expr::Compiler compiler(parts.names(), values->view());
  if (form == Rule::Form::Condition) {
    const auto condition = compiler.condition(*lowered);
    TAVOLA_ASSERT(condition.has_value());
  } else {
    const auto update = compiler.update("SET target = " + *lowered);
    TAVOLA_ASSERT(update.has_value());
  }
  for (const auto& [placeholder, name] : parts.names()) TAVOLA_ASSERT(lowered->contains(placeholder));
  for (const auto& [placeholder, value] : parts.values()) TAVOLA_ASSERT(lowered->contains(placeholder));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Item parameters{{"p", 5}, {"q", "text"}};
  const std::map<std::string, Item, std::less<>> others{{"other", fields()}};
  const expr::RuleInputs inputs{.fields = &fields(), .parameters = &parameters, .others = &others};
  for (const Rule::Form form : {Rule::Form::Condition, Rule::Form::Value}) {
    const auto rule = Rule::parse(text, form, Words());
    if (!rule) {
      TAVOLA_ASSERT(rule.error().offset + rule.error().length <= size && !rule.error().message.empty());
      continue;
    }
    if (form == Rule::Form::Condition) {
      (void)rule->holds(inputs);
    } else {
      (void)rule->value(inputs);
    }
    if (!rule->why_not_lowered()) check_lowered(*rule, form, inputs);
  }
  return 0;
}
