// Random rules: lowered to DynamoDB's language, they give the same result for every item.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <tavola/packed.h>

#include "expr/evaluate/compile.h"
#include "expr/rules/number_rule.h"
#include "expr/rules/rule.h"
#include "expr/rules/test_vocabulary.h"
#include "expr/test_random_items.h"

namespace tavola::expr {
namespace {

using Form = Rule::Form;

const TestVocabulary& vocabulary() {
  static const TestVocabulary all = [] {
    TestVocabulary made;
    for (const char* name : RandomItems::kAttributes) made.names[name] = {"p", "q"};
    return made;
  }();
  return all;
}

// Texts of rules, with fields only where DynamoDB accepts them.
class RandomRules {
 public:
  explicit RandomRules(std::uint64_t seed) : random_(seed) {}

  RandomItems& items() { return random_; }

  std::string condition(std::size_t depth) {
    if (depth > 0 && random_.chance(2)) {
      if (random_.chance(3)) return "NOT (" + condition(depth - 1) + ')';
      return '(' + condition(depth - 1) + (random_.chance(2) ? ") AND (" : ") or (") + condition(depth - 1) +
             ')';
    }
    return relation();
  }

  std::string arithmetic(std::size_t depth) {
    static constexpr std::array kOperators{" + ", " - ", " * ", " / "};
    if (depth == 0 || random_.chance(4))
      return random_.chance(3) ? std::to_string(random_.below(4))
                               : RandomItems::kAttributes[random_.below(3)];
    if (random_.chance(5)) return "-(" + arithmetic(depth - 1) + ')';
    return '(' + arithmetic(depth - 1) + kOperators[random_.below(4)] + arithmetic(depth - 1) + ')';
  }

  std::string formula() {
    switch (random_.below(5)) {
      case 0:
        return number(2);
      case 1:
        return random_.path() + plus_or_minus() + number(2) + plus_or_minus() + number(1);
      case 2:
        return number(1) + plus_or_minus() + random_.path();
      case 3:
        return "first(" + random_.path() + ", " + random_.path() + ", " + number(1) + ')' + plus_or_minus() +
               random_.path();
      default:
        return '(' + random_.path() + ')' + plus_or_minus() + '(' + random_.path() + ')';
    }
  }

 private:
  std::string plus_or_minus() { return random_.chance(2) ? " + " : " - "; }

  std::string number(std::size_t depth) {
    static constexpr std::array kOperators{" + ", " - ", " * "};
    if (depth > 0 && random_.chance(2)) {
      return '(' + number(depth - 1) + kOperators[random_.below(3)] + number(depth - 1) + ')';
    }
    return random_.chance(4) ? ":n" : random_.chance(4) ? "-0.5" : std::to_string(random_.below(4));
  }

  std::string constant() {
    static constexpr std::array kOthers{"'p'",    "concat('p', \"q\")", "true", "null", ":list",
                                        ":bytes", "lower('PQ')"};
    return random_.chance(2) ? number(1) : kOthers[random_.below(kOthers.size())];
  }

  std::string operand() {
    if (random_.chance(4)) return "size(" + random_.path() + ')';
    return random_.chance(2) ? random_.path() : constant();
  }

  std::string relation() {
    static constexpr std::array kComparators{" = ", " <> ", " < ", " <= ", " > ", " >= "};
    static constexpr std::array kTypes{"'S'", "'N'", "'L'", "'M'", ":n"};
    switch (random_.below(7)) {
      case 0:
        return operand() + " IN (" + operand() + ", " + operand() + ')';
      case 1:
        return operand() + " BETWEEN " + operand() + " AND " + operand();
      case 2:
        return (random_.chance(2) ? "exists(" : "attribute_not_exists(") + random_.path() + ')';
      case 3:
        return "attribute_type(" + random_.path() + ", " + kTypes[random_.below(kTypes.size())] + ')';
      case 4:
        return (random_.chance(2) ? "begins_with(" : "contains(") + operand() + ", " + operand() + ')';
      default:
        return operand() + kComparators[random_.below(kComparators.size())] + operand();
    }
  }

  RandomItems random_;
};

const Item& parameters() {
  static const Item all{{"n", 1}, {"list", List{1, "p"}}, {"bytes", Binary{"pq"}}};
  return all;
}

RC_GTEST_PROP(Rules, ALoweredConditionHoldsWhereTheRuleDoes, (std::uint64_t seed)) {
  RandomRules random(seed);
  const std::string text = random.condition(3);
  const auto rule = Rule::parse(text, Form::Condition, vocabulary());
  if (!rule) RC_FAIL(text + ": " + rule.error().message);
  RC_PRE(!rule->why_not_lowered());  // a = a
  ExpressionParts parts;
  RuleInputs inputs{.fields = nullptr, .parameters = &parameters()};
  const Result<std::string> lowered = rule->lower(inputs, parts);
  if (!lowered) {  // a.x = a.x: only now it is known that `a` is a field
    RC_ASSERT(lowered.error().message().find("compared with itself") != std::string::npos);
    return;
  }
  const PackedItem values = *pack(parts.values());
  Compiler compiler(parts.names(), values.view());
  const Result<Condition> condition = compiler.condition(*lowered);
  if (!condition) RC_FAIL(*lowered + ": " + condition.error().message());
  RC_ASSERT(compiler.check_all_used().has_value());
  for (int i = 0; i < 5; ++i) {
    const Item item = random.items().item();
    inputs.fields = &item;
    RC_LOG() << text << '\n' << *lowered << '\n' << to_json(item) << '\n';
    const Result<bool> holds = rule->holds(inputs);
    RC_ASSERT(holds.has_value());
    RC_ASSERT(*holds == condition->holds(pack(item)->view()));
  }
}

RC_GTEST_PROP(Rules, ALoweredFormulaSetsWhatTheRuleGives, (std::uint64_t seed)) {
  RandomRules random(seed);
  const std::string text = random.formula();
  const auto rule = Rule::parse(text, Form::Value, vocabulary());
  if (!rule) RC_FAIL(text + ": " + rule.error().message);
  RC_ASSERT(!rule->why_not_lowered());
  ExpressionParts parts;
  RuleInputs inputs{.fields = nullptr, .parameters = &parameters()};
  const Result<std::string> lowered = rule->lower(inputs, parts);
  if (!lowered) RC_FAIL(text + ": " + lowered.error().message());
  const PackedItem values = *pack(parts.values());
  Compiler compiler(parts.names(), values.view());
  const Result<Update> update = compiler.update("SET z = " + *lowered);
  if (!update) RC_FAIL(*lowered + ": " + update.error().message());
  const Item item = random.items().item();
  inputs.fields = &item;
  RC_LOG() << text << '\n' << *lowered << '\n' << to_json(item) << '\n';
  const Result<std::optional<Value>> value = rule->value(inputs);
  const Result<PackedItem> after = update->apply(pack(item)->view());
  // DynamoDB refuses a missing value.
  RC_ASSERT(after.has_value() == (value.has_value() && value->has_value()));
  if (after) RC_ASSERT(after->find("z")->unpack() == **value);
}

// Arithmetic alone gives the same numbers without trees of values.
RC_GTEST_PROP(Rules, ANumberRuleGivesWhatTheRuleGives, (std::uint64_t seed)) {
  RandomRules random(seed);
  const std::string text = random.arithmetic(4);
  const auto rule = Rule::parse(text, Form::Value, vocabulary());
  if (!rule) RC_FAIL(text + ": " + rule.error().message);
  const std::optional<NumberRule> numbers = NumberRule::of(*rule);
  if (!numbers) RC_FAIL(text);
  Item fields;
  for (const auto& path : rule->paths())
    fields[path.front()] = static_cast<std::int64_t>(random.items().below(7));
  const Result<std::optional<Value>> value = rule->value({.fields = &fields});
  const Result<Number> number =
      numbers->value([&](std::size_t path) { return fields[rule->paths()[path].front()].number(); });
  RC_LOG() << text << '\n' << to_json(fields) << '\n';
  RC_ASSERT(number.has_value() == value.has_value());
  if (number) RC_ASSERT(Value(*number) == **value);
}

TEST(Rules, OnlyArithmeticIsANumberRule) {
  const std::string field = RandomItems::kAttributes[0];
  for (const std::string& text : {field, "-(" + field + " + 2) / 3", std::string("7")})
    EXPECT_TRUE(NumberRule::of(*Rule::parse(text, Form::Value, vocabulary()))) << text;
  for (const std::string& text :
       std::vector<std::string>{field + " + 1d", ":n + 1", "now() + 1", "round(" + field + ", 2)",
                                field + ".x * 2", "'t'", "first(" + field + ", 1)", field + "[0] + 1"})
    EXPECT_FALSE(NumberRule::of(*Rule::parse(text, Form::Value, vocabulary()))) << text;
}

// The reported position of a problem lies inside the text, whatever its bytes.
RC_GTEST_PROP(Rules, AProblemPointsIntoTheText, (const std::vector<std::uint8_t>& picks)) {
  static constexpr std::array kPieces{"a",  "b.x",    "zap", "'t'",     "12", "30s",   "4q",     "(",   ")",
                                      "+",  "-",      "*",   "/",       "=",  "<>",    "AND",    "NOT", "IN",
                                      ",",  "!",      "'",   "exists(", "[",  "now()", "lower(", "#n",  ":p",
                                      "\"", "first(", "p",   "true",    "ü",  "\xFF"};
  std::string text;
  for (const std::uint8_t pick : picks)
    text.append(kPieces[pick % kPieces.size()]).append(pick % 3 == 0 ? "" : " ");
  for (const Form form : {Form::Condition, Form::Value}) {
    const auto rule = Rule::parse(text, form, vocabulary());
    if (rule) continue;
    RC_ASSERT(rule.error().offset + rule.error().length <= text.size());
    RC_ASSERT(!rule.error().message.empty());
    RC_ASSERT(!rule.error().advice.empty());
  }
}

TEST(Rules, TellWhetherTheyGiveAMoment) {
  const std::string field = RandomItems::kAttributes[0];
  const auto gives_moment = [](const std::string& text) {
    const auto rule = Rule::parse(text, Form::Value, vocabulary());
    EXPECT_TRUE(rule.has_value()) << text;
    return rule && rule->gives_moment();
  };
  for (const std::string text : {"now()", "ms(:t)", "now() - 2h", ":t + 90d", "first(:t, now())"})
    EXPECT_TRUE(gives_moment(text)) << text;
  for (const std::string text : {":t", "5", ":t + 60", "now() / 1000", "iso(now())", "'30d'"})
    EXPECT_FALSE(gives_moment(text)) << text;
  EXPECT_TRUE(gives_moment(field + " + 1d"));
  EXPECT_FALSE(gives_moment(field));
}

TEST(Rules, AreNotNestedWithoutEnd) {
  for (const std::string_view open : {"(", "-", "lower("}) {
    std::string text;
    for (int i = 0; i < 650; ++i) text += open;
    const auto rule = Rule::parse(text + "a", Form::Value, vocabulary());
    ASSERT_FALSE(rule.has_value());
    EXPECT_EQ(rule.error().length, open.starts_with("lower") ? 5U : 1U);
  }
  std::string sum = "a";
  for (int i = 0; i < 301; ++i) sum += "+ a";
  const auto rule = Rule::parse(sum, Form::Value, vocabulary());
  ASSERT_FALSE(rule.has_value());
  EXPECT_EQ(rule.error().message, "there are too many operators");
}

}  // namespace
}  // namespace tavola::expr
