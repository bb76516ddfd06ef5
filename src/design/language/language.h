// The design language as data: the keys of each part and their possible values. The checks (language_check.h) and the
// JSON Schema for editors (json_schema.h) are made from the same tables.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tavola::design {

struct Shape;

enum class Need : std::uint8_t { Optional, Required };

struct Member {
  std::string_view key;
  const Shape* shape = nullptr;
  std::string_view doc;
  Need need = Need::Optional;
};

// The form of a part of a file.
struct Shape {
  enum class Kind : std::uint8_t {
    Any,
    Text,
    Word,  // any scalar, taken as it is written: PENDING, 5, true
    Bool,
    Number,
    Count,     // a whole number from 0
    Enum,      // one of `values`
    Type,      // the type of an attribute: timestamp(epoch_ms)
    Template,  // SHOP#<domain>
    Rule,      // quantity * unitPrice
    Range,     // begins_with PRODUCT#
    Duration,  // 90d
    Regex,     // [A-Z]{3}-\d+ (text_pattern.h)
    Map,       // `members`, and any other key with the shape `of` if set
    List,      // a list of `of`
    OneOf,     // one of `choices`, distinguished by their kinds of YAML
  };
  Kind kind = Kind::Any;
  std::string_view name{};  // of a shape that several places use: "attribute"
  const Shape* of = nullptr;
  std::span<const Member> members{};
  std::span<const Shape* const> choices{};
  std::span<const std::string_view> values{};
  bool noted = false;  // a Map that may also have title, doc, origin and accept
};

// A whole file.
const Shape& design_shape();

// Returns the members of a map, including those that every part may have.
std::vector<Member> all_members(const Shape& shape);

// Parses "2h", "90d", "1500ms": a whole number and ms, s, m, h, d or w. Returns nullopt for any other text.
std::optional<std::chrono::milliseconds> parse_duration(std::string_view text);

}  // namespace tavola::design
