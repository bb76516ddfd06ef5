// JSON as a small tree with positions: policies are at most 20 KB, and their authors need to know where a mistake is.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tavola/error.h>

namespace tavola::policy {

struct JsonNode {
  enum class Kind : std::uint8_t { Null, Boolean, Number, Text, List, Object };
  Kind kind = Kind::Null;
  std::string text{};  // Text: decoded; Number and Boolean: as written
  std::vector<JsonNode> elements{};
  std::vector<std::pair<std::string, JsonNode>> members{};  // in the order written, each name once
  std::size_t begin = 0;                                    // byte positions in the text
  std::size_t end = 0;

  bool is_text() const { return kind == Kind::Text; }
  bool is_list() const { return kind == Kind::List; }
  bool is_object() const { return kind == Kind::Object; }
  const JsonNode* find(std::string_view name) const;  // null if missing
};

// A mistake and its position: a byte of the text.
struct JsonProblem {
  std::size_t at;
  std::string what;
};

// Parses strictly: RFC 8259 in UTF-8, unique names in an object, nesting of at most kJsonDepthMax.
inline constexpr int kJsonDepthMax = 16;
std::expected<JsonNode, JsonProblem> parse_json(std::string_view text);

// Returns "(2,14)": the line and the column of a byte, from 1.
std::string position_of(std::string_view text, std::size_t at);

}  // namespace tavola::policy
