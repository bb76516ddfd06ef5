#include "yaml/write.h"

#include <algorithm>
#include <span>

#include "yaml/scalars.h"

namespace tavola::yaml {
namespace {

std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }

std::string_view trimmed(std::string_view comment) {
  const std::size_t end = comment.find_last_not_of(" \t\r");
  return comment.substr(0, end == std::string_view::npos ? 0 : end + 1);
}

// ---- Texts on one line ----

// Returns whether the unquoted text is read as itself, in any position outside of a flow.
bool is_plain_text(std::string_view text) {
  if (text.empty() || std::string_view("[]{},#&*!|>'\"%@`").contains(text.front())) return false;
  if (std::string_view("-?:").contains(text.front()) && (text.size() == 1 || text[1] == ' ')) return false;
  if (text.starts_with("---") || text.starts_with("...")) return false;
  if (text.front() == ' ' || text.back() == ' ' || text.back() == ':') return false;
  if (text.contains(": ") || text.contains(" #") || text == "<<") return false;
  return std::ranges::none_of(text, is_control);
}

// In brackets, other readers of YAML also stumble over ? anywhere and : at the beginning.
bool fits_context(std::string_view text, Context context) {
  return context == Context::Block ||
         (text.find_first_of(",[]{}?") == std::string_view::npos && !text.starts_with(':'));
}

std::string double_quoted(std::string_view text) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += {'\\', c};
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (is_control(c)) {
      const auto byte = static_cast<unsigned char>(c);
      out += {'\\', 'x', kHex[byte >> 4U], kHex[byte & 15U]};
    } else {
      out += c;
    }
  }
  return out + '"';
}

std::string single_quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) out.append(c == '\'' ? 2 : 1, c);
  return out + '\'';
}

std::string quoted(std::string_view text) {
  const bool is_easier_single =
      text.find_first_of("\"\\") != std::string_view::npos && std::ranges::none_of(text, is_control);
  return is_easier_single ? single_quoted(text) : double_quoted(text);
}

// Whether the text begins like 2024-01-31. To us that is a text, but most readers of YAML take it for a time.
bool is_date_like(std::string_view text) {
  constexpr std::string_view kShape = "0000-00-00";
  if (text.size() < kShape.size()) return false;
  return std::ranges::equal(text.substr(0, kShape.size()), kShape, [](char c, char shape) {
    return shape == '0' ? c >= '0' && c <= '9' : c == shape;
  });
}

std::string text_on_line(std::string_view text, Context context) {
  const bool is_plain = is_plain_text(text) && fits_context(text, context) &&
                        plain_kind(text) == Kind::Text && !is_date_like(text);
  return is_plain ? std::string(text) : quoted(text);
}

// Keys are always texts: `5:` needs no quotes.
std::string key_text(std::string_view key, Context context) {
  return is_plain_text(key) && fits_context(key, context) ? std::string(key) : quoted(key);
}

std::string scalar(const Node& node, Context context) {
  if (node.kind == Kind::Null) return "null";
  return node.kind == Kind::Text ? text_on_line(node.text, context) : node.text;
}

std::string flow(const Node& node) {
  std::string out;
  if (node.kind == Kind::List) {
    for (const Node& item : node.items) out += (out.empty() ? "" : ", ") + flow(item);
    return "[" + out + "]";
  }
  if (node.kind != Kind::Map) return scalar(node, Context::Flow);
  for (const Entry& entry : node.entries) {
    out += (out.empty() ? "" : ", ") + key_text(entry.key.text, Context::Flow) + ": " + flow(entry.value);
  }
  return out.empty() ? "{}" : "{ " + out + " }";
}

// ---- Texts over several lines ----

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  for (;;) {
    const std::size_t end = text.find('\n');
    lines.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return lines;
    text.remove_prefix(end + 1);
  }
}

struct BlockText {
  std::string_view body;
  std::size_t ends = 0;  // line ends behind the body
  std::string_view chomp() const { return ends == 0 ? "-" : ends == 1 ? "" : "+"; }
};

BlockText block_text(std::string_view text) {
  const std::size_t last = text.find_last_not_of('\n');
  const std::size_t size = last == std::string_view::npos ? 0 : last + 1;
  return {text.substr(0, size), text.size() - size};
}

bool is_literal_text(std::string_view body) {
  if (body.empty() || body.front() == '\n') return false;
  const auto lines = lines_of(body);
  if (lines.front().front() == ' ') return false;
  return std::ranges::all_of(lines, [](std::string_view line) {
    return std::ranges::none_of(line, is_control) &&
           (line.empty() || line.find_first_not_of(' ') != std::string_view::npos);
  });
}

bool is_folded_text(std::string_view body) {
  return is_literal_text(body) && std::ranges::all_of(lines_of(body), [](std::string_view line) {
           return line.empty() || (line.front() != ' ' && line.back() != ' ');
         });
}

// Breaks at single spaces, so that joining the lines with one space restores the paragraph.
std::vector<std::string_view> wrapped(std::string_view paragraph, std::size_t columns) {
  std::vector<std::string_view> lines;
  while (width_of(paragraph) > columns) {
    std::size_t at = std::string_view::npos;
    for (std::size_t space = paragraph.find(' '); space != std::string_view::npos;) {
      const std::size_t end = paragraph.find_first_not_of(' ', space);
      const bool is_too_far = width_of(paragraph.substr(0, space)) > columns;
      if (is_too_far && at != std::string_view::npos) break;
      if (end == space + 1) at = space;
      space = paragraph.find(' ', end);
    }
    if (at == std::string_view::npos) break;
    lines.push_back(paragraph.substr(0, at));
    paragraph.remove_prefix(at + 1);
  }
  lines.push_back(paragraph);
  return lines;
}

// ---- Lines ----

class Writer {
 public:
  std::string document(const Document& document) {
    const Node& root = document.root;
    if (is_opened(root)) {
      block(root, 0);
    } else if (root.kind != Kind::Null || !root.comment_beside.empty()) {
      line_value(root, 0);
    }
    std::span<const std::string> end = document.comments_end;
    while (!end.empty() && end.back().empty()) end = end.first(end.size() - 1);
    comments(end, 0);
    return std::move(out_);
  }

 private:
  std::size_t column() const {
    const std::size_t line = out_.rfind('\n') + 1;  // npos + 1 is 0
    return width_of(std::string_view(out_).substr(line));
  }

  // Returns whether the node is written on lines of its own, below its key.
  bool is_opened(const Node& node) const {
    if (!is_filled(node)) return false;
    if (node.style != Style::Flow || has_comments(node)) return true;
    return column() + 1 + width_of(flow(node)) > kColumnsMax;
  }
  static bool has_comments(const Node& node) {
    return std::ranges::any_of(node.items,
                               [](const Node& item) { return is_commented(item) || has_comments(item); }) ||
           std::ranges::any_of(node.entries, [](const Entry& entry) {
             return is_commented(entry.key) || is_commented(entry.value) || has_comments(entry.value);
           });
  }
  static bool is_commented(const Node& node) {
    return !node.comments_above.empty() || !node.comment_beside.empty();
  }

  void begin_line(std::size_t indent) {
    if (!is_behind_dash_) out_.append(indent, ' ');
    is_behind_dash_ = false;
  }
  void end_line(const Node& node) {
    if (!node.comment_beside.empty()) (out_ += "  ") += trimmed(node.comment_beside);
    out_ += '\n';
  }
  void empty_line() {
    if (!out_.empty() && !out_.ends_with("\n\n")) out_ += '\n';
  }
  void comments(std::span<const std::string> lines, std::size_t indent) {
    for (const std::string& line : lines) {
      if (line.empty()) {
        empty_line();
      } else {
        ((out_.append(indent, ' ')) += trimmed(line)) += '\n';
      }
    }
  }

  // Writes what precedes a part: an empty line, if one followed the previous part, and comments.
  void above(const Node& node, const Node* before, std::size_t indent) {
    // Line ends after a kept text belong to the text.
    if (before != nullptr && !before->text.ends_with("\n\n")) {
      const std::size_t next =
          before->span.end.line + 1 + node.comments_above.size() + lines_to_content(node);
      if (node.span.begin.line > next) empty_line();
    }
    comments(node.comments_above, indent);
  }

  // An item's position is that of its content, which is below its dash if a comment is between them.
  static std::size_t lines_to_content(const Node& item) {
    if (!is_filled(item) || can_follow_dash(item)) return 0;
    return 1 + first_in(item).comments_above.size();
  }
  static bool is_filled(const Node& node) { return !node.items.empty() || !node.entries.empty(); }
  static const Node& first_in(const Node& node) {
    return node.kind == Kind::Map ? node.entries.front().key : node.items.front();
  }

  void block(const Node& node, std::size_t indent) {
    const Node* before = nullptr;
    for (const Entry& entry : node.entries) {
      above(entry.key, before, indent);
      begin_line(indent);
      (out_ += key_text(entry.key.text, Context::Block)) += ':';
      value(entry.value, indent);
      before = &entry.value;
    }
    for (const Node& item : node.items) {
      above(item, before, indent);
      begin_line(indent);
      out_ += '-';
      is_opened(item) && can_follow_dash(item) ? behind_dash(item, indent) : value(item, indent);
      before = &item;
    }
  }

  // `- a: 1`: a collection starts on the line of its dash, unless a comment is between them.
  static bool can_follow_dash(const Node& item) {
    return item.comment_beside.empty() && first_in(item).comments_above.empty();
  }
  void behind_dash(const Node& item, std::size_t indent) {
    out_ += ' ';
    is_behind_dash_ = true;
    block(item, indent + 2);
  }

  // Writes the value after `key:` or `-`.
  void value(const Node& node, std::size_t indent) {
    if (is_opened(node)) {
      end_line(node);
      block(node, indent + 2);
    } else {
      out_ += ' ';
      line_value(node, indent);
    }
  }

  void line_value(const Node& node, std::size_t indent) {
    if (node.kind == Kind::Text && is_long(node)) {
      const BlockText text = block_text(node.text);
      if (node.style != Style::Literal && is_folded_text(text.body)) return folded(node, text, indent + 2);
      if (is_literal_text(text.body)) return literal(node, text, indent + 2);
    }
    out_ += node.is_scalar() ? scalar(node, Context::Block) : flow(node);
    end_line(node);
  }

  // Returns whether the node was written over several lines for a reason that still holds.
  bool is_long(const Node& node) const {
    if (node.style == Style::Literal || node.style == Style::Folded) return true;
    if (node.span.begin.line == node.span.end.line) return false;
    return node.text.contains('\n') || column() + width_of(scalar(node, Context::Block)) > kColumnsMax;
  }

  void literal(const Node& node, const BlockText& text, std::size_t indent) {
    (out_ += '|') += text.chomp();
    end_line(node);
    for (const std::string_view line : lines_of(text.body)) text_line(line, indent);
    if (text.ends > 1) out_.append(text.ends - 1, '\n');
  }

  void folded(const Node& node, const BlockText& text, std::size_t indent) {
    (out_ += '>') += text.chomp();
    end_line(node);
    bool is_first = true;
    for (const std::string_view paragraph : lines_of(text.body)) {
      if (!is_first) out_ += '\n';
      is_first = false;
      if (paragraph.empty()) continue;
      for (const std::string_view line :
           wrapped(paragraph, kColumnsMax - std::min(indent, kColumnsMax / 2))) {
        text_line(line, indent);
      }
    }
    if (text.ends > 1) out_.append(text.ends - 1, '\n');
  }

  void text_line(std::string_view line, std::size_t indent) {
    if (!line.empty()) out_.append(indent, ' ') += line;
    out_ += '\n';
  }

  std::string out_;
  bool is_behind_dash_ = false;  // the line continues after `- `
};

}  // namespace

std::string write(const Document& document) { return Writer().document(document); }

std::string write_text(std::string_view text) { return text_on_line(text, Context::Block); }

}  // namespace tavola::yaml
