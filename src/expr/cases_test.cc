// Runs testdata/*.cases, which specify most of this room as data.
#include <filesystem>
#include <functional>
#include <map>

#include <gtest/gtest.h>

#include <tavola/packed.h>

#include "expr/evaluate/compile.h"
#include "expr/language/enum_names.h"
#include "expr/test_case_file.h"
#include "expr/test_case_literal.h"

namespace tavola::expr {
namespace {

struct Context {
  AttributeNames names;
  PackedItem values;
  PackedItem item;
};

struct Case {
  std::string where;  // file:line
  std::string mode;
  std::string text;
  std::string expected;
};

PackedItem packed(const Case& c, std::string_view literal) {
  CaseLiteral reader(literal);
  const Value value = reader.value();
  const bool whole = reader.ok() && reader.at_end() && value.type() == Type::Map;
  EXPECT_TRUE(whole) << c.where << ": not an item: " << literal;
  if (!whole) return {};
  Result<PackedItem> item = pack(value.map());
  EXPECT_TRUE(item.has_value()) << c.where << ": " << item.error().message();
  return item.value_or(PackedItem());
}

std::string shown(const PackedItem& item) { return to_json(item.unpack()); }

// The result of a case: "true", an item as JSON, or "error …".
std::string outcome(const Result<PackedItem>& item) {
  return item ? shown(*item) : "error " + item.error().message();
}
std::string outcome(const Error& error) { return "error " + error.message(); }
std::string outcome(const Result<Condition>& condition, const Context& context) {
  if (!condition) return outcome(condition.error());
  return condition->holds(context.item.view()) ? "true" : "false";
}

std::string outcome(const Result<KeyCondition>& key) {
  static constexpr std::array kNames{"=", "<", "<=", ">", ">=", "between", "begins_with"};
  if (!key) return outcome(key.error());
  std::string text;
  for (const KeyTerm& term : key->terms) {
    if (!text.empty()) text += "; ";
    text +=
        term.attribute + ' ' + kNames[static_cast<std::size_t>(term.op)] + ' ' + to_json(term.first.unpack());
    if (term.op == KeyOperator::Between) text += ' ' + to_json(term.second.unpack());
  }
  return text;
}

std::string run_unused(Compiler& compiler, const Case& c) {
  if (const auto condition = compiler.condition(c.text); !condition) return outcome(condition.error());
  if (const auto used = compiler.check_all_used(); !used) return outcome(used.error());
  return "true";
}

// "a EQ 1; b BETWEEN 1, 2".
LegacyConditions legacy_conditions(const Case& c) {
  LegacyConditions conditions;
  CaseLiteral reader(c.text);
  while (!reader.at_end()) {
    const std::string name = reader.word();
    const auto op = find_enum<ComparisonOperator>(reader.word());
    EXPECT_TRUE(op.has_value()) << c.where;
    LegacyCondition condition{op.value_or(ComparisonOperator::Eq), {}};
    if (!reader.accept(';') && !reader.at_end()) {
      condition.operands = reader.values();
      reader.accept(';');
    }
    EXPECT_TRUE(reader.ok()) << c.where;
    if (!reader.ok()) break;
    conditions[name] = std::move(condition);
  }
  return conditions;
}

// "a exists=true value=1; b op=IN list=1, 2".
ExpectedAttributes expected_attributes(const Case& c) {
  ExpectedAttributes all;
  CaseLiteral reader(c.text);
  while (!reader.at_end() && reader.ok()) {
    ExpectedAttribute& expected = all[reader.word()];
    while (!reader.accept(';') && !reader.at_end() && reader.ok()) {
      if (reader.accept("exists=")) {
        expected.exists = reader.value().boolean();
      } else if (reader.accept("value=")) {
        expected.value = reader.value();
      } else if (reader.accept("op=")) {
        expected.op = find_enum<ComparisonOperator>(reader.word());
      } else if (reader.accept("list=")) {
        expected.operands = reader.accept("empty") ? List() : reader.values();
      } else {
        ADD_FAILURE() << c.where << ": what is expected of an attribute?";
        return all;
      }
    }
    EXPECT_TRUE(reader.ok()) << c.where;
  }
  return all;
}

// "a PUT 1; b ADD 2; c DELETE".
AttributeUpdates attribute_updates(const Case& c) {
  AttributeUpdates all;
  CaseLiteral reader(c.text);
  while (!reader.at_end() && reader.ok()) {
    AttributeUpdate& update = all[reader.word()];
    const std::string action = reader.word();
    update.action = action == "ADD"      ? UpdateAction::Add
                    : action == "DELETE" ? UpdateAction::Delete
                                         : UpdateAction::Put;
    if (reader.accept(';') || reader.at_end()) continue;
    update.value = reader.value();
    reader.accept(';');
    EXPECT_TRUE(reader.ok()) << c.where;
  }
  return all;
}

std::vector<std::string> attributes_to_get(const Case& c) {
  std::vector<std::string> names;
  CaseLiteral reader(c.text);
  do {
    names.push_back(reader.word());
  } while (reader.accept(','));
  return names;
}

std::string run_update(const Result<Update>& update, const Context& context, ItemState state) {
  if (!update) return outcome(update.error());
  return outcome(update->apply(context.item.view(), state));
}

std::string run_touched(Compiler& compiler, const Case& c, const Context& context) {
  const Result<Update> update = compiler.update(c.text);
  if (!update) return outcome(update.error());
  const Result<PackedItem> after = update->apply(context.item.view());
  if (!after) return outcome(after.error());
  return shown(update->touched().apply(after->view()));
}

std::string run_projection(const Result<Projection>& projection, const Context& context) {
  if (!projection) return outcome(projection.error());
  return shown(projection->apply(context.item.view()));
}

using Run = std::function<std::string(Compiler&, const Case&, const Context&)>;

const std::map<std::string, Run, std::less<>>& modes() {
  static const std::map<std::string, Run, std::less<>> all{
      {"condition", [](auto& x, auto& c, auto& context) { return outcome(x.condition(c.text), context); }},
      {"filter", [](auto& x, auto& c,
                    auto& context) { return outcome(x.condition(c.text, ConditionRole::Filter), context); }},
      {"projection",
       [](auto& x, auto& c, auto& context) { return run_projection(x.projection(c.text), context); }},
      {"update", [](auto& x, auto& c,
                    auto& context) { return run_update(x.update(c.text), context, ItemState::Stored); }},
      {"update-new",
       [](auto& x, auto& c, auto& context) { return run_update(x.update(c.text), context, ItemState::New); }},
      {"touched", run_touched},
      {"key", [](auto& x, auto& c, auto&) { return outcome(x.key_condition(c.text)); }},
      {"unused", [](auto& x, auto& c, auto&) { return run_unused(x, c); }},
      {"filter-and",
       [](auto& x, auto& c, auto& context) {
         return outcome(x.filter(legacy_conditions(c), ConditionalOperator::And), context);
       }},
      {"filter-or",
       [](auto& x, auto& c, auto& context) {
         return outcome(x.filter(legacy_conditions(c), ConditionalOperator::Or), context);
       }},
      {"key-conditions",
       [](auto& x, auto& c, auto&) { return outcome(x.key_conditions(legacy_conditions(c))); }},
      {"expected-and",
       [](auto& x, auto& c, auto& context) {
         return outcome(x.expected(expected_attributes(c), ConditionalOperator::And), context);
       }},
      {"expected-or",
       [](auto& x, auto& c, auto& context) {
         return outcome(x.expected(expected_attributes(c), ConditionalOperator::Or), context);
       }},
      {"attribute-updates",
       [](auto& x, auto& c, auto& context) {
         return run_update(x.attribute_updates(attribute_updates(c)), context, ItemState::Stored);
       }},
      {"attributes-to-get",
       [](auto& x, auto& c, auto& context) {
         return run_projection(x.attributes_to_get(attributes_to_get(c)), context);
       }},
  };
  return all;
}

// An expected item is written as a literal and compared as JSON; anything else is compared as text.
std::string wanted(const Case& c) {
  if (c.expected.starts_with('{')) return shown(packed(c, c.expected));
  if (!c.mode.starts_with("key") || c.expected.starts_with("error ")) return c.expected;
  std::string text;  // key terms: "a = 1; b between 1 2"
  CaseLiteral reader(c.expected);
  while (!reader.at_end() && reader.ok()) {
    if (!text.empty()) text += "; ";
    text += reader.word();
    for (const std::string_view op : {"<=", ">=", "=", "<", ">", "between", "begins_with"}) {
      if (!reader.accept(op)) continue;
      text += ' ' + std::string(op);
      break;
    }
    while (reader.ok() && !reader.accept(';') && !reader.at_end()) text += ' ' + to_json(reader.value());
  }
  EXPECT_TRUE(reader.ok()) << c.where;
  return text;
}

void run(const Case& c, const Context& context) {
  const auto mode = modes().find(c.mode);
  ASSERT_NE(mode, modes().end()) << c.where << ": no mode \"" << c.mode << '"';
  Compiler compiler(context.names, context.values.view());
  EXPECT_EQ(mode->second(compiler, c, context), wanted(c)) << c.where << ": " << c.text;
}

void let(const Case& c, std::string_view assignment, Context& context) {
  const std::size_t space = assignment.find(' ');
  const std::string_view what = assignment.substr(0, space);
  const PackedItem value = packed(c, assignment.substr(space));
  if (what == "item") {
    context.item = value;
  } else if (what == "values") {
    context.values = value;
  } else {
    ASSERT_EQ(what, "names") << c.where;
    context.names.clear();
    for (const auto& [key, name] : value.unpack()) context.names[key] = name.string();
  }
}

class Cases : public testing::TestWithParam<std::filesystem::path> {};

TEST_P(Cases, Hold) {
  Context context;
  std::string mode;
  std::size_t cases = 0;
  for (const auto& [where, text] : read_case_file(GetParam())) {
    Case c{where, mode, {}, {}};
    if (text.starts_with("let ")) {
      let(c, std::string_view(text).substr(4), context);
    } else if (text.starts_with("mode ")) {
      mode = trimmed(text.substr(5));
    } else {
      const std::size_t arrow = text.find(" ==> ");
      ASSERT_NE(arrow, std::string::npos) << c.where << ": no ==> in: " << text;
      c.text = text.substr(0, arrow);
      c.expected = trimmed(text.substr(arrow + 5));
      run(c, context);
      ++cases;
    }
  }
  EXPECT_GT(cases, 0U);
}

INSTANTIATE_TEST_SUITE_P(Files, Cases,
                         testing::ValuesIn(case_files(TAVOLA_SOURCE_DIR "/src/expr/testdata", ".cases")),
                         [](const auto& file) { return file.param.stem().string(); });

}  // namespace
}  // namespace tavola::expr
