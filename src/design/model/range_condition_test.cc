// Conditions on sort keys, parsed from texts.
#include <gtest/gtest.h>

#include "design/model/template.h"

namespace tavola::design {
namespace {

std::string shown(const std::expected<RangeCondition, TextProblem>& parsed) {
  if (!parsed) {
    const TextProblem& problem = parsed.error();
    EXPECT_FALSE(problem.advice.empty());
    return std::to_string(problem.offset) + "+" + std::to_string(problem.length) + " " + problem.message;
  }
  constexpr const char* kNames[] = {"=", "<", "<=", ">", ">=", "begins_with", "between", "through"};
  std::string shown = std::string(kNames[static_cast<std::size_t>(parsed->op)]) + " " + parsed->first.text();
  return parsed->second ? shown + " " + parsed->second->text() : shown;
}

TEST(RangeCondition, Parses) {
  for (const auto& [text, expected] : std::vector<std::pair<const char*, const char*>>{
           {"= <type>", "= <type>"},
           {"=META", "= META"},
           {"begins_with PRODUCT#", "begins_with PRODUCT#"},
           {"Begins_With  PRODUCT# ", "begins_with PRODUCT#"},
           {"between DONE# and DONE#<cutoff>", "between DONE# DONE#<cutoff>"},
           {"BETWEEN a AND b", "between a b"},
           {"from SALE#<start> through SALE#<end>", "through SALE#<start> SALE#<end>"},
           {"< <day>", "< <day>"},
           {"<<day>", "< <day>"},
           {"<SALE#<day>", "< SALE#<day>"},
           {"<= 5", "<= 5"},
           {"<=<day>", "<= <day>"},
           {"> x", "> x"},
           {">= x", ">= x"},
           {"", "0+0 An empty condition."},
           {"  ", "0+2 An empty condition."},
           {"<day>", "0+5 A condition cannot begin with \"<day>\"."},
           {"starts_with X", "0+11 A condition cannot begin with \"starts_with\"."},
           {"begins_with", "11+0 The condition ends too early."},
           {"=", "1+0 The condition ends too early."},
           {"between a", "9+0 The condition ends too early."},
           {"between a and", "13+0 The condition ends too early."},
           {"between a b", "10+1 \"and\" is missing here."},
           {"from a and b", "7+3 \"through\" is missing here."},
           {"= a b", "4+1 The condition ends before \"b\"."},
           {"between a and b c", "16+1 The condition ends before \"c\"."},
           {"begins_with  X#<a", "15+2 A '<' without its '>'."},
           {"between X and Y<a:9>", "18+1 There is no format \"9\"."},
       }) {
    EXPECT_EQ(shown(RangeCondition::parse(text)), expected) << text;
  }
  EXPECT_EQ(RangeCondition::parse("= a")->text, "= a");
}

}  // namespace
}  // namespace tavola::design
