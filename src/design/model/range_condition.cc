// Conditions on sort keys, parsed from texts: "between SALE#<start> and SALE#<end>".
#include <algorithm>
#include <array>
#include <cctype>

#include "design/model/template.h"

namespace tavola::design {
namespace {

using Operator = RangeCondition::Operator;

struct Piece {
  std::string_view text;
  std::size_t offset = 0;
};

std::vector<Piece> words_of(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  std::vector<Piece> words;
  for (std::size_t at = text.find_first_not_of(kBlanks); at != std::string_view::npos;) {
    const std::size_t end = std::min(text.find_first_of(kBlanks, at), text.size());
    words.push_back({text.substr(at, end - at), at});
    at = text.find_first_not_of(kBlanks, end);
  }
  return words;
}

bool is_word(std::string_view text, std::string_view word) {
  return std::ranges::equal(text, word,
                            [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; });
}

struct Form {
  std::string_view word;
  Operator op;
  std::string_view second;  // the word between two templates
};
constexpr std::array<Form, 8> kForms{{
    {"begins_with", Operator::BeginsWith, ""},
    {"between", Operator::Between, "and"},
    {"from", Operator::Through, "through"},
    {"<=", Operator::LessEqual, ""},
    {">=", Operator::GreaterEqual, ""},
    {"=", Operator::Equal, ""},
    {"<", Operator::Less, ""},
    {">", Operator::Greater, ""},
}};

std::string usage(const Form& form) {
  const std::string one = std::string(form.word) + " T";
  return form.second.empty() ? one : one + " " + std::string(form.second) + " T";
}

std::string all_usages() {
  std::string all;
  for (const Form& form : kForms) all += (all.empty() ? "" : ", ") + usage(form);
  return all;
}

// Signs need no blank after them: "<=SALE#<end>". Leaves `words` with the templates and the word between them.
const Form* take_form(std::vector<Piece>& words) {
  for (const Form& form : kForms) {
    Piece& first = words.front();
    if (is_word(first.text, form.word)) {
      words.erase(words.begin());
      return &form;
    }
    const bool is_sign = std::isalpha(static_cast<unsigned char>(form.word.front())) == 0;
    // "<day>" alone is a template and no comparison.
    const bool is_placeholder = form.word == "<" && first.text.find('>') < first.text.find('<', 1);
    if (is_sign && !is_placeholder && first.text.starts_with(form.word)) {
      first.text.remove_prefix(form.word.size());
      first.offset += form.word.size();
      return &form;
    }
  }
  return nullptr;
}

std::expected<Template, TextProblem> parse_at(const Piece& word) {
  auto result = Template::parse(word.text);
  if (!result) result.error().offset += word.offset;
  return result;
}

}  // namespace

std::expected<RangeCondition, TextProblem> RangeCondition::parse(std::string_view text) {
  std::vector<Piece> words = words_of(text);
  if (words.empty()) {
    return std::unexpected(
        TextProblem{0, text.size(), "An empty condition.", "Write one of: " + all_usages() + "."});
  }
  const Piece begin = words.front();
  const Form* const form = take_form(words);
  if (form == nullptr) {
    return std::unexpected(TextProblem{begin.offset, begin.text.size(),
                                       "A condition cannot begin with \"" + std::string(begin.text) + "\".",
                                       "Write one of: " + all_usages() + "."});
  }
  const std::string advice = "Write " + usage(*form) + ", where a template T has no blanks.";
  const std::size_t expected = form->second.empty() ? 1 : 3;
  if (words.size() > 1 && expected == 3 && !is_word(words[1].text, form->second)) {
    return std::unexpected(TextProblem{words[1].offset, words[1].text.size(),
                                       "\"" + std::string(form->second) + "\" is missing here.", advice});
  }
  if (words.size() < expected) {
    return std::unexpected(TextProblem{text.size(), 0, "The condition ends too early.", advice});
  }
  if (words.size() > expected) {
    return std::unexpected(
        TextProblem{words[expected].offset, words[expected].text.size(),
                    "The condition ends before \"" + std::string(words[expected].text) + "\".", advice});
  }
  auto first = parse_at(words[0]);
  if (!first) return std::unexpected(first.error());
  RangeCondition condition{form->op, *std::move(first), std::nullopt, std::string(text)};
  if (expected == 3) {
    auto second = parse_at(words[2]);
    if (!second) return std::unexpected(second.error());
    condition.second = *std::move(second);
  }
  return condition;
}

}  // namespace tavola::design
