#include "workshop/exchange/hcl.h"

#include <algorithm>
#include <cctype>

#include "workshop/exchange/draft.h"

namespace tavola::workshop {
namespace {

using yaml::Node;
using yaml::Style;

constexpr int kDepthMax = 32;

bool is_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-'; }

class HclReader {
 public:
  explicit HclReader(std::string_view text) : text_(text) {}

  Result<std::vector<HclBlock>> blocks() {
    std::vector<HclBlock> found;
    for (skip_blanks(); !at_end(); skip_blanks()) {
      HclBlock block;
      while (!at_end() && peek() != '{') {
        std::string label = peek() == '"' ? quoted() : name();
        if (label.empty()) return problem("a block was expected");
        block.labels.push_back(std::move(label));
        skip_blanks();
      }
      TAVOLA_TRY(block.body, body(0));
      found.push_back(std::move(block));
    }
    return found;
  }

 private:
  bool at_end() const { return at_ >= text_.size(); }
  char peek() const { return at_end() ? '\0' : text_[at_]; }
  std::unexpected<Error> problem(std::string_view what) const {
    const auto line =
        1 + std::count(text_.begin(),
                       text_.begin() + static_cast<std::ptrdiff_t>(std::min(at_, text_.size())), '\n');
    return fail(Error::validation("line " + std::to_string(line) + ": " + std::string(what)));
  }

  void skip_line() { at_ = std::min(text_.find('\n', at_), text_.size()); }
  void skip_blanks() {
    while (!at_end()) {
      if (std::isspace(static_cast<unsigned char>(peek())) != 0 || peek() == ',') {
        ++at_;
      } else if (peek() == '#' || text_.substr(at_).starts_with("//")) {
        skip_line();
      } else if (text_.substr(at_).starts_with("/*")) {
        const std::size_t end = text_.find("*/", at_ + 2);
        at_ = end == std::string_view::npos ? text_.size() : end + 2;
      } else {
        return;
      }
    }
  }

  std::string name() {
    const std::size_t begin = at_;
    while (is_name(peek())) ++at_;
    return std::string(text_.substr(begin, at_ - begin));
  }

  // Keeps interpolations unchanged: "${var.stage}-orders".
  std::string quoted() {
    std::string text;
    for (++at_; !at_end() && peek() != '"'; ++at_) {
      if (peek() == '\\' && at_ + 1 < text_.size()) ++at_;
      text += peek();
    }
    ++at_;
    return text;
  }

  Result<Node> body(int depth) {
    if (peek() != '{') return problem("'{' was expected");
    if (depth > kDepthMax) return problem("blocks are nested too deeply");
    ++at_;
    Node map = map_node(Style::Flow);
    for (skip_blanks(); peek() != '}'; skip_blanks()) {
      if (at_end()) return problem("a block does not end");
      const std::string key = peek() == '"' ? quoted() : name();
      if (key.empty()) return problem("a name was expected");
      skip_blanks();
      if (peek() == '=' || peek() == ':') {
        ++at_;
        skip_blanks();
        TAVOLA_TRY(Node value, expression(depth));
        put(map, key, std::move(value));
        continue;
      }
      while (peek() == '"') {  // labels of an inner block
        quoted();
        skip_blanks();
      }
      TAVOLA_TRY(Node inner, body(depth + 1));
      add_block(map, key, std::move(inner));
    }
    ++at_;
    return map;
  }

  static void add_block(Node& map, const std::string& key, Node block) {
    for (yaml::Entry& entry : map.entries) {
      if (entry.key.text == key) return entry.value.items.push_back(std::move(block));
    }
    put(map, key, list_node({std::move(block)}));
  }

  Result<Node> expression(int depth) {
    if (depth > kDepthMax) return problem("expressions are nested too deeply");
    if (peek() == '"') {
      Node text = text_node(quoted());
      return text;
    }
    if (peek() == '{') return body(depth + 1);
    if (peek() == '[') {
      ++at_;
      std::vector<Node> items;
      for (skip_blanks(); peek() != ']'; skip_blanks()) {
        if (at_end()) return problem("a list does not end");
        TAVOLA_TRY(Node item, expression(depth + 1));
        items.push_back(std::move(item));
      }
      ++at_;
      return list_node(std::move(items));
    }
    return rest_of_expression();
  }

  // Reads a number, true, var.name or a call verbatim, up to the end of its line or list.
  Result<Node> rest_of_expression() {
    const std::size_t begin = at_;
    int open = 0;
    while (!at_end()) {
      const char c = peek();
      if (open == 0 && (c == '\n' || c == ',' || c == ']' || c == '}' || c == '#')) break;
      if (c == '(' || c == '[' || c == '{') ++open;
      if (c == ')' || c == ']' || c == '}') --open;
      if (c == '"') {
        quoted();
      } else {
        ++at_;
      }
    }
    std::string_view text = text_.substr(begin, std::min(at_, text_.size()) - begin);
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0) text.remove_suffix(1);
    if (text.empty()) return problem("a value was expected");
    if (text == "true" || text == "false") return bool_node(text == "true");
    return text_node(text);
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

Result<std::vector<HclBlock>> parse_hcl(std::string_view text) { return HclReader(text).blocks(); }

}  // namespace tavola::workshop
