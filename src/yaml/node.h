// What a YAML file says, with the place of every part of it, its comments and the way it is written: enough to check it,
// to point at a mistake, and to write it again.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tavola::yaml {

// Counted from 1; a column is a character (code point), as editors count.
struct Place {
  std::uint32_t line = 1;
  std::uint32_t column = 1;
  auto operator<=>(const Place&) const = default;
};

// From its first character to behind its last.
struct Span {
  Place begin;
  Place end;
  bool operator==(const Span&) const = default;
};

enum class Kind : std::uint8_t { Null, Bool, Number, Text, List, Map };
std::string_view kind_name(Kind kind);  // "a number", "a map"

enum class Style : std::uint8_t { Plain, SingleQuoted, DoubleQuoted, Literal, Folded, Block, Flow };

struct Entry;

// Invariants: `text` is set for scalars alone (of a Number it is the number as written), `items` for lists, `entries`
// for maps, whose keys are unique.
struct Node {
  Kind kind = Kind::Null;
  Style style = Style::Plain;
  Span span;
  std::string text;
  std::vector<Node> items;
  std::vector<Entry> entries;
  std::vector<std::string> comments_above;  // whole lines before it, with their '#'; "" is an empty line
  std::string comment_beside;               // behind it on its line, with its '#'

  bool is_scalar() const { return kind != Kind::List && kind != Kind::Map; }
  bool boolean() const { return text.front() == 't' || text.front() == 'T'; }  // of a Bool
  // The value of a map's key; null when there is none.
  const Node* find(std::string_view key) const;
};

// The key has the comments above the entry, the value the one beside it.
struct Entry {
  Node key;
  Node value;
};

}  // namespace tavola::yaml
