#include "workshop/texts/indented_json.h"

#include <algorithm>

namespace tavola::workshop {
namespace {

constexpr std::size_t kColumnsMax = 100;

class Indenter {
 public:
  explicit Indenter(std::string_view json) : json_(json) {}

  std::string run() {
    value(0);
    return std::move(out_);
  }

 private:
  // Returns the end of the text or of the brackets that begin at `begin`.
  std::size_t end_of(std::size_t begin) const {
    int depth = 0;
    for (std::size_t i = begin; i < json_.size(); ++i) {
      const char c = json_[i];
      if (c == '"') i = end_of_text(i) - 1;
      if (c == '{' || c == '[') ++depth;
      if (c == '}' || c == ']') --depth;
      const bool is_behind = depth < 0 || (depth == 0 && (c == ',' || c == ':'));
      if (is_behind) return i;
      if (depth == 0 && (c == '}' || c == ']')) return i + 1;
    }
    return json_.size();
  }
  std::size_t end_of_text(std::size_t i) const {
    for (++i; i < json_.size() && json_[i] != '"'; ++i) {
      if (json_[i] == '\\') ++i;
    }
    return std::min(i + 1, json_.size());
  }

  // Returns one line: a blank after commas and colons, and inside of braces.
  std::string on_line(std::string_view part) const {
    std::string line;
    for (std::size_t i = 0; i < part.size(); ++i) {
      const char c = part[i];
      if (c == '"') {
        const std::size_t begin = i;
        for (++i; i < part.size() && part[i] != '"'; ++i) {
          if (part[i] == '\\') ++i;
        }
        line.append(part.substr(begin, i + 1 - begin));
        continue;
      }
      line += c;
      if (c == ',' || c == ':') line += ' ';
    }
    return line;
  }

  void value(std::size_t indent) {
    const std::string_view whole = json_.substr(at_, end_of(at_) - at_);
    std::string line = on_line(whole);
    const bool is_open = !whole.empty() && (whole.front() == '{' || whole.front() == '[') && whole.size() > 2;
    const std::size_t column = out_.size() - (out_.rfind('\n') + 1);
    if (!is_open || column + line.size() <= kColumnsMax) {
      out_ += line;
      at_ += whole.size();
      return;
    }
    collection(indent);
  }

  void collection(std::size_t indent) {
    out_ += json_[at_++];
    for (;;) {
      (out_ += '\n').append(indent + 2, ' ');
      const std::size_t end = end_of(at_);
      if (end < json_.size() && json_[end] == ':') {
        out_.append(json_.substr(at_, end - at_)) += ": ";
        at_ = end + 1;
      }
      value(indent + 2);
      const char next = json_[at_++];
      if (next != ',') {
        (out_ += '\n').append(indent, ' ') += next;
        return;
      }
      out_ += ',';
    }
  }

  std::string_view json_;
  std::size_t at_ = 0;
  std::string out_;
};

}  // namespace

std::string indented(std::string_view json) { return Indenter(json).run(); }

}  // namespace tavola::workshop
