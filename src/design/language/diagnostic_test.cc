#include "design/language/diagnostic.h"

#include <gtest/gtest.h>

#include "design/language/text_span.h"
#include "design/model/plain_json.h"

namespace tavola::design {
namespace {

Diagnostic unknown_key() {
  return {.severity = Severity::Error,
          .code = "unknown-key",
          .message = "unknown key `atributes`",
          .why = "It means nothing.",
          .advice = "Did you mean `attributes`?",
          .file = "x.yaml",
          .span = {{2, 3}, {2, 12}}};
}

TEST(ToText, PointsAtThePlace) {
  EXPECT_EQ(to_text(unknown_key(), "Shop:\n  atributes:\n"),
            "x.yaml:2:3: error: unknown key `atributes` [unknown-key]\n"
            "  2 |   atributes:\n"
            "    |   ^^^^^^^^^\n"
            "  Why: It means nothing.\n"
            "  Do: Did you mean `attributes`?\n");
}

TEST(ToText, CountsCharactersNotBytes) {
  Diagnostic diagnostic = unknown_key();
  diagnostic.span = {{1, 4}, {1, 5}};
  EXPECT_TRUE(to_text(diagnostic, "äöü§").contains("  1 | äöü§\n    |    ^\n"));
}

TEST(ToText, PointsToTheLineEndWhenMoreLinesAreMeant) {
  Diagnostic diagnostic = unknown_key();
  diagnostic.span = {{1, 3}, {3, 1}};
  EXPECT_TRUE(to_text(diagnostic, "a: b\n  c\n").contains("  1 | a: b\n    |   ^^\n"));
}

TEST(ToText, DoesWithoutALine) {
  Diagnostic diagnostic = unknown_key();
  diagnostic.span = {{9, 1}, {9, 1}};
  EXPECT_FALSE(to_text(diagnostic, "a\n").contains('|'));
}

TEST(ToText, ShowsALongLineAroundThePlace) {
  Diagnostic diagnostic = unknown_key();
  const std::string before(1000, 'b');
  const std::string behind(1000, 'c');
  diagnostic.span = {{1, 1001}, {1, 1004}};
  EXPECT_TRUE(to_text(diagnostic, before + "äöü" + behind)
                  .contains("  1 | …" + std::string(80, 'b') + "äöü" + std::string(117, 'c') + "…\n    | " +
                            std::string(81, ' ') + "^^^\n"));
  diagnostic.span = {{1, 1}, {1, 2001}};
  EXPECT_TRUE(to_text(diagnostic, before + behind)
                  .contains("  1 | " + std::string(200, 'b') + "…\n    | " + std::string(200, '^') + "\n"));
  diagnostic.span = {{1, 2001}, {1, 2001}};
  EXPECT_TRUE(to_text(diagnostic, before + behind)
                  .contains("  1 | …" + std::string(200, 'c') + "\n    | " + std::string(201, ' ') + "^\n"));
}

TEST(Shortened, KeepsWhatIsShortAndWholeCharacters) {
  EXPECT_EQ(shortened("short"), "short");
  std::string umlauts;
  for (int i = 0; i < 1000; ++i) umlauts += "ä";
  EXPECT_EQ(shortened(umlauts), umlauts);
  EXPECT_EQ(shortened(umlauts + "ö"), umlauts + "…");
}

const Value& at(const Value& value, std::string_view key) { return value.map().find(key)->second; }

TEST(ToJson, HasEverything) {
  EXPECT_EQ(
      to_json(std::vector{unknown_key()}),
      R"([{"severity":"error","code":"unknown-key","message":"unknown key `atributes`","why":"It means nothing.",)"
      R"("advice":"Did you mean `attributes`?","file":"x.yaml","line":2,"column":3,"endLine":2,"endColumn":12}])");
  EXPECT_EQ(to_json(std::vector<Diagnostic>()), "[]");
}

TEST(ToSarif, NamesRulesAndRegions) {
  Diagnostic lint = unknown_key();
  lint.severity = Severity::Lint;
  lint.code = "scan";
  const Result<Value> sarif = parse_plain_json(to_sarif({unknown_key(), lint, unknown_key()}));
  ASSERT_TRUE(sarif);
  EXPECT_EQ(at(*sarif, "version"), Value("2.1.0"));
  const Value& run = at(*sarif, "runs").list().front();
  const List& rules = at(at(at(run, "tool"), "driver"), "rules").list();
  ASSERT_EQ(rules.size(), 2U);
  const List& results = at(run, "results").list();
  ASSERT_EQ(results.size(), 3U);
  for (const Value& result : results) {
    const auto index = static_cast<std::size_t>(*at(result, "ruleIndex").number().to_int64());
    EXPECT_EQ(at(rules[index], "id"), at(result, "ruleId"));
  }
  EXPECT_EQ(at(results[1], "level"), Value("warning"));
  const Value& place = at(at(results[0], "locations").list().front(), "physicalLocation");
  EXPECT_EQ(at(at(place, "region"), "startLine"), Value(2));
  EXPECT_EQ(at(at(place, "region"), "endColumn"), Value(12));
}

TEST(SortByPlace, KeepsTheOrderOfOnePlace) {
  Diagnostic first = unknown_key();
  Diagnostic second = unknown_key();
  second.code = "second";
  Diagnostic before = unknown_key();
  before.span.begin = {1, 9};
  std::vector<Diagnostic> diagnostics{first, second, before};
  sort_by_place(diagnostics);
  EXPECT_EQ(diagnostics[0].span.begin.line, 1U);
  EXPECT_EQ(diagnostics[2].code, "second");
}

TEST(SpanWithin, IsExactWhereATextIsWrittenAsItIs) {
  using yaml::Span;
  EXPECT_EQ(span_within({{3, 5}, {3, 9}}, "abcd", 1, 2), (Span{{3, 6}, {3, 8}}));
  EXPECT_EQ(span_within({{3, 5}, {3, 11}}, "abcd", 1, 2), (Span{{3, 7}, {3, 9}}));    // "abcd"
  EXPECT_EQ(span_within({{3, 5}, {3, 12}}, "ab\td", 1, 2), (Span{{3, 5}, {3, 12}}));  // "ab\td"
  EXPECT_EQ(span_within({{3, 5}, {3, 8}}, "äbc", 2, 1), (Span{{3, 6}, {3, 7}}));
  EXPECT_EQ(span_within({{3, 5}, {5, 1}}, "abcd", 1, 2), (Span{{3, 5}, {5, 1}}));
}

}  // namespace
}  // namespace tavola::design
