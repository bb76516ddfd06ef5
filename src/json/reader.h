// Reads JSON into a small tree that knows where everything stands, so that an error can name the place. For texts of people and of
// other programs: designs' parameters, policies, pages of the server. DynamoDB's own requests are read by wire/codec/json.h.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tavola::json {

struct Node {
  enum class Kind : std::uint8_t { Null, Boolean, Number, Text, List, Object };
  Kind kind = Kind::Null;
  std::string text{};  // a Text, decoded; a Number or Boolean as written
  std::vector<Node> elements{};
  std::vector<std::pair<std::string, Node>> members{};  // in the order written, each name once
  std::size_t begin = 0;                                // bytes of the whole text
  std::size_t end = 0;

  bool is_text() const { return kind == Kind::Text; }
  bool is_list() const { return kind == Kind::List; }
  bool is_object() const { return kind == Kind::Object; }
  const Node* find(std::string_view name) const;  // null if missing
  // Returns the text of a member: of a number, as it is written. Empty if it is missing, or a list or an object.
  std::string text_at(std::string_view name) const;
};

// A mistake and its position, a byte of the text.
struct Problem {
  std::size_t at = 0;
  std::string what{};
};

// The deepest nesting of objects and lists that parse() accepts.
inline constexpr int kDepthMax = 64;

// Accepts RFC 8259 in UTF-8 and nothing else. The names of an object differ.
std::expected<Node, Problem> parse(std::string_view text, int depth_max = kDepthMax);

// Returns "(2,14)": the line and the column of a byte, from 1.
std::string position_of(std::string_view text, std::size_t at);

}  // namespace tavola::json
