// Templates of keys: SHOP#<shopId>#CATEGORY#<category>. A template renders a key from fields and reads the fields
// back from a key.
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

// A mistake in a text of a design, at its bytes [offset, offset + length).
struct TextProblem {
  std::size_t offset = 0;
  std::size_t length = 0;
  std::string message;
  std::string advice;
};

struct Placeholder {
  enum class Format : std::uint8_t { Plain, Padded, Number, Iso, Milliseconds, Descending, Date };
  std::string field;
  Format format = Format::Plain;
  unsigned width = 0;      // of a Padded one
  std::size_t offset = 0;  // position of its '<' in the template's text
  friend bool operator==(const Placeholder&, const Placeholder&) = default;
};

// The properties of a field that a template needs to write it and to read it back.
struct FieldForm {
  AttributeType type;
  bool raw = false;
};
using FieldForms = std::function<FieldForm(std::string_view field)>;

// Invariants: (1) The template is never empty. (2) No two literals and no two placeholders are adjacent.
class Template {
 public:
  using Part = std::variant<std::string, Placeholder>;

  static std::expected<Template, TextProblem> parse(std::string_view text);

  const std::string& text() const { return text_; }
  const std::vector<Part>& parts() const { return parts_; }
  std::vector<std::string> fields() const;  // the fields of its placeholders, in order, each once
  bool is_literal() const;
  // Returns the text before the first placeholder.
  std::string_view prefix() const;

  // Returns the key, as a value of `type` (String, or Number if the template is one placeholder). Returns nullopt if a
  // placeholder has no value in `fields`. Fails if a value cannot stand in the key: it holds '#', is empty, or does not
  // fit its format.
  Result<std::optional<Value>> render(const Item& fields, const FieldForms& forms, Type type) const;
  // Returns the fields of a key that render() made; nullopt if `key` does not match this template.
  std::optional<Item> read(const Value& key, const FieldForms& forms) const;

  // Returns the only placeholder of a template for keys that are not text and hold the value itself; null if the
  // template cannot be one.
  const Placeholder* whole() const;

  // Returns whether some text matches both.
  bool overlaps(const Template& other, const FieldForms& forms, const FieldForms& other_forms) const;

  friend bool operator==(const Template& a, const Template& b) { return a.text_ == b.text_; }

 private:
  std::string text_;
  std::vector<Part> parts_;
};

// Checks that `text` may stand for the placeholder before the literal `behind`. Reading ends at the first `behind`, so
// `text` may not contain it.
Result<void> check_place(const Placeholder& placeholder, bool raw, std::string_view text,
                         std::string_view behind);

// A condition on a sort key: "begins_with PRODUCT#", "from SALE#<start> through SALE#<end>".
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
