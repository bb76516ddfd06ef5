// JSON as a small tree that knows where everything stands: policies are at most 20 KB, and who wrote one wants to know where it
// is wrong.
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
  std::string text{};  // of Text, decoded; of Number and Boolean as written
  std::vector<JsonNode> elements{};
  std::vector<std::pair<std::string, JsonNode>> members{};  // in the order written, each name once
  std::size_t begin = 0;                                    // bytes of the whole text
  std::size_t end = 0;

  bool is_text() const { return kind == Kind::Text; }
  bool is_list() const { return kind == Kind::List; }
  bool is_object() const { return kind == Kind::Object; }
  const JsonNode* find(std::string_view name) const;  // null when there is none
};

// What is wrong, and where: a byte of the text.
struct JsonProblem {
  std::size_t at;
  std::string what;
};

// Strict: RFC 8259 in UTF-8, names of an object differ, and at most kJsonDepthMax objects and lists stand in each other.
inline constexpr int kJsonDepthMax = 16;
std::expected<JsonNode, JsonProblem> parse_json(std::string_view text);

// "(2,14)": the line and the column of a byte, from 1.
std::string position_of(std::string_view text, std::size_t at);

}  // namespace tavola::policy
