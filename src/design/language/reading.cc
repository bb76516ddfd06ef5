#include "design/language/reading.h"

#include <algorithm>

namespace tavola::design {
namespace {

using yaml::Node;

template <class Problem>
void report(std::string_view code, const Node& node, const Problem& problem, Problems& problems) {
  problems.error(code, span_within(node.span, node.text, problem.offset, problem.length), problem.message,
                 problem.advice);
}

// Returns whether the text was in YAML's quotes, or is one bare word: a rule sees it without quotes, and does
// not read it as a text.
bool lost_its_quotes(const Node& node, const expr::RuleProblem& problem) {
  const bool is_quoted = node.style == yaml::Style::SingleQuoted || node.style == yaml::Style::DoubleQuoted;
  const bool is_word = problem.offset == 0 && problem.length == node.text.size();
  return (is_quoted || is_word) && node.text.find_first_of("'\"") == std::string::npos;
}

}  // namespace

std::string text_at(const Node& map, std::string_view key) {
  const Node* node = map.find(key);
  return node == nullptr ? std::string() : node->text;
}

Word word_of(const Node& node) { return {.text = node.text, .at = node.span}; }

Word word_at(const Node& map, std::string_view key) {
  const Node* node = map.find(key);
  return node == nullptr ? Word{} : word_of(*node);
}

bool flag_at(const Node& map, std::string_view key) {
  const Node* node = map.find(key);
  return node != nullptr && node->kind == yaml::Kind::Bool && node->boolean();
}

std::optional<Number> number_at(const Node& map, std::string_view key) {
  const Node* node = map.find(key);
  if (node == nullptr) return std::nullopt;
  const Result<Number> number = Number::parse(node->text);
  return number ? std::optional(*number) : std::nullopt;
}

std::optional<std::uint64_t> count_at(const Node& map, std::string_view key) {
  const std::optional<Number> number = number_at(map, key);
  const std::optional<std::int64_t> count = number ? number->to_int64() : std::nullopt;
  return count && *count >= 0 ? std::optional(static_cast<std::uint64_t>(*count)) : std::nullopt;
}

std::vector<Word> words_at(const Node& map, std::string_view key) {
  const Node* node = map.find(key);
  std::vector<Word> words;
  if (node == nullptr) return words;
  if (node->is_scalar()) words.push_back(word_of(*node));
  for (const Node& item : node->items) words.push_back(word_of(item));
  return words;
}

std::vector<std::string> texts_at(const Node& map, std::string_view key) {
  std::vector<std::string> texts;
  for (Word& word : words_at(map, key)) texts.push_back(std::move(word.text));
  return texts;
}

const std::vector<yaml::Entry>& entries_at(const Node& map, std::string_view key) {
  static const std::vector<yaml::Entry> none;
  const Node* node = map.find(key);
  return node == nullptr ? none : node->entries;
}

Notes read_notes(const Node& part) {
  Notes notes{.title = text_at(part, "title"),
              .doc = text_at(part, "doc"),
              .origin = text_at(part, "origin"),
              .accept = {}};
  for (const yaml::Entry& entry : entries_at(part, "accept"))
    notes.accept.emplace(entry.key.text, entry.value.text);
  return notes;
}

Value plain_value(const Node& node) {
  switch (node.kind) {
    case yaml::Kind::Null:
      return Null();
    case yaml::Kind::Bool:
      return node.boolean();
    case yaml::Kind::Number: {
      const Result<Number> number = Number::parse(node.text);
      return number ? Value(*number) : Value(node.text);
    }
    case yaml::Kind::Text:
      return node.text;
    case yaml::Kind::List: {
      List list;
      for (const Node& item : node.items) list.push_back(plain_value(item));
      return list;
    }
    case yaml::Kind::Map: {
      Map map;
      for (const yaml::Entry& entry : node.entries) map.emplace(entry.key.text, plain_value(entry.value));
      return map;
    }
  }
  return Null();
}

std::optional<Pair> split(const Node& scalar, std::string_view separator) {
  const std::string_view text = scalar.text;
  const std::size_t at = text.find(separator);
  if (at == std::string_view::npos || at == 0 || at + separator.size() == text.size()) return std::nullopt;
  const std::size_t second = at + separator.size();
  return Pair{
      {std::string(text.substr(0, at)), span_within(scalar.span, text, 0, at)},
      {std::string(text.substr(second)), span_within(scalar.span, text, second, text.size() - second)}};
}

std::optional<Template> read_template(const Node& node, Problems& problems) {
  auto parsed = Template::parse(node.text);
  if (parsed) return *std::move(parsed);
  report("bad-template", node, parsed.error(), problems);
  return std::nullopt;
}

std::optional<RangeCondition> read_range(const Node& node, Problems& problems) {
  auto parsed = RangeCondition::parse(node.text);
  if (parsed) return *std::move(parsed);
  report("bad-range", node, parsed.error(), problems);
  return std::nullopt;
}

std::optional<Rule> read_rule(const Node& node, Rule::Form form, const Vocabulary& names,
                              Problems& problems) {
  if (problems.is_full()) return std::nullopt;  // finding the message takes long
  auto parsed = Rule::parse(node.text, form, names);
  if (parsed) return *std::move(parsed);
  expr::RuleProblem problem = parsed.error();
  if (form == Rule::Form::Value && lost_its_quotes(node, problem)) {
    problem.advice = "YAML removes quotes: for a text, write \"'" + node.text + "'\"" +
                     (problem.advice.empty() ? "" : "; otherwise: " + problem.advice);
  }
  report("bad-rule", node, problem, problems);
  return std::nullopt;
}

std::vector<Assignment> read_assignments(const Node& map, std::string_view key, const Vocabulary& names,
                                         Problems& problems) {
  std::vector<Assignment> assignments;
  for (const yaml::Entry& entry : entries_at(map, key)) {
    if (auto rule = read_rule(entry.value, Rule::Form::Value, names, problems))
      assignments.push_back({.field = entry.key.text, .value = *std::move(rule), .at = entry.key.span});
  }
  return assignments;
}

std::optional<Assignment> implied(const std::string& field, std::string_view rule, const Vocabulary& names,
                                  const Span& at) {
  auto parsed = Rule::parse(rule, Rule::Form::Value, names);
  if (!parsed) return std::nullopt;
  return Assignment{.field = field, .value = *std::move(parsed), .at = at};
}

bool assigns(const std::vector<Assignment>& assignments, std::string_view field) {
  return std::ranges::find(assignments, field, &Assignment::field) != assignments.end();
}

}  // namespace tavola::design
