// The design language as data: which keys stand where, and what may be their values. The checks (language_check.h) and the
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

// What a part of a file may be.
struct Shape {
  enum class Kind : std::uint8_t {
    Any,
    Text,
    Word,  // any scalar, taken as it is written: PENDING, 5, true
    Bool,
    Number,
    Count,     // a whole number from 0
    Enum,      // one of `values`
    Type,      // of an attribute: timestamp(epoch_ms)
    Template,  // SHOP#<domain>
    Rule,      // quantity * unitPrice
    Range,     // begins_with PRODUCT#
    Duration,  // 90d
    Regex,     // [A-Z]{3}-\d+ (text_pattern.h)
    Map,       // `members`, and whatever else `of` is when it is set
    List,      // of `of`
    OneOf,     // `choices`, told apart by their kinds of YAML
  };
  Kind kind = Kind::Any;
  std::string_view name{};  // of what is defined once and used in several places: "attribute"
  const Shape* of = nullptr;
  std::span<const Member> members{};
  std::span<const Shape* const> choices{};
  std::span<const std::string_view> values{};
  bool noted = false;  // a Map that may also have title, doc, origin and accept
};

// A whole file.
const Shape& design_shape();

// The members of a map, those of every part included.
std::vector<Member> all_members(const Shape& shape);

// "2h", "90d", "1500ms": a whole number and ms, s, m, h, d or w. Nothing when it is none.
std::optional<std::chrono::milliseconds> parse_duration(std::string_view text);

}  // namespace tavola::design
