// Templates of keys: SHOP#<shopId>#CATEGORY#<category>. They are rendered from fields and read backwards from keys.
#pragma once

#include <cstdint>
#include <expected>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <tavola/error.h>
#include <tavola/value.h>

#include "design/model/attribute_type.h"

namespace tavola::design {

// What is wrong with a text in a design, and where in it: bytes [offset, offset + length).
struct TextProblem {
  std::size_t offset = 0;
  std::size_t length = 0;
  std::string message;
  std::string advice;
};

struct Placeholder {
  enum class Format : std::uint8_t { Plain, Padded, Number, Iso, Milliseconds, Descending };
  std::string field;
  Format format = Format::Plain;
  unsigned width = 0;      // of Padded
  std::size_t offset = 0;  // in the template's text, of its '<'
  friend bool operator==(const Placeholder&, const Placeholder&) = default;
};

// What a template must know about a field to write it and to read it back.
struct FieldForm {
  AttributeType type;
  bool raw = false;
};
using FieldForms = std::function<FieldForm(std::string_view field)>;

// Invariants: never empty; no two literals and no two placeholders stand side by side.
class Template {
 public:
  using Part = std::variant<std::string, Placeholder>;

  static std::expected<Template, TextProblem> parse(std::string_view text);

  const std::string& text() const { return text_; }
  const std::vector<Part>& parts() const { return parts_; }
  std::vector<std::string> fields() const;  // of its placeholders, in order, each once
  bool is_literal() const;
  // The text before the first placeholder.
  std::string_view prefix() const;

  // The key, as a value of `type` (String, or Number when the template is one placeholder). Nothing when a placeholder has
  // no value in `fields`. Fails when a value cannot stand there: it holds '#', is empty, does not fit its format.
  Result<std::optional<Value>> render(const Item& fields, const FieldForms& forms, Type type) const;
  // The fields of a key that render() made; nothing when `key` is none of this template's.
  std::optional<Item> read(const Value& key, const FieldForms& forms) const;

  // The only placeholder of a template for keys that are no text, which hold the value itself; null when it cannot be one.
  const Placeholder* whole() const;

  // Whether some text fits both.
  bool overlaps(const Template& other, const FieldForms& forms, const FieldForms& other_forms) const;

  friend bool operator==(const Template& a, const Template& b) { return a.text_ == b.text_; }

 private:
  std::string text_;
  std::vector<Part> parts_;
};

// Whether `text` may stand for the placeholder before the literal `behind`: what is read ends where `behind` is found first, so
// it may not be found earlier.
Result<void> check_place(const Placeholder& placeholder, bool raw, std::string_view text,
                         std::string_view behind);

// A condition on a range key: "begins_with PRODUCT#", "from SALE#<start> through SALE#<end>".
struct RangeCondition {
  enum class Operator : std::uint8_t {
    Equal,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    BeginsWith,
    Between,
    Through
  };
  Operator op = Operator::Equal;
  Template first;
  std::optional<Template> second;  // of Between and Through
  std::string text;

  static std::expected<RangeCondition, TextProblem> parse(std::string_view text);
};

}  // namespace tavola::design
