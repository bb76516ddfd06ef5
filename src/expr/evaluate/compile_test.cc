// Limits, sharing, and guarantees of the Compiler beyond the language itself.
#include "expr/evaluate/compile.h"

#include <atomic>
#include <pthread.h>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "expr/evaluate/cache.h"
#include "expr/language/lexer.h"
#include "expr/language/parse.h"
#include "expr/language/reserved_words.h"
#include "value/limits.h"

namespace tavola::expr {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

const AttributeNames kNoNames;

PackedItem packed(const Item& item) { return *pack(item); }

std::string message(const auto& result) { return result ? "" : result.error().message(); }

// "a = :v OR a = :v OR …" with `comparisons` of them: 2 × comparisons - 1 operators.
std::string disjunction(std::size_t comparisons) {
  std::string text = "a=:v";
  for (std::size_t i = 1; i < comparisons; ++i) text += " OR a=:v";
  return text;
}

TEST(Limits, ThreeHundredOperatorsAreTheMost) {
  EXPECT_EQ(message(parse_condition("NOT " + disjunction(150), ExpressionKind::Filter)), "");
  EXPECT_EQ(message(parse_condition(disjunction(151), ExpressionKind::Filter)),
            "Invalid FilterExpression: The expression contains too many operators; operator count: 301");
}

TEST(Limits, FourKilobytesAreTheLongestText) {
  const std::string longest = std::string(limits::kExpressionBytesMax - 5, 'a') + " = :v";
  EXPECT_EQ(message(parse_condition(longest, ExpressionKind::Condition)), "");
  EXPECT_EQ(message(parse_condition(longest + " ", ExpressionKind::Condition)),
            "Invalid ConditionExpression: Expression size has exceeded the maximum allowed size; "
            "expression size: 4097");
  EXPECT_EQ(message(parse_update(std::string(5000, '('))),
            "Invalid UpdateExpression: Expression size has exceeded the maximum allowed size; expression "
            "size: 5000");
}

TEST(Limits, AHundredCandidatesAreTheMostForIn) {
  Item values;
  std::string list;
  for (int i = 0; i < 101; ++i) {
    values[":v" + std::to_string(i)] = i;
    list += (i == 0 ? ":v" : ", :v") + std::to_string(i);
  }
  const PackedItem request = packed(values);
  Compiler compiler(kNoNames, request.view());
  EXPECT_EQ(message(compiler.condition("a IN (" + list + ")")),
            "Invalid ConditionExpression: The IN operator is provided with too many operands; "
            "number of operands: 101");
  EXPECT_EQ(message(compiler.condition("a IN (" + list.substr(0, list.rfind(',')) + ")")), "");
}

std::string repeated(std::string_view piece, std::size_t times) {
  std::string text;
  for (std::size_t i = 0; i < times; ++i) text += piece;
  return text;
}

// Runs on a thread with a small stack, as some embedding programs have. Sanitizers make frames several times larger.
void on_a_small_stack(void (*run)()) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  constexpr std::size_t kStackBytes = 16UL << 20;
#else
  constexpr std::size_t kStackBytes = 1UL << 20;
#endif
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kStackBytes);
  pthread_t thread{};
  const auto body = [](void* function) -> void* {
    reinterpret_cast<void (*)()>(function)();
    return nullptr;
  };
  ASSERT_EQ(pthread_create(&thread, &attributes, body, reinterpret_cast<void*>(run)), 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
}

// Deep nesting of any kind must not exhaust the stack.
void refuse_deep_nesting() {
  for (const std::string_view piece : {"(", "NOT ", "NOT (", "size(", "size((", "a=b AND ("}) {
    const std::string text = repeated(piece, 4000 / piece.size());
    EXPECT_NE(message(parse_condition(text, ExpressionKind::Condition)), "") << piece;
  }
  EXPECT_NE(message(parse_update("SET a = " + repeated("(", 4000))), "");
  EXPECT_NE(message(parse_update("SET a = " + repeated("f(", 2000))), "");
  EXPECT_NE(message(parse_projection("a" + repeated("[0]", 1300) + ",")), "");
  const std::string deepest = repeated("NOT (", 299) + "a = b" + repeated(")", 299);
  EXPECT_EQ(message(parse_condition(deepest, ExpressionKind::Condition)), "");
}

TEST(Limits, DeepNestingIsRefused) { on_a_small_stack(refuse_deep_nesting); }

// The text is refused before it is parsed to its end, with the error it would get there.
TEST(Limits, DeepNestingIsRefusedForWhatIsWrong) {
  const auto refused = [](const std::string& text) {
    return message(parse_condition(text, ExpressionKind::Condition));
  };
  const std::string invalid = "Invalid ConditionExpression: ";
  const std::string redundant = invalid + "The expression has redundant parentheses;";
  for (const std::size_t depth : {2U, 301U, 302U, 602U, 603U, 700U}) {
    SCOPED_TRACE(depth);
    const auto within = [depth](std::string_view inner) {
      return repeated("(", depth).append(inner).append(repeated(")", depth));
    };
    EXPECT_EQ(refused(within("a = :v")), redundant);
    EXPECT_EQ(refused(within("a") + " = :v"), redundant);
    EXPECT_EQ(refused(repeated("(", depth) + "a = :v"),
              invalid + R"(Syntax error; token: "<EOF>", near: ":v")");
    EXPECT_EQ(message(parse_update("SET a = " + within("b"))),
              "Invalid UpdateExpression: The expression has redundant parentheses;");
  }
  const auto too_many = [&](int count) {
    return invalid + "The expression contains too many operators; operator count: " + std::to_string(count);
  };
  EXPECT_EQ(refused(repeated("size(", 301) + "a" + repeated(")", 301) + " = :v"), too_many(302));
  EXPECT_EQ(refused(repeated("size(", 650) + "a" + repeated(")", 650) + " = :v"), too_many(651));
  EXPECT_EQ(refused(repeated("size((", 302) + "a" + repeated("))", 302) + " = :v"), too_many(303));
  EXPECT_EQ(refused(repeated("a<b OR(", 400) + "a BETWEEN :v AND :v" + repeated(")", 400)), too_many(801));
}

TEST(Limits, NestingBeyondThirtyTwoLevelsIsRefusedWhereverTheValueGoes) {
  Value deep = 1;
  for (int level = 1; level < 31; ++level) deep = Map{{"m", deep}};
  const PackedItem item = packed({{"a", Map{{"b", Map{}}}}});
  const PackedItem values = packed({{":deep", deep}});
  Compiler compiler(kNoNames, values.view());
  EXPECT_EQ(message(compiler.update("SET a.c = :deep")->apply(item.view())), "");
  EXPECT_EQ(message(compiler.update("SET a.b.c = :deep")->apply(item.view())),
            "Nesting Levels have exceeded supported limits: Attributes in the item have nested levels beyond "
            "supported limit");
}

TEST(ReservedWords, AreRefusedInAnyCase) {
  EXPECT_TRUE(is_reserved_word("ABORT"));
  EXPECT_TRUE(is_reserved_word("zone"));
  EXPECT_TRUE(is_reserved_word("LocalTimestamp"));
  EXPECT_FALSE(is_reserved_word(""));
  EXPECT_FALSE(is_reserved_word("ABORTED"));
  EXPECT_FALSE(is_reserved_word("authorization_and_more_than_any_reserved_word"));
}

TEST(Compiler, TellsWhichAttributesAnExpressionTouches) {
  const AttributeNames names{{"#x", "x y"}};
  const PackedItem values = packed({{":v", 1}});
  Compiler compiler(names, values.view());
  const Condition condition =
      *compiler.condition("a = :v AND (b.c > a OR NOT size(#x) IN (d[0], :v)) AND contains(b, e)");
  EXPECT_THAT(condition.attributes(), ElementsAre("a", "b", "x y", "d", "e"));
  EXPECT_THAT(condition.nested_attributes(), ElementsAre("b", "d"));
  const Projection projection = *compiler.projection("b.c, a, b.d, #x[1]");
  EXPECT_THAT(projection.attributes(), UnorderedElementsAre("a", "b", "x y"));
  EXPECT_THAT(projection.nested_attributes(), UnorderedElementsAre("b", "x y"));
  const Update update = *compiler.update("SET a = q, b.c = :v REMOVE #x ADD d :v");
  EXPECT_THAT(update.attributes(), UnorderedElementsAre("a", "b", "x y", "d"));
  EXPECT_THAT(update.nested_attributes(), ElementsAre("b"));
  EXPECT_THAT(Condition().attributes(), IsEmpty());
}

TEST(Compiler, TellsTheTypesThatTheItemHasNoSayIn) {
  using Known = Update::KnownType;
  const PackedItem values = packed({{":s", "a"}, {":n", 1}, {":l", List{}}, {":ns", *NumberSet::of({1})}});
  Compiler compiler(kNoNames, values.view());
  EXPECT_THAT(compiler
                  .update("SET a = :s, b = c + :n, d = list_append(e, :l), f = g, h = if_not_exists(h, :n), "
                          "i.j = :s REMOVE k ADD m :n DELETE o :ns")
                  ->known_types(),
              ElementsAre(Known{"a", Type::String}, Known{"b", Type::Number}, Known{"d", Type::List},
                          Known{"m", Type::Number}, Known{"o", Type::NumberSet}));
  EXPECT_THAT(Update().known_types(), IsEmpty());
}

TEST(Compiler, UpdateReachesIntoWhatItReads) {
  const PackedItem values = packed({{":n", 1}});
  Compiler compiler(kNoNames, values.view());
  EXPECT_THAT(compiler.update("SET a = b.c, d = if_not_exists(e[1], :n) + f.g")->nested_attributes(),
              UnorderedElementsAre("b", "e", "f"));
}

TEST(Compiler, TellsWhetherAnUpdateOnlyRemoves) {
  const PackedItem values = packed({{":v", *StringSet::of({"a"})}});
  Compiler compiler(kNoNames, values.view());
  EXPECT_TRUE(compiler.update("REMOVE a DELETE b :v")->only_removes());
  EXPECT_FALSE(compiler.update("REMOVE a ADD b :v")->only_removes());
  EXPECT_FALSE(compiler.update("SET a = :v")->only_removes());
  EXPECT_FALSE(Update().only_removes());
}

TEST(Compiler, EmptyExpressionsDoNothing) {
  const PackedItem item = packed({{"a", 1}});
  EXPECT_TRUE(Condition().empty() && Condition().holds(item.view()));
  EXPECT_EQ(Projection().apply(item.view()), item);
  EXPECT_EQ(*Update().apply(item.view()), item);
  EXPECT_TRUE(Update().touched().empty());
  const PackedItem none;
  Compiler compiler(kNoNames, none.view());
  EXPECT_TRUE(compiler.expected({}, ConditionalOperator::And)->empty());
  EXPECT_TRUE(compiler.filter({}, ConditionalOperator::Or)->empty());
  EXPECT_TRUE(compiler.attribute_updates({})->empty());
  EXPECT_TRUE(compiler.attributes_to_get({})->empty());
  EXPECT_THAT(compiler.key_conditions({})->terms, IsEmpty());
}

// One request can contain this many, and must not occupy a thread for minutes.
TEST(Compiler, AttributesToGetMayBeVeryMany) {
  std::vector<std::string> names;
  for (int i = 0; i < 200'000; ++i) names.push_back("a" + std::to_string(i));
  const PackedItem none;
  Compiler compiler(kNoNames, none.view());
  const auto projection = compiler.attributes_to_get(names);
  ASSERT_TRUE(projection) << message(projection);
  const PackedItem item = packed({{"a", 1}, {"a100000", 2}, {"a199999", 3}, {"b", 4}});
  const PackedItem expected = packed({{"a100000", 2}, {"a199999", 3}});
  for (int i = 0; i < 10'000; ++i) ASSERT_EQ(projection->apply(item.view()), expected);
  names.emplace_back("a5");
  EXPECT_EQ(message(compiler.attributes_to_get(names)),
            "One or more parameter values were invalid: Duplicate value in attribute name: a5");
}

TEST(Compiler, OlderParametersMayHaveVeryManyAttributes) {
  LegacyConditions conditions;
  AttributeUpdates updates;
  for (int i = 0; i < 100'000; ++i) {
    conditions["a" + std::to_string(i)].op = ComparisonOperator::Null;
    updates["a" + std::to_string(i)].action = UpdateAction::Delete;
  }
  const PackedItem none;
  Compiler compiler(kNoNames, none.view());
  const auto filter = compiler.filter(conditions, ConditionalOperator::And);
  ASSERT_TRUE(filter) << message(filter);
  EXPECT_EQ(filter->attributes().size(), conditions.size());
  const auto update = compiler.attribute_updates(updates);
  ASSERT_TRUE(update) << message(update);
  EXPECT_EQ(update->attributes().size(), updates.size());
  EXPECT_THAT(update->nested_attributes(), IsEmpty());
}

TEST(Compiler, PlaceholderKeysMustBeWellFormed) {
  const PackedItem good = packed({{":v_1", 1}});
  const PackedItem bad = packed({{"v", 1}});
  EXPECT_EQ(message(Compiler({{"#n_1", "a"}}, good.view()).check_placeholders()), "");
  EXPECT_EQ(message(Compiler({{"n", "a"}}, good.view()).check_placeholders()),
            "ExpressionAttributeNames contains invalid key: Syntax error; key: \"n\"");
  EXPECT_EQ(message(Compiler({{"#", "a"}}, good.view()).check_placeholders()),
            "ExpressionAttributeNames contains invalid key: Syntax error; key: \"#\"");
  EXPECT_EQ(message(Compiler({{"#a-b", "a"}}, good.view()).check_placeholders()),
            "ExpressionAttributeNames contains invalid key: Syntax error; key: \"#a-b\"");
  EXPECT_EQ(message(Compiler(kNoNames, bad.view()).check_placeholders()),
            "ExpressionAttributeValues contains invalid key: Syntax error; key: \"v\"");
}

// Captured from us-east-1 by ExtendDB (its pull request 181): the length comes before the syntax.
TEST(Compiler, PlaceholderKeysHaveAtMost255Bytes) {
  const PackedItem good = packed({{":" + std::string(254, 'v'), 1}});
  const PackedItem bad = packed({{std::string(256, '-'), 1}});
  EXPECT_EQ(message(Compiler({{"#" + std::string(254, 'n'), "a"}}, good.view()).check_placeholders()), "");
  EXPECT_EQ(
      message(Compiler({{std::string(256, '-'), "a"}}, good.view()).check_placeholders()),
      "ExpressionAttributeNames contains invalid key: The expression attribute map contains a key that is "
      "too long; size of key: 256");
  EXPECT_EQ(
      message(Compiler(kNoNames, bad.view()).check_placeholders()),
      "ExpressionAttributeValues contains invalid key: The expression attribute map contains a key that is "
      "too long;");
}

// AWS checks the other expressions and unused placeholders before the terms of a key condition.
TEST(Compiler, ChecksAKeyConditionInTwoHalves) {
  const PackedItem values = packed({{":a", 1}});
  Compiler compiler(kNoNames, values.view());
  EXPECT_EQ(message(compiler.key_expression("a = :a OR b = :a")), "");
  EXPECT_EQ(message(compiler.check_all_used()), "");
  EXPECT_EQ(message(compiler.key_condition("a = :a OR b = :a")),
            "Invalid operator used in KeyConditionExpression: OR");
  EXPECT_EQ(
      message(compiler.key_expression("a = :b")),
      "Invalid KeyConditionExpression: An expression attribute value used in expression is not defined; "
      "attribute value: :b");
}

TEST(Compiler, OlderParametersKeepTheirOperandsAlive) {
  KeyCondition key;
  Condition condition;
  Update update;
  {
    const PackedItem none;
    Compiler compiler(kNoNames, none.view());
    LegacyConditions conditions{
        {"a", {ComparisonOperator::Eq, {Value("text that is not in the string itself")}}}};
    AttributeUpdates updates{{"b", {UpdateAction::Put, Value(std::string(100, 'x'))}}};
    key = *compiler.key_conditions(conditions);
    condition = *compiler.filter(conditions, ConditionalOperator::And);
    update = *compiler.attribute_updates(updates);
  }
  const PackedItem item = packed({{"a", "text that is not in the string itself"}});
  EXPECT_TRUE(condition.holds(item.view()));
  EXPECT_EQ(item.find("a"), key.terms.front().first);
  EXPECT_EQ(update.apply(item.view())->unpack().at("b"), Value(std::string(100, 'x')));
}

TEST(Compiler, TouchedOutlivesItsUpdate) {
  const AttributeNames names{{"#m", "m"}};
  const PackedItem values = packed({{":v", 1}});
  const PackedItem item = packed({{"m", Map{{"a_rather_long_attribute_name", 1}, {"b", 2}}}});
  Projection touched;
  {
    Compiler compiler(names, values.view());
    touched = compiler.update("SET #m.a_rather_long_attribute_name = :v")->touched();
  }
  EXPECT_EQ(touched.apply(item.view()), packed({{"m", Map{{"a_rather_long_attribute_name", 1}}}}));
}

TEST(TreeCache, KeepsTheWantedWhenItIsFull) {
  TreeCache<int> cache;
  const std::string wanted(500, 'w');
  cache.insert(wanted, 7);
  for (int i = 0; i < 20'000; ++i) {
    const std::string text = std::to_string(i) + std::string(200, 'x');
    EXPECT_EQ(*cache.insert(text, i), i);
    const auto found = cache.find(wanted);
    ASSERT_NE(found, nullptr) << i;
    EXPECT_EQ(*found, 7);
  }
  std::size_t kept = 0;
  for (int i = 0; i < 20'000; ++i)
    kept += cache.find(std::to_string(i) + std::string(200, 'x')) != nullptr ? 1 : 0;
  EXPECT_GT(kept, 0U);
  EXPECT_LE(kept * 200, TreeCache<int>::kShards * TreeCache<int>::kShardBytes);
  EXPECT_EQ(cache.find("never seen"), nullptr);
}

TEST(TreeCache, TheFirstTreeOfATextStays) {
  TreeCache<int> cache;
  EXPECT_EQ(*cache.insert("a", 1), 1);
  EXPECT_EQ(*cache.insert("a", 2), 1);
}

TEST(Compiler, WorksFromManyThreads) {
  const PackedItem values = packed({{":v", 3}});
  const PackedItem item = packed({{"a", 3}});
  std::atomic<int> wrong = 0;
  constexpr int kThreads = 4;
  std::vector<std::thread> threads;
  threads.reserve(kThreads);
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 500; ++i) {
        Compiler compiler(kNoNames, values.view());
        const std::string text = "a = :v AND NOT b" + std::to_string(i % 50) + " = :v";
        const Result<Condition> condition = compiler.condition(text);
        if (!condition || !condition->holds(item.view()) || !compiler.check_all_used()) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST(Lexer, CutsTextIntoTokens) {
  const std::string text = "a.#b[10] <>:c AND size_1(x)\t>=<=";
  std::vector<std::string> pieces;
  for (const Token& token : tokenize(text)) pieces.push_back(text.substr(token.offset, token.length));
  EXPECT_THAT(pieces, ElementsAre("a", ".", "#b", "[", "10", "]", "<>", ":c", "AND", "size_1", "(", "x", ")",
                                  ">=", "<=", ""));
}

}  // namespace
}  // namespace tavola::expr
