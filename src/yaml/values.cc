#include "yaml/values.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace tavola::yaml {

Node Values::value(std::uint32_t indent_min, Context context) {
  reader_.report_foreign();
  Fault fault;
  Node node;
  const char first = in_.peek();
  if (first == '[') return flow_list(indent_min);
  if (first == '{') return flow_map(indent_min);
  if (first == '"') {
    node = read_double_quoted(in_, fault);
  } else if (first == '\'') {
    node = read_single_quoted(in_, fault);
  } else if (context == Context::Block && (first == '|' || first == '>')) {
    node = read_block_scalar(in_, indent_min, fault);
  } else {
    node = plain(indent_min, context);
  }
  if (fault) reader_.give_up();
  reader_.report(std::move(fault));
  return node;
}

Node Values::plain(std::uint32_t indent_min, Context context) {
  Node node;
  node.span.begin = in_.place();
  report_reserved();
  for (;;) {
    const Place begin = in_.place();
    const std::string_view line = read_plain_line(in_, context);
    node.text.append(line);
    node.span.end = {begin.line, begin.column + characters_in(line)};
    const std::size_t ends = in_.at_line_end() ? lines_to_more(indent_min, context) : 0;
    if (ends == 0) break;
    ends == 1 ? node.text.append(" ") : node.text.append(ends - 1, '\n');
  }
  node.kind = plain_kind(node.text);
  if (node.kind == Kind::Null) node.text.clear();
  return node;
}

void Values::report_reserved() {
  const bool is_mark = std::string_view("-?:").contains(in_.peek()) && in_.is_blank(1);
  if (in_.at_end() || !(is_mark || std::string_view("%@`,]}").contains(in_.peek()))) return;
  const Place begin = in_.place();
  in_.next();
  reader_.report({begin, in_.place()}, "yaml/reserved", "A text cannot begin with this character.",
                 "Put the text in quotes.");
}

// A plain text may continue on the lines below, indented. Returns the number of lines to the continuation and moves
// there; 0 if the text ends.
std::size_t Values::lines_to_more(std::uint32_t indent_min, Context context) {
  const Source before = in_;
  std::size_t ends = 0;
  while (in_.at_line_end() && !in_.at_end()) {
    in_.skip_line_end();
    while (in_.peek() == ' ') in_.next();
    ++ends;
  }
  const bool stops = in_.at_end() || in_.peek() == '#' || in_.peek() == '\t' || in_.indent() < indent_min ||
                     (context == Context::Flow && std::string_view(",[]{}:").contains(in_.peek())) ||
                     (context == Context::Block && (is_item(in_) || is_key_ahead(in_)));
  if (!stops) return ends;
  in_ = before;
  return 0;
}

// Moves to the next token inside a flow. Returns false if the flow is not closed: the text ends, or the next line
// belongs outside.
bool Values::next_in_flow(std::uint32_t indent_min) {
  const Source before = in_;
  for (;;) {
    in_.skip_spaces();
    if (in_.at_end()) break;
    if (in_.peek() == '#') {
      reader_.keep_comment(reader_.read_comment());
    } else if (!in_.at_line_end()) {
      if (!begins_line() || in_.indent() >= indent_min || in_.peek() == ']' || in_.peek() == '}') return true;
      break;
    }
    in_.skip_line_end();
    line_begin_ = in_.offset();
    line_blanks_ = 0;
  }
  in_ = before;
  return false;
}

// Counts the spaces of a line once, however many elements follow them.
bool Values::begins_line() {
  const std::string_view before = in_.since(line_begin_);
  line_blanks_ = std::min(before.find_first_not_of(' ', line_blanks_), before.size());
  return line_begin_ > 0 && line_blanks_ == before.size();
}

void Values::report_open(Place begin, std::string_view bracket) {
  if (!reader_.has_given_up()) {
    reader_.report({begin, {begin.line, begin.column + 1}}, "yaml/open-bracket",
                   "This bracket is not closed by " + std::string(bracket) + ".", "Close it.");
  }
  reader_.give_up();
}

// After an element: returns true if another one follows; otherwise the flow has ended, correctly or not.
bool Values::another(char close, Place begin, std::uint32_t indent_min) {
  if (reader_.has_given_up()) return false;
  const std::string bracket(1, close);
  if (!next_in_flow(indent_min)) {
    report_open(begin, bracket);
    return false;
  }
  if (in_.peek() == close) {
    in_.next();
    return false;
  }
  if (in_.peek() != ',') {
    const Place place = in_.place();
    in_.skip_to_line_end();
    reader_.report({place, in_.place()}, "yaml/comma", "Here a comma or " + bracket + " is expected.",
                   "Separate elements in brackets by commas; put a text with , [ ] { } or ': ' in quotes.");
    reader_.give_up();
    return false;
  }
  in_.next();
  if (!next_in_flow(indent_min)) {
    report_open(begin, bracket);
    return false;
  }
  if (in_.peek() != close) return true;
  in_.next();
  return false;
}

Node Values::flow_list(std::uint32_t indent_min) {
  std::optional<Node> list = reader_.begin(Kind::List, Style::Flow);
  if (!list) return {};
  const Place begin = in_.place();
  in_.next();
  if (!next_in_flow(indent_min)) {
    report_open(begin, "]");
  } else if (in_.peek() == ']') {
    in_.next();
  } else {
    do {
      list->items.push_back(value(indent_min, Context::Flow));
    } while (another(']', begin, indent_min));
  }
  return reader_.end(*std::move(list), in_.place());
}

Node Values::flow_map(std::uint32_t indent_min) {
  std::optional<Node> map = reader_.begin(Kind::Map, Style::Flow);
  if (!map) return {};
  Reader::Keys keys;
  const Place begin = in_.place();
  in_.next();
  if (!next_in_flow(indent_min)) {
    report_open(begin, "}");
  } else if (in_.peek() == '}') {
    in_.next();
  } else {
    do {
      if (auto entry = flow_entry(indent_min)) reader_.add(*map, *std::move(entry), keys);
    } while (another('}', begin, indent_min));
  }
  return reader_.end(*std::move(map), in_.place());
}

std::optional<Entry> Values::flow_entry(std::uint32_t indent_min) {
  Entry entry;
  std::vector<std::string> comments = reader_.take_comments();
  entry.key = reader_.key_scalar(Context::Flow);
  entry.key.comments_above = std::move(comments);
  in_.skip_spaces();
  if (in_.peek() != ':') {
    reader_.report(entry.key.span, "yaml/colon", "This key has no value.", "Write `key: value`.");
    reader_.give_up();
    return std::nullopt;
  }
  in_.next();
  if (!next_in_flow(indent_min)) return entry;
  entry.value = value(indent_min, Context::Flow);
  return entry;
}

}  // namespace tavola::yaml
