// The parsed contents of a YAML file, with the position of every part, its comments and its style: enough to check it,
// to point at a mistake, and to write it again.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tavola::yaml {

// Lines and columns count from 1; a column is a character (code point), as in editors.
struct Place {
  std::uint32_t line = 1;
  std::uint32_t column = 1;
  auto operator<=>(const Place&) const = default;
};

// From the first character to the position after the last.
struct Span {
  Place begin;
  Place end;
  bool operator==(const Span&) const = default;
};

enum class Kind : std::uint8_t { Null, Bool, Number, Text, List, Map };
std::string_view kind_name(Kind kind);  // "a number", "a map"

enum class Style : std::uint8_t { Plain, SingleQuoted, DoubleQuoted, Literal, Folded, Block, Flow };

struct Entry;

// Invariants: `text` is set for scalars only (a Number's text is the number as written), `items` for lists, `entries`
// for maps, whose keys are unique.
struct Node {
  Kind kind = Kind::Null;
  Style style = Style::Plain;
  Span span;
  std::string text;
  std::vector<Node> items;
  std::vector<Entry> entries;
  std::vector<std::string> comments_above;  // whole lines before it, with their '#'; "" is an empty line
  std::string comment_beside;               // after it on its line, with its '#'

  bool is_scalar() const { return kind != Kind::List && kind != Kind::Map; }
  bool boolean() const { return text.front() == 't' || text.front() == 'T'; }  // Bool only
  // Returns the value of a map's key; null if missing.
  const Node* find(std::string_view key) const;
};

// The key has the comments above the entry, the value the comment beside it.
struct Entry {
  Node key;
  Node value;
};

}  // namespace tavola::yaml
