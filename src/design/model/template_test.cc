// Templates by examples and by their laws: a rendered key can be read, and overlaps() agrees with trying all texts.
#include "design/model/template.h"

#include <map>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "value/test_generators.h"

namespace tavola::design {
namespace {

using Kind = AttributeType::Kind;

// Returns the form by name: n is a number, t a timestamp, and so on; anything else is a text.
FieldForm form_of(std::string_view field) {
  static const std::map<std::string, FieldForm, std::less<>> forms{
      {"n", {{Kind::Number, {}}, false}},       {"i", {{Kind::Integer, {}}, false}},
      {"yes", {{Kind::Boolean, {}}, false}},    {"t", {{Kind::TimestampIso, {}}, false}},
      {"ms", {{Kind::TimestampMs, {}}, false}}, {"s", {{Kind::TimestampS, {}}, false}},
      {"raw", {{Kind::String, {}}, true}},      {"any", {{Kind::Any, {}}, false}},
      {"bytes", {{Kind::Binary, {}}, false}},
  };
  const auto found = forms.find(field);
  return found == forms.end() ? FieldForm{} : found->second;
}

Template made(std::string_view text) { return Template::parse(text).value(); }

std::string shown(const std::expected<Template, TextProblem>& parsed) {
  if (!parsed) {
    const TextProblem& problem = parsed.error();
    return std::to_string(problem.offset) + "+" + std::to_string(problem.length) + " " + problem.message +
           " " + problem.advice;
  }
  std::string shown;
  for (const Template::Part& part : parsed->parts()) {
    if (const auto* const placeholder = std::get_if<Placeholder>(&part)) {
      shown += "<" + placeholder->field + " " + std::to_string(static_cast<int>(placeholder->format)) + " " +
               std::to_string(placeholder->width) + " @" + std::to_string(placeholder->offset) + ">";
    } else {
      shown += "'" + std::get<std::string>(part) + "'";
    }
  }
  return shown;
}

TEST(Template, Parses) {
  struct Case {
    const char* text;
    const char* expected;
  };
  for (const auto& [text, expected] : std::vector<Case>{
           {"META", "'META'"},
           {"<a>", "<a 0 0 @0>"},
           {"SHOP#<id>#X", "'SHOP#'<id 0 0 @5>'#X'"},
           {"a>b", "'a>b'"},
           {"<a>><b>", "<a 0 0 @0>'>'<b 0 0 @4>"},
           {"<n:06>#<t:iso>#<t:ms>#<n:number>#<n:desc>",
            "<n 1 6 @0>'#'<t 3 0 @7>'#'<t 4 0 @15>'#'<n 2 0 @22>'#'<n 5 0 @33>"},
           {"<n:038>", "<n 1 38 @0>"},
           {"", "0+0 An empty template. Write text, placeholders like <field>, or both."},
           {"A#<b", "2+2 A '<' without its '>'. Close the placeholder: <field>."},
           {"<a<b>", "0+2 A '<' without its '>'. Close the placeholder: <field>."},
           {"A#<>", "2+2 A placeholder without a name. Name a field between < and >."},
           {"<:iso>", "0+6 A placeholder without a name. Name a field between < and >."},
           {"A<a><b:06>B",
            "4+6 Two adjacent placeholders cannot be separated. Put text between them: <a>#<b>."},
           {"A<a:6>", "4+1 There is no format \"6\". Did you mean `06`?"},
           {"A<a:dsc>", "4+3 There is no format \"dsc\". Did you mean `desc`?"},
           {"A<a:iso8601>",
            "4+7 There is no format \"iso8601\". "
            "Formats are 06 (a number, padded to 6 digits), number, iso, ms, desc and date."},
           {"A<a:>",
            "4+0 There is no format \"\". "
            "Formats are 06 (a number, padded to 6 digits), number, iso, ms, desc and date."},
           {"A<a:039>",
            "4+3 There is no format \"039\". "
            "Formats are 06 (a number, padded to 6 digits), number, iso, ms, desc and date."},
           {"A<a:00>",
            "4+2 There is no format \"00\". "
            "Formats are 06 (a number, padded to 6 digits), number, iso, ms, desc and date."},
       }) {
    EXPECT_EQ(shown(Template::parse(text)), expected) << text;
  }
}

TEST(Template, KnowsItsParts) {
  const Template both = made("A#<b>#<c>#<b>");
  EXPECT_EQ(both.fields(), (std::vector<std::string>{"b", "c"}));
  EXPECT_EQ(both.prefix(), "A#");
  EXPECT_FALSE(both.is_literal());
  EXPECT_TRUE(made("META").is_literal());
  EXPECT_EQ(made("<a>#").prefix(), "");
  EXPECT_TRUE(made("<a>#") == made("<a>#"));
}

struct Key {
  const char* pattern;
  Item fields;
  const char* text;
};

TEST(Template, RendersAndReads) {
  for (const auto& [pattern, fields, text] : std::vector<Key>{
           {"META", {}, "META"},
           {"SHOP#<id>", {{"id", "s1"}}, "SHOP#s1"},
           {"SHOP#<id>#C#<c>", {{"id", "s1"}, {"c", "Toys & more"}}, "SHOP#s1#C#Toys & more"},
           {"<a>#<a>", {{"a", "x"}}, "x#x"},
           {"N#<n>", {{"n", -1.50_n}}, "N#-1.5"},
           {"N#<n:number>", {{"n", 120}}, "N#120"},
           {"B#<yes>", {{"yes", true}}, "B#true"},
           {"<i:06>", {{"i", 42}}, "000042"},
           {"<i:02>", {{"i", 99}}, "99"},
           {"<i:desc>", {{"i", 0}}, "999999999999999"},
           {"<i:desc>", {{"i", 999'999'999'999'999}}, "000000000000000"},
           {"<ms:desc>#", {{"ms", 1'706'702'400'123}}, "998293297599876#"},
           {"<t:desc>", {{"t", "2024-01-31T12:00:00Z"}}, "998293297599999"},
           {"<t>", {{"t", "2024-01-31T12:00:00Z"}}, "2024-01-31T12:00:00Z"},
           {"TX#<t:ms>", {{"t", "2024-01-31T12:00:00Z"}}, "TX#1706702400000"},
           {"TX#<ms:iso>#<id>", {{"ms", 1'706'702'400'000}, {"id", "1"}}, "TX#2024-01-31T12:00:00Z#1"},
           {"<s:iso>", {{"s", 1'706'702'400}}, "2024-01-31T12:00:00Z"},
           {"<s:ms>", {{"s", 1'706'702'400}}, "1706702400000"},
           {"<ms>", {{"ms", 5}}, "5"},
           {"URL#<raw>", {{"raw", "https://x.y/#z"}}, "URL#https://x.y/#z"},
           {"<a>-<b>", {{"a", "x"}, {"b", "y-z"}}, "x-y-z"},
           {"<a>ab", {{"a", "xa"}}, "xaab"},
           {"<any>", {{"any", "x"}}, "x"},
           // A part of a timestamp, as in the bounds of a query.
           {"SALE#<t>", {{"t", "2024-01"}}, "SALE#2024-01"},
       }) {
    const auto key = made(pattern).render(fields, form_of, Type::String);
    ASSERT_TRUE(key) << pattern << ": " << key.error().message();
    EXPECT_EQ(**key, Value(text)) << pattern;
    EXPECT_EQ(made(pattern).read(text, form_of), fields) << pattern << " " << text;
  }
}

TEST(Template, RefusesValuesThatCouldNotBeReadBack) {
  for (const auto& [pattern, fields, message] : std::vector<Key>{
           {"<a>", {{"a", ""}}, "a is empty, and a key cannot hold an empty value"},
           {"<a>", {{"a", "x#y"}}, "a may not contain '#', which separates the parts of a key (was \"x#y\")"},
           {"<raw>#",
            {{"raw", "x#"}},
            "raw may not contain '#', which separates the parts of a key (was \"x#\")"},
           {"<a>-<b>",
            {{"a", "x-y"}, {"b", "z"}},
            "a may not contain \"-\", which follows it in the key (was \"x-y\")"},
           {"<a>aa<b>",
            {{"a", "xa"}, {"b", "y"}},
            "a may not contain \"aa\", which follows it in the key (was \"xa\")"},
           {"<i:02>",
            {{"i", 100}},
            "i must be a whole number of at most 2 digits to stand in a key (was 100)"},
           {"<i:02>", {{"i", -1}}, "i must be a whole number of at most 2 digits to stand in a key (was -1)"},
           {"<n:02>",
            {{"n", 1.5_n}},
            "n must be a whole number of at most 2 digits to stand in a key (was 1.5)"},
           {"<i:desc>",
            {{"i", -1}},
            "i must be a timestamp, or a whole number from 0 to 999999999999999 to stand in a key (was -1)"},
           {"<ms:iso>",
            {{"ms", 1500}},
            "ms must be a timestamp of whole seconds to stand in a key (was 1500)"},
           {"<a:iso>", {{"a", "x"}}, "a must be a timestamp of whole seconds to stand in a key (was \"x\")"},
           {"<i:ms>", {{"i", 5}}, "i must be a timestamp to stand in a key (was 5)"},
           {"<a>", {{"a", 5}}, "a must be a text to stand in a key (was 5)"},
           {"<any>", {{"any", 5}}, "any must be a text to stand in a key (was 5)"},
           {"<n>", {{"n", "5"}}, "n must be a number to stand in a key (was \"5\")"},
           {"<yes>", {{"yes", "true"}}, "yes must be true or false to stand in a key (was \"true\")"},
           {"<a>", {{"a", List{}}}, "a must be a text to stand in a key (was {\"L\":[]})"},
       }) {
    const auto key = made(pattern).render(fields, form_of, Type::String);
    ASSERT_FALSE(key) << pattern;
    EXPECT_EQ(key.error().message(), message) << pattern;
  }
}

TEST(Template, IsNothingWhereAFieldIsMissing) {
  EXPECT_EQ(made("<a>#<b>").render({{"a", "x#"}}, form_of, Type::String).value(), std::nullopt);
  EXPECT_EQ(made("<n>").render({}, form_of, Type::Number).value(), std::nullopt);
}

TEST(Template, OfOtherKeysIsTheValueItself) {
  EXPECT_EQ(made("<n>").render({{"n", 5}}, form_of, Type::Number).value(), Value(5));
  EXPECT_EQ(made("<n:number>").render({{"n", 5}}, form_of, Type::Number).value(), Value(5));
  EXPECT_EQ(made("<n>").read(5, form_of), (Item{{"n", 5}}));
  EXPECT_EQ(made("<bytes>").render({{"bytes", Binary{"x"}}}, form_of, Type::Binary).value(),
            Value(Binary{"x"}));
  EXPECT_FALSE(made("N#<n>").render({{"n", 5}}, form_of, Type::Number));
  EXPECT_FALSE(made("<a>").render({{"a", "5"}}, form_of, Type::Number));
  EXPECT_EQ(made("N#<n>").read(5, form_of), std::nullopt);
  EXPECT_EQ(made("<a>").read(5, form_of), std::nullopt);
  EXPECT_EQ(made("5").read(5, form_of), std::nullopt);
}

TEST(Template, DoesNotReadWhatItWouldNotWrite) {
  for (const auto& [pattern, key] : std::vector<std::pair<const char*, const char*>>{
           {"META", "META2"},
           {"META2", "META"},
           {"A#<a>", "A#"},
           {"A#<a>", "A#x#y"},
           {"A#<a>", "B#x"},
           {"<a>#", "#"},
           {"<a>#<a>", "x#y"},
           {"<i>", "05"},
           {"<i>", "5.0"},
           {"<i>", "x"},
           {"<i:03>", "0005"},
           {"<i:03>", "05"},
           {"<i:03>", "-05"},
           {"<yes>", "TRUE"},
           {"<ms:iso>", "2024"},
           {"<s:ms>", "1500"},
           {"<t:ms>", "1500"},
           {"<i:desc>", "1"},
           {"<t:desc>", "999999999999998"},
           {"<ms:iso>", "2024-02-30T00:00:00Z"},
           {"<bytes>", "x"},
           {"<raw>#x", "a#b#x"},
       }) {
    EXPECT_EQ(made(pattern).read(key, form_of), std::nullopt) << pattern << " " << key;
  }
}

// ---- Laws

// Texts of few characters, so that literals and values often contain each other.
std::string letters(Dice& dice, std::size_t longest) {
  std::string text;
  for (std::size_t left = 1 + dice.below(longest); left > 0; --left)
    text += dice.pick({"a", "b", "#", "a", "é"});
  return text;
}

std::string random_template(Dice& dice) {
  std::string text;
  bool literal = dice.coin();
  for (std::size_t left = 1 + dice.below(5); left > 0; --left, literal = !literal) {
    text += literal ? letters(dice, 3)
                    : std::string(dice.pick({"<x>", "<y>", "<raw>", "<n>", "<i:04>", "<t>", "<t:ms>",
                                             "<ms:iso>", "<s:desc>", "<i:desc>", "<yes>", "<n:number>"}));
  }
  return text;
}

Item random_fields(Dice& dice) {
  const auto seconds = static_cast<std::int64_t>(dice.below(4'000'000'000));
  const Value iso = **made("<s:iso>").render({{"s", seconds}}, form_of, Type::String);
  return {{"x", letters(dice, 3)},      {"y", letters(dice, 3)},
          {"raw", letters(dice, 6)},    {"n", dice.number()},
          {"i", dice.between(0, 9999)}, {"t", iso},
          {"ms", seconds * 1000},       {"s", seconds},
          {"yes", dice.coin()}};
}

RC_GTEST_PROP(Template, WhatIsRenderedIsRead, ()) {
  Dice dice = *arbitrary_dice();
  const Template pattern = made(random_template(dice));
  const Item all = random_fields(dice);
  const auto key = pattern.render(all, form_of, Type::String);
  RC_PRE(key.has_value());
  Item used;
  for (const std::string& field : pattern.fields()) used.emplace(field, all.at(field));
  RC_ASSERT(pattern.read(**key, form_of) == used);
}

RC_GTEST_PROP(Template, WhatIsReadRendersTheSameKey, ()) {
  Dice dice = *arbitrary_dice();
  const Template pattern = made(random_template(dice));
  const Value key = letters(dice, 8);
  const auto fields = pattern.read(key, form_of);
  if (!fields) return;
  RC_ASSERT(pattern.render(*fields, form_of, Type::String).value() == key);
}

// Returns whether `text` matches, by trying all ways.
bool fits(const Template& pattern, std::size_t part, std::string_view text) {
  if (part == pattern.parts().size()) return text.empty();
  if (const auto* const literal = std::get_if<std::string>(&pattern.parts()[part])) {
    return text.starts_with(*literal) && fits(pattern, part + 1, text.substr(literal->size()));
  }
  const bool last = part + 1 == pattern.parts().size();
  const bool raw = last && form_of(std::get<Placeholder>(pattern.parts()[part]).field).raw;
  for (std::size_t end = 1; end <= text.size(); ++end) {
    if (!raw && text[end - 1] == '#') return false;
    if (fits(pattern, part + 1, text.substr(end))) return true;
  }
  return false;
}

// All texts over a, b and # of at most `longest` characters.
std::vector<std::string> all_texts(std::size_t longest) {
  std::vector<std::string> texts{""};
  for (std::size_t from = 0, length = 0; length < longest; ++length) {
    const std::size_t to = texts.size();
    for (; from < to; ++from) {
      for (const char* c : {"a", "b", "#"}) texts.push_back(texts[from] + c);
    }
  }
  return texts;
}

TEST(Template, OverlapsExactlyIfSomeTextFitsBoth) {
  // Each has at most three symbols, so a common text, if there is one, has at most six characters.
  const std::vector<std::string> pieces{"a", "b", "#", "<x>", "<raw>"};
  std::vector<Template> patterns;
  for (const std::string& first : pieces) {
    for (const std::string& second : {std::string(), pieces[0], pieces[1], pieces[2], pieces[3], pieces[4]}) {
      for (const std::string& third : {std::string(), pieces[0], pieces[2], pieces[3], pieces[4]}) {
        if (auto parsed = Template::parse(first + second + third)) patterns.push_back(*std::move(parsed));
      }
    }
  }
  const std::vector<std::string> texts = all_texts(6);
  std::vector<std::vector<bool>> fit(patterns.size());
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    for (const std::string& text : texts) fit[i].push_back(fits(patterns[i], 0, text));
  }
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    for (std::size_t j = 0; j < patterns.size(); ++j) {
      bool some = false;
      for (std::size_t k = 0; k < texts.size() && !some; ++k) some = fit[i][k] && fit[j][k];
      ASSERT_EQ(patterns[i].overlaps(patterns[j], form_of, form_of), some)
          << patterns[i].text() << " and " << patterns[j].text();
    }
  }
}

TEST(Template, OverlapsWhenItIsLong) {
  const auto overlap = [](const std::string& a, const std::string& b) {
    return made(a).overlaps(made(b), form_of, form_of) && made(b).overlaps(made(a), form_of, form_of);
  };
  for (const std::size_t length : {62U, 63U, 64U, 65U, 127U, 128U, 200U}) {
    const std::string text(length, 'y');
    EXPECT_TRUE(overlap(text, text));
    EXPECT_TRUE(overlap("<site>" + text, text + "y"));
    EXPECT_TRUE(overlap("<site>" + text + "z", text + "<site>"));
    EXPECT_TRUE(overlap("<site>#" + text, text + "#<site>"));
    EXPECT_FALSE(overlap("<site>" + text, text + "z"));
    EXPECT_FALSE(overlap("<site>" + text, text));
    EXPECT_FALSE(overlap("<site>#" + text, text + "<site>"));
  }
}

TEST(Template, OverlapsInRealDesigns) {
  const auto overlap = [](const char* a, const char* b) {
    return made(a).overlaps(made(b), form_of, form_of);
  };
  EXPECT_FALSE(overlap("SITE#<site>", "SITE#<site>#COMMENT#<comment>"));
  EXPECT_TRUE(overlap("SITE#<raw>", "SITE#<site>#COMMENT#<comment>"));
  EXPECT_FALSE(overlap("META", "PRODUCT#<id>"));
  EXPECT_FALSE(overlap("META#", "META"));
  EXPECT_TRUE(overlap("<any>", "META"));
  EXPECT_FALSE(overlap("<any>", "META#"));
}

}  // namespace
}  // namespace tavola::design
