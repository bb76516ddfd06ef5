#include "yaml/parse.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "yaml/reader.h"
#include "yaml/values.h"

namespace tavola::yaml {
namespace {

// Reads the document and its block collections.
class Parser {
 public:
  explicit Parser(std::string_view text) : reader_(text), in_(reader_.in()), values_(reader_) {}

  Document document() {
    Document document;
    if (in_.starts_with("\xEF\xBB\xBF")) in_.skip(3);
    reader_.next_content();
    if (in_.peek() == '%') report_directive();
    if (is_document_mark("---")) {
      in_.skip(3);
      reader_.end_line(document.root);
      reader_.next_content();
    }
    if (!in_.at_end()) document.root = block_node(0);
    reader_.next_content();
    if (is_document_mark("...")) {
      in_.skip(3);
      reader_.next_content();
    }
    if (!in_.at_end()) report_rest();
    document.problems = reader_.take_problems();
    std::ranges::sort(document.problems, {},
                      [](const Problem& problem) { return std::pair(problem.span.begin, problem.code); });
    document.comments_end = reader_.take_comments();
    return document;
  }

 private:
  void report_directive() {
    const Place begin = in_.place();
    in_.skip_to_line_end();
    reader_.report({begin, in_.place()}, "yaml/directive", "Directives (%) are not used here.",
                   "Remove the line.");
    reader_.next_content();
  }

  void report_rest() {
    const Place begin = in_.place();
    const bool is_second = is_document_mark("---");
    in_.skip_to_line_end();
    if (is_second) {
      reader_.report({begin, in_.place()}, "yaml/documents",
                     "A file holds one document; a second one starts here.", "Move it to a file of its own.");
    } else if (!reader_.has_given_up()) {
      reader_.report({begin, in_.place()}, "yaml/indentation",
                     "This line does not belong to anything above it.",
                     "Indent it like the lines of the part it belongs to.");
    }
  }

  bool is_document_mark(std::string_view mark) const {
    return in_.indent() == 0 && in_.starts_with(mark) && in_.is_blank(mark.size());
  }

  // Reads whatever starts here, at the start of a line or after the dash of an item.
  Node block_node(std::uint32_t indent_min) {
    if (is_item(in_)) return block_list(in_.indent());
    if (is_key_ahead(in_)) return block_map(in_.indent());
    return line_value(indent_min);
  }

  // Reads a value that starts on this line, to the end of its last line.
  Node line_value(std::uint32_t indent_min) {
    Node node = values_.value(indent_min, Context::Block);
    if (node.style != Style::Literal && node.style != Style::Folded) reader_.end_line(node);
    return node;
  }

  Node block_map(std::uint32_t indent) {
    std::optional<Node> map = reader_.begin(Kind::Map, Style::Block);
    if (!map) return {};
    Reader::Keys keys;
    while (!in_.at_end() && in_.indent() == indent && !is_item(in_) && !is_document_mark("...") &&
           !is_document_mark("---")) {
      reader_.start_anew();
      if (!is_key_ahead(in_)) {
        report_no_key();
      } else {
        Entry entry;
        entry.key = block_key();
        entry.value = value_below(indent, Below::Map);
        reader_.add(*map, std::move(entry), keys);
      }
      reader_.next_content();
      pass_over_deeper(indent);
    }
    const Place last = map->entries.empty() ? map->span.begin : map->entries.back().value.span.end;
    return reader_.end(*std::move(map), last);
  }

  void report_no_key() {
    const Place begin = in_.place();
    in_.skip_to_line_end();
    reader_.report({begin, in_.place()}, "yaml/key", "A key is expected here: a name, a colon and a space.",
                   "Write `name: value`.");
    reader_.give_up();
    reader_.take_comments();
  }

  Node block_key() {
    std::vector<std::string> comments = reader_.take_comments();
    Node key = reader_.key_scalar(Context::Block);
    key.comments_above = std::move(comments);
    in_.skip_spaces();
    in_.next();  // the colon
    return key;
  }

  enum class Below : std::uint8_t { Map, List };

  // Reads the value after `key:` or `-`: on the same line, or below.
  Node value_below(std::uint32_t indent, Below parent) {
    const Place behind = in_.place();
    in_.skip_spaces();
    std::string comment;
    if (in_.peek() == '#') comment = reader_.read_comment();
    if (!in_.at_line_end()) {
      if (parent == Below::List) return block_node(indent + 1);
      return line_value(indent + 1);
    }
    in_.skip_line_end();
    reader_.next_content();
    Node node;
    node.span = {behind, behind};
    if (!in_.at_end() && in_.indent() > indent) {
      node = block_node(indent + 1);
    } else if (!in_.at_end() && in_.indent() == indent && parent == Below::Map && is_item(in_)) {
      node = block_list(indent);
    }
    if (!comment.empty()) node.comment_beside = std::move(comment);
    return node;
  }

  Node block_list(std::uint32_t indent) {
    std::optional<Node> list = reader_.begin(Kind::List, Style::Block);
    if (!list) return {};
    while (!in_.at_end() && in_.indent() == indent && is_item(in_)) {
      reader_.start_anew();
      std::vector<std::string> comments = reader_.take_comments();
      in_.next();  // the dash
      Node item = value_below(indent, Below::List);
      item.comments_above = std::move(comments);
      list->items.push_back(std::move(item));
      reader_.next_content();
      pass_over_deeper(indent);
    }
    const Place last = list->items.empty() ? list->span.begin : list->items.back().span.end;
    return reader_.end(*std::move(list), last);
  }

  // Skips lines that are indented more than the collection they would continue, and perhaps less than its latest part.
  void pass_over_deeper(std::uint32_t indent) {
    while (!in_.at_end() && in_.indent() > indent) {
      const Place begin = in_.place();
      in_.skip_to_line_end();
      if (!reader_.has_given_up()) {
        reader_.report({begin, in_.place()}, "yaml/indentation",
                       "The indentation of this line does not match the lines around it.",
                       "Indent it like the line it belongs to.");
        reader_.give_up();
      }
      reader_.take_comments();
      reader_.next_content();
    }
  }

  Reader reader_;
  Source& in_;
  Values values_;
};

}  // namespace

Document parse(std::string_view text) { return Parser(text).document(); }

}  // namespace tavola::yaml
