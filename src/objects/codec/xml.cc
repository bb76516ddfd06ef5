#include "objects/codec/xml.h"

#include <array>
#include <charconv>
#include <utility>

#include "base/ascii.h"
#include "base/utf8.h"
#include "objects/codec/s3_error.h"

namespace tavola::objects {
namespace {

constexpr int kXmlDepthMax = 8;
constexpr std::string_view kXmlSpace = " \t\r\n";

void append_escaped(std::string& out, std::string_view text) {
  for (const char c : text) {
    switch (c) {
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '&':
        out += "&amp;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        // S3 writes control characters as references, which XML 1.0 does not allow; clients ask for
        // encoding-type=url to be safe.
        if (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t') {
          out.append("&#").append(std::to_string(static_cast<int>(c))).append(";");
        } else {
          out += c;
        }
    }
  }
}

void append_utf8(std::string& out, std::uint32_t code) {
  const auto byte = [&](std::uint32_t value) { out += static_cast<char>(value); };
  if (code < 0x80) return byte(code);
  if (code < 0x800) {
    byte(0xc0U | (code >> 6U));
  } else {
    if (code < 0x10000) {
      byte(0xe0U | (code >> 12U));
    } else {
      byte(0xf0U | (code >> 18U));
      byte(0x80U | ((code >> 12U) & 0x3fU));
    }
    byte(0x80U | ((code >> 6U) & 0x3fU));
  }
  byte(0x80U | (code & 0x3fU));
}

bool is_name_character(char c) {
  return is_letter(c) || is_digit(c) || c == '_' || c == '-' || c == '.' || c == ':' ||
         static_cast<unsigned char>(c) >= 0x80;
}

// Reads from the start of `rest_`. A method returns false where the document is not what it expects.
class XmlReader {
 public:
  explicit XmlReader(std::string_view document) : rest_(document) {}

  bool read_document(XmlElement& root) {
    take("\xef\xbb\xbf");
    if (rest_.starts_with("<?xml") && !skip_past("?>")) return false;
    return skip_between() && read_element(root, 0) && skip_between() && rest_.empty();
  }

 private:
  bool take(std::string_view text) {
    if (!rest_.starts_with(text)) return false;
    rest_.remove_prefix(text.size());
    return true;
  }
  bool skip_past(std::string_view end) {
    const std::size_t at = rest_.find(end);
    if (at == std::string_view::npos) return false;
    rest_.remove_prefix(at + end.size());
    return true;
  }
  void skip_space() { rest_.remove_prefix(std::min(rest_.find_first_not_of(kXmlSpace), rest_.size())); }
  // Skips what may stand beside the root.
  bool skip_between() {
    for (skip_space(); take("<!--"); skip_space())
      if (!skip_past("-->")) return false;
    return true;
  }

  std::string_view read_name() {
    std::size_t size = 0;
    while (size < rest_.size() && is_name_character(rest_[size])) ++size;
    const std::string_view name = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return name;
  }

  bool skip_attributes() {
    for (skip_space(); !rest_.empty() && is_name_character(rest_.front()); skip_space()) {
      read_name();
      skip_space();
      if (!take("=")) return false;
      skip_space();
      if (rest_.empty() || (rest_.front() != '"' && rest_.front() != '\'')) return false;
      const std::string quote(1, rest_.front());
      rest_.remove_prefix(1);
      if (!skip_past(quote)) return false;
    }
    return true;
  }

  bool read_element(XmlElement& element, int depth) {
    if (depth >= kXmlDepthMax || !take("<")) return false;
    const std::string_view name = read_name();
    if (name.empty()) return false;
    element.name = name.substr(name.rfind(':') + 1);
    if (!skip_attributes()) return false;
    if (take("/>")) return true;
    return take(">") && read_content(element, depth) && read_end(name);
  }

  bool read_content(XmlElement& element, int depth) {
    while (!rest_.empty() && !rest_.starts_with("</")) {
      if (take("<!--")) {
        if (!skip_past("-->")) return false;
      } else if (rest_.front() == '<') {
        if (!read_element(element.children.emplace_back(), depth + 1)) return false;
      } else if (rest_.front() == '&') {
        if (!read_reference(element.text)) return false;
      } else {
        const std::size_t size = std::min(rest_.find_first_of("<&"), rest_.size());
        element.text += rest_.substr(0, size);
        rest_.remove_prefix(size);
      }
    }
    return true;
  }

  bool read_end(std::string_view name) {
    if (!take("</") || read_name() != name) return false;
    skip_space();
    return take(">");
  }

  bool read_reference(std::string& out) {
    constexpr std::array<std::pair<std::string_view, char>, 5> kNamed = {
        {{"&lt;", '<'}, {"&gt;", '>'}, {"&amp;", '&'}, {"&quot;", '"'}, {"&apos;", '\''}}};
    for (const auto& [text, character] : kNamed) {
      if (!take(text)) continue;
      out += character;
      return true;
    }
    if (!take("&#")) return false;
    const int base = take("x") ? 16 : 10;
    std::uint32_t code = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), code, base);
    if (error != std::errc()) return false;
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    const bool is_surrogate = code >= 0xd800 && code < 0xe000;
    if (code == 0 || code > 0x10ffff || is_surrogate || !take(";")) return false;
    append_utf8(out, code);
    return true;
  }

  std::string_view rest_;
};

}  // namespace

XmlWriter::XmlWriter(std::string_view root) {
  out_.append("<").append(root).append(" xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">");
  open_.emplace_back(root);
}

XmlWriter& XmlWriter::open(std::string_view name) {
  out_.append("<").append(name).append(">");
  open_.emplace_back(name);
  return *this;
}

XmlWriter& XmlWriter::close() {
  out_.append("</").append(open_.back()).append(">");
  open_.pop_back();
  return *this;
}

XmlWriter& XmlWriter::characters(std::string_view text) {
  append_escaped(out_, text);
  return *this;
}

XmlWriter& XmlWriter::text(std::string_view name, std::string_view value) {
  return open(name).characters(value).close();
}

XmlWriter& XmlWriter::number(std::string_view name, std::uint64_t value) {
  return text(name, std::to_string(value));
}

XmlWriter& XmlWriter::boolean(std::string_view name, bool value) {
  return text(name, value ? "true" : "false");
}

std::string XmlWriter::finish() {
  while (!open_.empty()) close();
  return std::move(out_);
}

const XmlElement* XmlElement::find(std::string_view child) const {
  for (const XmlElement& one : children)
    if (one.name == child) return &one;
  return nullptr;
}

std::string_view XmlElement::text_of(std::string_view child) const {
  const XmlElement* found = find(child);
  return found == nullptr ? std::string_view() : std::string_view(found->text);
}

Result<XmlElement> parse_xml(std::string_view document) {
  XmlElement root;
  if (!is_utf8(document) || !XmlReader(document).read_document(root)) return fail(malformed_xml());
  return root;
}

}  // namespace tavola::objects
