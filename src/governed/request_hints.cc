#include "governed/request_hints.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

namespace tavola::governed {
namespace {

bool is_part_of_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-';
}

bool is_keyword(std::string_view word) {
  static constexpr std::array<std::string_view, 9> kWords{"ADD", "AND", "BETWEEN", "DELETE", "IN",
                                                          "NOT", "OR",  "REMOVE",  "SET"};
  std::string upper(word);
  std::ranges::transform(upper, upper.begin(), [](unsigned char c) { return std::toupper(c); });
  return std::ranges::find(kWords, upper) != kWords.end();
}

// Adds the words of an expression that are neither placeholders nor keywords nor functions: every attribute that it names by itself.
void add_words(std::string_view text, std::vector<std::string>& names) {
  for (std::size_t at = 0; at < text.size();) {
    if (!is_part_of_name(text[at])) {
      ++at;
      continue;
    }
    const std::size_t first = at;
    while (at < text.size() && is_part_of_name(text[at])) ++at;
    const std::string_view word = text.substr(first, at - first);
    const char before = first == 0 ? ' ' : text[first - 1];
    const std::size_t next = text.find_first_not_of(" \t\r\n", at);
    const bool is_function = next != std::string_view::npos && text[next] == '(';
    const bool begins_name = before != ':' && before != '#' && before != '.' && before != '[';
    if (begins_name && !is_function && !is_keyword(word)) names.emplace_back(word);
  }
}

template <class Request>
void note_expressions(RequestHints& hints, const Request& request) {
  add_words(request.condition_expression, hints.mentioned);
  for (const auto& [placeholder, name] : request.names) hints.mentioned.push_back(name);
  if constexpr (requires { request.expected; }) {
    if (!request.expected) return;
    for (const auto& [name, expected] : *request.expected) hints.mentioned.push_back(name);
  }
}

}  // namespace

void note(RequestHints& hints, const PutItemRequest& request) {
  const std::string& condition = request.condition_expression;
  const bool wants_none =
      !request.expected && (condition.empty() || condition.contains("attribute_not_exists"));
  hints.creates = hints.creates || wants_none;
  hints.changes = hints.changes || !wants_none;
  note_expressions(hints, request);
}

void note(RequestHints& hints, const DeleteItemRequest& request) {
  hints.changes = true;
  note_expressions(hints, request);
}

void note(RequestHints& hints, const UpdateItemRequest& request) {
  hints.changes = true;
  note_expressions(hints, request);
  add_words(request.update_expression, hints.mentioned);
  if (!request.attribute_updates) return;
  for (const auto& [name, update] : *request.attribute_updates) hints.mentioned.push_back(name);
}

void note(RequestHints& hints, const ConditionCheck& request) {
  hints.changes = true;
  note_expressions(hints, request);
}

}  // namespace tavola::governed
