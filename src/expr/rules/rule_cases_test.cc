// Runs testdata/rules/*.txt: the meaning of rules, their lowered form, and the messages for wrong ones.
#include <chrono>

#include <gtest/gtest.h>

#include <tavola/packed.h>

#include "expr/evaluate/compile.h"
#include "expr/rules/rule.h"
#include "expr/rules/test_vocabulary.h"
#include "expr/test_case_file.h"
#include "expr/test_case_literal.h"

namespace tavola::expr {
namespace {

using Form = Rule::Form;

struct Context {
  Item fields;
  Item parameters;
  std::map<std::string, Item, std::less<>> others;
  TestVocabulary vocabulary;
  CountingRandom random;

  RuleInputs inputs() {
    using namespace std::chrono;
    const WallTime now = sys_days(2024y / January / 31) + 12h + 500ms;
    return {&fields, &parameters, &others, now, &random, "anna"};
  }
};

Map literal(const CaseLine& line, std::string_view text) {
  CaseLiteral reader(text);
  Value value = reader.value();
  const bool whole = reader.ok() && reader.at_end() && value.type() == Type::Map;
  EXPECT_TRUE(whole) << line.where << ": not an item: " << text;
  return whole ? std::move(value).map() : Map();
}

// names: a map from names to lists of their values.
void let(const CaseLine& line, std::string_view assignment, Context& context) {
  const std::size_t space = assignment.find(' ');
  const std::string_view what = assignment.substr(0, space);
  const Map value = literal(line, assignment.substr(space));
  if (what == "fields") {
    context.fields = value;
  } else if (what == "parameters") {
    context.parameters = value;
  } else if (what == "others") {
    context.others.clear();
    for (const auto& [name, item] : value) context.others[name] = item.map();
  } else {
    ASSERT_EQ(what, "names") << line.where;
    context.vocabulary.names.clear();
    for (const auto& [name, values] : value) {
      auto& known = context.vocabulary.names[name];
      for (const Value& one : values.list()) known.insert(one.string());
    }
  }
}

std::string shown(const RuleProblem& problem, std::string_view text) {
  return "at " + std::to_string(problem.offset) + " [" +
         std::string(text.substr(problem.offset, problem.length)) + "] " + problem.message + "; " +
         problem.advice;
}

std::string shown(const std::optional<Value>& value) { return value ? to_json(*value) : "missing"; }

// The expression, then the values of its placeholders.
std::string lowered(const Rule& rule, Form form, Context& context) {
  if (const auto problem = rule.why_not_lowered()) return shown(*problem, rule.text());
  ExpressionParts parts;
  const Result<std::string> text = rule.lower(context.inputs(), parts);
  if (!text) return "error " + text.error().message();
  const PackedItem values = *pack(parts.values());
  Compiler compiler(parts.names(), values.view());
  if (form == Form::Condition) {
    const Result<Condition> condition = compiler.condition(*text);
    EXPECT_TRUE(condition.has_value()) << *text << ": " << condition.error().message();
  } else {
    const Result<Update> update = compiler.update("SET z = " + *text);
    EXPECT_TRUE(update.has_value()) << *text << ": " << update.error().message();
  }
  EXPECT_TRUE(compiler.check_all_used().has_value()) << *text;
  std::string all = *text;
  for (const auto& [placeholder, name] : parts.names())
    all.append(" | ").append(placeholder).append(" ").append(name);
  for (const auto& [placeholder, value] : parts.values())
    all.append(" | ").append(placeholder).append(" ").append(to_json(value));
  return all;
}

std::string reads(const Rule& rule) {
  std::string all;
  for (const auto& path : rule.paths()) {
    all += all.empty() ? "" : " ";
    for (const std::string& name : path) all.append(&name == &path.front() ? "" : ".").append(name);
  }
  for (const std::string& name : rule.parameters()) all.append(all.empty() ? ":" : " :").append(name);
  return all.empty() ? "nothing" : all;
}

std::string outcome(std::string_view mode, const std::string& text, Context& context) {
  const Form form = mode.ends_with("condition") ? Form::Condition : Form::Value;
  const auto rule = Rule::parse(text, form, context.vocabulary);
  if (!rule) return shown(rule.error(), text);
  if (mode.starts_with("lower")) return lowered(*rule, form, context);
  if (mode.starts_with("reads")) return reads(*rule);
  if (form == Form::Condition) {
    const Result<bool> holds = rule->holds(context.inputs());
    if (!holds) return "error " + holds.error().message();
    return *holds ? "true" : "false";
  }
  const Result<std::optional<Value>> value = rule->value(context.inputs());
  return value ? shown(*value) : "error " + value.error().message();
}

// Values are written as literals; anything else is compared as text.
std::string wanted(std::string_view mode, const std::string& expected) {
  const bool other = expected.starts_with("at ") || expected.starts_with("error ") || expected == "missing";
  if (mode != "value" || other) return expected;
  CaseLiteral reader(expected);
  const Value value = reader.value();
  EXPECT_TRUE(reader.ok() && reader.at_end()) << expected;
  return to_json(value);
}

class RuleCases : public testing::TestWithParam<std::filesystem::path> {};

TEST_P(RuleCases, Hold) {
  Context context;
  std::string mode;
  std::size_t cases = 0;
  for (const CaseLine& line : read_case_file(GetParam())) {
    if (line.text.starts_with("let ")) {
      let(line, std::string_view(line.text).substr(4), context);
    } else if (line.text.starts_with("mode ")) {
      mode = trimmed(line.text.substr(5));
    } else {
      const std::size_t arrow = line.text.find(" ==> ");
      ASSERT_NE(arrow, std::string::npos) << line.where << ": no ==> in: " << line.text;
      const std::string text = line.text.substr(0, arrow);
      EXPECT_EQ(outcome(mode, text, context), wanted(mode, trimmed(line.text.substr(arrow + 5))))
          << line.where << ": " << text;
      ++cases;
    }
  }
  EXPECT_GT(cases, 0U);
}

INSTANTIATE_TEST_SUITE_P(Files, RuleCases,
                         testing::ValuesIn(case_files(TAVOLA_SOURCE_DIR "/src/expr/testdata/rules", ".txt")),
                         [](const auto& file) { return file.param.stem().string(); });

}  // namespace
}  // namespace tavola::expr
