#include "yaml/reader.h"

#include <algorithm>
#include <utility>

namespace tavola::yaml {

std::uint32_t characters_in(std::string_view text) {
  return static_cast<std::uint32_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

bool is_item(const Source& in) { return in.peek() == '-' && in.is_blank(1); }

bool is_key_ahead(const Source& in) {
  Source ahead = in;
  if (ahead.peek() == '"' || ahead.peek() == '\'') {
    const std::uint32_t line = ahead.place().line;
    Fault fault;
    ahead.peek() == '"' ? read_double_quoted(ahead, fault) : read_single_quoted(ahead, fault);
    if (ahead.place().line != line) return false;
    ahead.skip_spaces();
  } else if (ahead.peek() == '{' || ahead.peek() == '[') {
    return false;
  } else {
    read_plain_line(ahead, Context::Block);
  }
  return ahead.peek() == ':' && ahead.is_blank(1);
}

void Reader::report(Span span, std::string_view code, std::string message, std::string advice) {
  report(Problem{span, code, std::move(message), std::move(advice)});
}

void Reader::report(Fault fault) {
  if (!fault || problems_.size() > kProblemsMax) return;
  if (problems_.size() == kProblemsMax) {
    fault = Problem{fault->span, "yaml/more",
                    "There are more mistakes than these " + std::to_string(kProblemsMax) + ".",
                    "Correct these first, then check the file again."};
  }
  problems_.push_back(*std::move(fault));
}

void Reader::next_content() {
  while (!in_.at_end()) {
    while (in_.peek() == ' ') in_.next();
    if (in_.peek() == '\t') report_tab();
    if (in_.peek() == '#') {
      const std::size_t begin = in_.offset();
      in_.skip_to_line_end();
      comments_.emplace_back(in_.since(begin));
    } else if (!in_.at_line_end()) {
      return;
    } else if (!comments_.empty() && in_.indent() == 0) {
      comments_.emplace_back();
    }
    in_.skip_line_end();
  }
}

void Reader::report_tab() {
  const Place begin = in_.place();
  in_.skip_spaces();
  if (in_.at_line_end()) return;
  report({begin, in_.place()}, "yaml/tab", "A tab indents this line.", "Indent with spaces.");
}

void Reader::end_line(Node& node) {
  in_.skip_spaces();
  if (in_.peek() == '#' && in_.is_behind_blank()) {
    node.comment_beside = read_comment();
  } else if (!in_.at_line_end()) {
    report_unexpected(in_.place());
  }
  in_.skip_line_end();
}

std::string Reader::read_comment() {
  const std::size_t begin = in_.offset();
  in_.skip_to_line_end();
  return std::string(in_.since(begin));
}

void Reader::report_unexpected(Place begin) {
  const bool is_colon = in_.peek() == ':';
  in_.skip_to_line_end();
  if (has_given_up_) return;
  give_up();
  if (is_colon) {
    report({begin, in_.place()}, "yaml/colon", "A value cannot contain ': ', which starts another value.",
           "Put the text in quotes, or move the rest to lines of its own.");
  } else {
    report({begin, in_.place()}, "yaml/unexpected", "This does not belong to the value before it.",
           "Put the whole value in quotes, or move this to a line of its own.");
  }
}

std::optional<Node> Reader::begin(Kind kind, Style style) {
  if (depth_ == kDepthMax) {
    report({in_.place(), in_.place()}, "yaml/depth", "This is nested too deeply.",
           "Keep to " + std::to_string(kDepthMax) + " levels.");
    give_up();
    in_.skip_to_line_end();
    return std::nullopt;
  }
  ++depth_;
  Node node;
  node.kind = kind;
  node.style = style;
  node.span.begin = in_.place();
  return node;
}

Node Reader::end(Node node, Place place) {
  --depth_;
  node.span.end = place;
  return node;
}

void Reader::report_foreign() {
  while (in_.peek() == '&' || in_.peek() == '*' || in_.peek() == '!') {
    const char mark = in_.peek();
    const Place begin = in_.place();
    while (!in_.is_blank()) in_.next();
    const std::string_view what = mark == '&' ? "Anchors (&)" : mark == '*' ? "Aliases (*)" : "Tags (!)";
    report({begin, in_.place()}, mark == '!' ? "yaml/tag" : "yaml/anchor",
           std::string(what) + " are not used here.",
           mark == '!' ? "Remove it; quotes make a text." : "Write the value out, or put it in quotes.");
    in_.skip_spaces();
  }
}

Node Reader::key_scalar(Context context) {
  report_foreign();
  Fault fault;
  Node key;
  if (in_.peek() == '"') {
    key = read_double_quoted(in_, fault);
  } else if (in_.peek() == '\'') {
    key = read_single_quoted(in_, fault);
  } else {
    key.span.begin = in_.place();
    key.text = read_plain_line(in_, context);
    key.span.end = {key.span.begin.line, key.span.begin.column + characters_in(key.text)};
    if (key.text == "<<") {
      fault = Problem{key.span, "yaml/merge", "Merge keys (<<) are not used here.", "Write the keys out."};
    }
  }
  key.kind = Kind::Text;
  report(std::move(fault));
  return key;
}

void Reader::add(Node& map, Entry entry, Keys& keys) {
  const auto [known, is_new] = keys.try_emplace(entry.key.text, entry.key.span.begin);
  if (is_new) {
    map.entries.push_back(std::move(entry));
    return;
  }
  report(entry.key.span, "yaml/duplicate-key",
         "The key " + entry.key.text + " is repeated here; the first one is in line " +
             std::to_string(known->second.line) + ".",
         "Remove or rename one of them.");
}

}  // namespace tavola::yaml
