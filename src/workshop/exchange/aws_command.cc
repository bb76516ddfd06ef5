#include "workshop/exchange/aws_command.h"

#include <algorithm>
#include <cctype>
#include <vector>

#include "workshop/exchange/json_nodes.h"

namespace tavola::workshop {
namespace {

std::vector<std::string> shell_words(std::string_view text) {
  std::vector<std::string> words;
  bool is_inside = false;
  char quote = '\0';
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool is_blank = c == ' ' || c == '\t' || c == '\n';
    if (quote == '\0' && is_blank) {
      is_inside = false;
      continue;
    }
    if (!is_inside) words.emplace_back();
    is_inside = true;
    if (quote == '\0' && (c == '\'' || c == '"')) {
      quote = c;
    } else if (c == quote) {
      quote = '\0';
    } else if (c == '\\' && quote != '\'' && i + 1 < text.size()) {
      if (text[++i] != '\n') words.back() += text[i];
    } else {
      words.back() += c;
    }
  }
  return words;
}

// Divides a condition into words: names, ":values", operators. Parentheses and commas divide, too.
std::vector<std::string> condition_words(std::string_view condition) {
  constexpr std::string_view kOperators = "<>=";
  std::vector<std::string> words;
  for (std::size_t i = 0; i < condition.size();) {
    const bool is_operator = kOperators.contains(condition[i]);
    if (std::string_view(" \t\n(),").contains(condition[i])) {
      ++i;
      continue;
    }
    const std::size_t end = std::min(
        is_operator ? condition.find_first_not_of(kOperators, i) : condition.find_first_of(" \t\n(),<>=", i),
        condition.size());
    words.emplace_back(condition.substr(i, end - i));
    i = end;
  }
  return words;
}

bool is_word_between(std::string_view word) {
  return std::ranges::equal(word, std::string_view("between"),
                            [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; });
}

}  // namespace

std::string AwsCommand::text(std::string_view option) const {
  const auto found = options.find(option);
  return found == options.end() ? std::string() : found->second;
}

AwsCommand parse_aws_command(std::string_view text) {
  AwsCommand command;
  const std::vector<std::string> words = shell_words(text);
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (!words[i].starts_with("--")) continue;
    const bool has_value = i + 1 < words.size() && !words[i + 1].starts_with("--");
    command.options[words[i]] = has_value ? words[i + 1] : std::string();
    if (has_value) ++i;
  }
  return command;
}

std::optional<KeyComparison> key_comparison(const AwsCommand& query, std::string_view attribute) {
  std::vector<std::string> words = condition_words(query.text("--key-condition-expression"));
  if (const auto names = parse_tree(query.text("--expression-attribute-names"))) {
    for (std::string& word : words) {
      if (word.starts_with('#')) word = text_of(*names, word);
    }
  }
  const auto tree = parse_tree(query.text("--expression-attribute-values"));
  const std::optional<Item> values = tree ? item_of(*tree) : std::nullopt;
  const auto at = std::ranges::find(words, attribute);
  if (!values || at == words.end()) return std::nullopt;
  const bool is_prefix = at != words.begin() && *(at - 1) == "begins_with";
  const auto value = at + (is_prefix ? 1 : 2);
  if (words.end() - at <= (is_prefix ? 1 : 2) || !values->contains(*value)) return std::nullopt;
  const std::string op = is_prefix ? "begins_with" : is_word_between(*(at + 1)) ? "between" : *(at + 1);
  return KeyComparison{op, values->at(*value)};
}

}  // namespace tavola::workshop
