#include "yaml/parse.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "yaml/scalars.h"
#include "yaml/source.h"

namespace tavola::yaml {
namespace {

class Parser {
 public:
  explicit Parser(std::string_view text) : in_(text) {}

  Document document() {
    Document document;
    if (in_.starts_with("\xEF\xBB\xBF")) in_.skip(3);
    next_content();
    if (in_.peek() == '%') tell_directive();
    if (is_document_mark("---")) {
      in_.skip(3);
      end_line(document.root);
      next_content();
    }
    if (!in_.at_end()) document.root = block_node(0);
    next_content();
    if (is_document_mark("...")) {
      in_.skip(3);
      next_content();
    }
    if (!in_.at_end()) tell_rest();
    document.problems = std::move(problems_);
    std::ranges::sort(document.problems, {},
                      [](const Problem& problem) { return std::pair(problem.span.begin, problem.code); });
    document.comments_end = take_comments();
    return document;
  }

 private:
  // ---- Problems ----

  void tell(Span span, std::string_view code, std::string message, std::string advice) {
    tell(Problem{span, code, std::move(message), std::move(advice)});
  }
  void tell(Fault fault) {
    if (!fault || problems_.size() > kProblemsMax) return;
    if (problems_.size() == kProblemsMax) {
      fault = Problem{fault->span, "yaml/more",
                      "There are more mistakes than these " + std::to_string(kProblemsMax) + ".",
                      "Correct them first, and check the file again."};
    }
    problems_.push_back(*std::move(fault));
  }
  // Of the part that cannot be read, the rest is passed over: one mistake is told once.
  void give_up() { gave_up_ = true; }

  void tell_directive() {
    const Place begin = in_.place();
    in_.skip_to_line_end();
    tell({begin, in_.place()}, "yaml/directive", "Directives (%) are not used here.", "Remove the line.");
    next_content();
  }
  void tell_rest() {
    const Place begin = in_.place();
    const bool is_second = is_document_mark("---");
    in_.skip_to_line_end();
    if (is_second) {
      tell({begin, in_.place()}, "yaml/documents", "A file holds one document; here begins a second one.",
           "Move it to a file of its own.");
    } else if (!gave_up_) {
      tell({begin, in_.place()}, "yaml/indentation", "This line does not belong to anything above it.",
           "Indent it like the lines of the part it belongs to.");
    }
  }

  // ---- Lines ----

  bool is_document_mark(std::string_view mark) const {
    return in_.indent() == 0 && in_.starts_with(mark) && in_.is_blank(mark.size());
  }

  std::vector<std::string> take_comments() { return std::exchange(comments_, {}); }

  // From the end of a line, or its beginning, to the next line that says something. Remembers the comments between.
  void next_content() {
    while (!in_.at_end()) {
      while (in_.peek() == ' ') in_.next();
      if (in_.peek() == '\t') tell_tab();
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

  void tell_tab() {
    const Place begin = in_.place();
    in_.skip_spaces();
    if (in_.at_line_end()) return;
    tell({begin, in_.place()}, "yaml/tab", "A tab indents this line.", "Indent with spaces.");
  }

  // Behind a value: a comment, and the end of the line.
  void end_line(Node& node) {
    in_.skip_spaces();
    if (in_.peek() == '#' && in_.is_behind_blank()) {
      node.comment_beside = read_comment();
    } else if (!in_.at_line_end()) {
      tell_unexpected(in_.place());
    }
    in_.skip_line_end();
  }

  std::string read_comment() {
    const std::size_t begin = in_.offset();
    in_.skip_to_line_end();
    return std::string(in_.since(begin));
  }

  void tell_unexpected(Place begin) {
    const bool is_colon = in_.peek() == ':';
    in_.skip_to_line_end();
    if (gave_up_) return;
    give_up();
    if (is_colon) {
      tell({begin, in_.place()}, "yaml/colon", "A value cannot have a value: ': ' begins one.",
           "Put the text in quotes, or move what follows to lines of its own.");
    } else {
      tell({begin, in_.place()}, "yaml/unexpected", "This does not belong to the value before it.",
           "Put the whole value in quotes, or move this to a line of its own.");
    }
  }

  // ---- Blocks ----

  bool is_item() const { return in_.peek() == '-' && in_.is_blank(1); }

  // Whether the line goes on with `key:`.
  bool is_key_ahead() const {
    Source ahead = in_;
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

  // Whatever begins here, at the beginning of a line or behind the dash of an item.
  Node block_node(std::uint32_t indent_min) {
    if (is_item()) return block_list(in_.indent());
    if (is_key_ahead()) return block_map(in_.indent());
    return line_value(indent_min);
  }

  // A value that begins on this line, to the end of its last one.
  Node line_value(std::uint32_t indent_min) {
    Node node = value(indent_min, Context::Block);
    if (node.style != Style::Literal && node.style != Style::Folded) end_line(node);
    return node;
  }

  // A collection that may be too deep.
  std::optional<Node> begin(Kind kind, Style style) {
    if (depth_ == kDepthMax) {
      tell({in_.place(), in_.place()}, "yaml/depth", "This is nested too deeply.",
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
  Node end(Node node, Place place) {
    --depth_;
    node.span.end = place;
    return node;
  }

  Node block_map(std::uint32_t indent) {
    std::optional<Node> map = begin(Kind::Map, Style::Block);
    if (!map) return {};
    Keys keys;
    while (!in_.at_end() && in_.indent() == indent && !is_item() && !is_document_mark("...") &&
           !is_document_mark("---")) {
      gave_up_ = false;
      if (!is_key_ahead()) {
        tell_no_key();
      } else {
        Entry entry;
        entry.key = block_key();
        entry.value = value_below(indent, Below::Map);
        add(*map, std::move(entry), keys);
      }
      next_content();
      pass_over_deeper(indent);
    }
    const Place last = map->entries.empty() ? map->span.begin : map->entries.back().value.span.end;
    return end(*std::move(map), last);
  }

  void tell_no_key() {
    const Place begin = in_.place();
    in_.skip_to_line_end();
    tell({begin, in_.place()}, "yaml/key", "Here a key is expected: a name, a colon and a space.",
         "Write `name: value`.");
    give_up();
    take_comments();
  }

  Node block_key() {
    std::vector<std::string> comments = take_comments();
    Node key = key_scalar(Context::Block);
    key.comments_above = std::move(comments);
    in_.skip_spaces();
    in_.next();  // the colon
    return key;
  }

  Node key_scalar(Context context) {
    tell_foreign();
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
    tell(std::move(fault));
    return key;
  }

  static std::uint32_t characters_in(std::string_view text) {
    return static_cast<std::uint32_t>(
        std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
  }

  enum class Below : std::uint8_t { Map, List };

  // The value behind `key:` or `-`: on the same line, or below.
  Node value_below(std::uint32_t indent, Below parent) {
    const Place behind = in_.place();
    in_.skip_spaces();
    std::string comment;
    if (in_.peek() == '#') comment = read_comment();
    if (!in_.at_line_end()) {
      if (parent == Below::List) return block_node(indent + 1);
      return line_value(indent + 1);
    }
    in_.skip_line_end();
    next_content();
    Node node;
    node.span = {behind, behind};
    if (!in_.at_end() && in_.indent() > indent) {
      node = block_node(indent + 1);
    } else if (!in_.at_end() && in_.indent() == indent && parent == Below::Map && is_item()) {
      node = block_list(indent);
    }
    if (!comment.empty()) node.comment_beside = std::move(comment);
    return node;
  }

  Node block_list(std::uint32_t indent) {
    std::optional<Node> list = begin(Kind::List, Style::Block);
    if (!list) return {};
    while (!in_.at_end() && in_.indent() == indent && is_item()) {
      gave_up_ = false;
      std::vector<std::string> comments = take_comments();
      in_.next();  // the dash
      Node item = value_below(indent, Below::List);
      item.comments_above = std::move(comments);
      list->items.push_back(std::move(item));
      next_content();
      pass_over_deeper(indent);
    }
    const Place last = list->items.empty() ? list->span.begin : list->items.back().span.end;
    return end(*std::move(list), last);
  }

  // Skips lines that are indented more than the collection they would continue, and perhaps less than its latest part.
  void pass_over_deeper(std::uint32_t indent) {
    while (!in_.at_end() && in_.indent() > indent) {
      const Place begin = in_.place();
      in_.skip_to_line_end();
      if (!gave_up_) {
        tell({begin, in_.place()}, "yaml/indentation",
             "The indentation of this line does not match the lines around it.",
             "Indent it like the line it belongs to.");
        give_up();
      }
      take_comments();
      next_content();
    }
  }

  using Keys = std::map<std::string, Place, std::less<>>;
  void add(Node& map, Entry entry, Keys& keys) {
    const auto [known, is_new] = keys.try_emplace(entry.key.text, entry.key.span.begin);
    if (is_new) {
      map.entries.push_back(std::move(entry));
      return;
    }
    tell(entry.key.span, "yaml/duplicate-key",
         "The key " + entry.key.text + " stands here a second time; the first is in line " +
             std::to_string(known->second.line) + ".",
         "Remove or rename one of them.");
  }

  // ---- Values on a line ----

  // &anchors, *aliases and !tags are told and passed over.
  void tell_foreign() {
    while (in_.peek() == '&' || in_.peek() == '*' || in_.peek() == '!') {
      const char mark = in_.peek();
      const Place begin = in_.place();
      while (!in_.is_blank()) in_.next();
      const std::string_view what = mark == '&' ? "Anchors (&)" : mark == '*' ? "Aliases (*)" : "Tags (!)";
      tell({begin, in_.place()}, mark == '!' ? "yaml/tag" : "yaml/anchor",
           std::string(what) + " are not used here.",
           mark == '!' ? "Remove it; quotes make a text." : "Write the value out, or put it in quotes.");
      in_.skip_spaces();
    }
  }

  // A text that begins with | or > stands below, and so in blocks alone.
  Node value(std::uint32_t indent_min, Context context) {
    tell_foreign();
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
    if (fault) give_up();
    tell(std::move(fault));
    return node;
  }

  Node plain(std::uint32_t indent_min, Context context) {
    Node node;
    node.span.begin = in_.place();
    tell_reserved();
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

  void tell_reserved() {
    const bool is_mark = std::string_view("-?:").contains(in_.peek()) && in_.is_blank(1);
    if (in_.at_end() || !(is_mark || std::string_view("%@`,]}").contains(in_.peek()))) return;
    const Place begin = in_.place();
    in_.next();
    tell({begin, in_.place()}, "yaml/reserved", "A text cannot begin with this character.",
         "Put the text in quotes.");
  }

  // A plain text may go on in the lines below, indented. Returns how many lines further, and stands there; 0: it ends.
  std::size_t lines_to_more(std::uint32_t indent_min, Context context) {
    const Source before = in_;
    std::size_t ends = 0;
    while (in_.at_line_end() && !in_.at_end()) {
      in_.skip_line_end();
      while (in_.peek() == ' ') in_.next();
      ++ends;
    }
    const bool stops = in_.at_end() || in_.peek() == '#' || in_.peek() == '\t' || in_.indent() < indent_min ||
                       (context == Context::Flow && std::string_view(",[]{}:").contains(in_.peek())) ||
                       (context == Context::Block && (is_item() || is_key_ahead()));
    if (!stops) return ends;
    in_ = before;
    return 0;
  }

  // ---- Flows ----

  // To the next thing inside of a flow. False when it is not closed: the text ends, or what follows belongs outside.
  bool next_in_flow(std::uint32_t indent_min) {
    const Source before = in_;
    for (;;) {
      in_.skip_spaces();
      if (in_.at_end()) break;
      if (in_.peek() == '#') {
        comments_.push_back(read_comment());
      } else if (!in_.at_line_end()) {
        if (!begins_line() || in_.indent() >= indent_min || in_.peek() == ']' || in_.peek() == '}')
          return true;
        break;
      }
      in_.skip_line_end();
      line_begin_ = in_.offset();
      line_blanks_ = 0;
    }
    in_ = before;
    return false;
  }
  // Counts the spaces of a line once, however many elements stand behind them.
  bool begins_line() {
    const std::string_view before = in_.since(line_begin_);
    line_blanks_ = std::min(before.find_first_not_of(' ', line_blanks_), before.size());
    return line_begin_ > 0 && line_blanks_ == before.size();
  }

  void tell_open(Place begin, std::string_view bracket) {
    if (!gave_up_) {
      tell({begin, {begin.line, begin.column + 1}}, "yaml/open-bracket",
           "This bracket is not closed by " + std::string(bracket) + ".", "Close it.");
    }
    give_up();
  }

  // Behind an element: true when another one follows; otherwise the flow has ended, well or not.
  bool another(char close, Place begin, std::uint32_t indent_min) {
    if (gave_up_) return false;
    const std::string bracket(1, close);
    if (!next_in_flow(indent_min)) {
      tell_open(begin, bracket);
      return false;
    }
    if (in_.peek() == close) {
      in_.next();
      return false;
    }
    if (in_.peek() != ',') {
      const Place place = in_.place();
      in_.skip_to_line_end();
      tell({place, in_.place()}, "yaml/comma", "Here a comma or " + bracket + " is expected.",
           "Separate what stands in brackets by commas; put a text with , [ ] { } or ': ' in quotes.");
      give_up();
      return false;
    }
    in_.next();
    if (!next_in_flow(indent_min)) {
      tell_open(begin, bracket);
      return false;
    }
    if (in_.peek() != close) return true;
    in_.next();
    return false;
  }

  Node flow_list(std::uint32_t indent_min) {
    std::optional<Node> list = begin(Kind::List, Style::Flow);
    if (!list) return {};
    const Place begin = in_.place();
    in_.next();
    if (!next_in_flow(indent_min)) {
      tell_open(begin, "]");
    } else if (in_.peek() == ']') {
      in_.next();
    } else {
      do {
        list->items.push_back(value(indent_min, Context::Flow));
      } while (another(']', begin, indent_min));
    }
    return end(*std::move(list), in_.place());
  }

  Node flow_map(std::uint32_t indent_min) {
    std::optional<Node> map = begin(Kind::Map, Style::Flow);
    if (!map) return {};
    Keys keys;
    const Place begin = in_.place();
    in_.next();
    if (!next_in_flow(indent_min)) {
      tell_open(begin, "}");
    } else if (in_.peek() == '}') {
      in_.next();
    } else {
      do {
        if (auto entry = flow_entry(indent_min)) add(*map, *std::move(entry), keys);
      } while (another('}', begin, indent_min));
    }
    return end(*std::move(map), in_.place());
  }

  std::optional<Entry> flow_entry(std::uint32_t indent_min) {
    Entry entry;
    std::vector<std::string> comments = take_comments();
    entry.key = key_scalar(Context::Flow);
    entry.key.comments_above = std::move(comments);
    in_.skip_spaces();
    if (in_.peek() != ':') {
      tell(entry.key.span, "yaml/colon", "This key has no value.", "Write `key: value`.");
      give_up();
      return std::nullopt;
    }
    in_.next();
    if (!next_in_flow(indent_min)) return entry;
    entry.value = value(indent_min, Context::Flow);
    return entry;
  }

  Source in_;
  std::vector<Problem> problems_;
  std::vector<std::string> comments_;  // read and not yet given to anybody
  std::size_t line_begin_ = 0;         // of the latest line inside of a flow
  std::size_t line_blanks_ = 0;        // spaces at its beginning, as far as they were counted
  int depth_ = 0;
  bool gave_up_ = false;
};

}  // namespace

Document parse(std::string_view text) { return Parser(text).document(); }

}  // namespace tavola::yaml
