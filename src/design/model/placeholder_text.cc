#include "design/model/placeholder_text.h"

#include <algorithm>
#include <cstdint>
#include <memory>

#include "base/ascii.h"
#include "design/model/bad_parameter.h"
#include "design/model/timestamps.h"

namespace tavola::design {

bool is_digits(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

bool is_day(std::string_view text) {
  return text.size() == 10 && parse_iso8601(std::string(text) + "T00:00:00Z").has_value();
}

namespace {

using Kind = AttributeType::Kind;
using Format = Placeholder::Format;

// Descending: n is written as kDescendingMax - n. 15 digits hold milliseconds up to the year 33658.
constexpr std::int64_t kDescendingMax = 999'999'999'999'999;
constexpr std::size_t kDescendingWidth = 15;

std::string padded(std::string_view digits, std::size_t width) {
  return std::string(width - std::min(width, digits.size()), '0').append(digits);
}

std::optional<Number> number_in(std::string_view text) {
  auto number = Number::parse(text);
  return number ? std::optional(*number) : std::nullopt;
}

// ---- The integer behind a timestamp or a number, which the formats write

// Returns an integer with the order of the values: for iso timestamps the milliseconds; other timestamps are numbers
// already.
std::optional<std::int64_t> to_count(const AttributeType& type, const Value& value) {
  if (type.kind == Kind::TimestampIso) {
    const auto moment = read_moment(type, value);
    return moment ? std::optional<std::int64_t>(moment->time_since_epoch().count()) : std::nullopt;
  }
  return value.is_number() ? value.number().to_int64() : std::nullopt;
}

std::optional<Value> from_count(const AttributeType& type, std::int64_t count) {
  if (type.kind != Kind::TimestampIso) return count;
  return iso8601(WallTime(std::chrono::milliseconds(count)), type.digits);
}

// ---- Writing: returns nullopt if the value cannot be written so

std::optional<std::string> unpadded_text(const Value& value) {
  switch (value.type()) {
    case Type::String:
      return value.string();
    case Type::Number:
      return value.number().to_string();
    case Type::Bool:
      return value.boolean() ? "true" : "false";
    default:
      return std::nullopt;
  }
}

std::optional<std::string> write_padded(const Value& value, unsigned width) {
  if (!value.is_number() || value.number().is_negative() || !value.number().is_integer()) return std::nullopt;
  const std::string digits = value.number().to_string();
  return digits.size() <= width ? std::optional(padded(digits, width)) : std::nullopt;
}

std::optional<std::string> write_descending(const AttributeType& type, const Value& value) {
  const auto count = to_count(type, value);
  if (!count || *count < 0 || *count > kDescendingMax) return std::nullopt;
  return padded(std::to_string(kDescendingMax - *count), kDescendingWidth);
}

// Writes the value as the other timestamp type. A value of that type already stays as it is, even a part of one, as in
// the bounds of a query.
std::optional<std::string> write_timestamp(const AttributeType& type, const Value& value, Kind as) {
  if (type.kind == as) return unpadded_text(value);
  const auto moment = read_moment(type, value);
  return moment ? unpadded_text(write_moment({as, {}}, *moment)) : std::nullopt;
}

// Writes the day of a time in UTC. A day stays as it is, as in the parameters of a query.
std::optional<std::string> write_day(const AttributeType& type, const Value& value) {
  if (value.is_string() && is_day(value.string())) return value.string();
  const auto moment = type.is_timestamp() ? read_moment(type, value) : std::nullopt;
  if (!moment) return std::nullopt;
  std::string day = iso8601(*moment, 0).substr(0, 10);
  return is_day(day) ? std::optional(std::move(day)) : std::nullopt;
}

std::optional<std::string> write(const Placeholder& placeholder, const AttributeType& type,
                                 const Value& value) {
  switch (placeholder.format) {
    case Format::Plain:
      return unpadded_text(value);
    case Format::Number:
      return value.is_number() ? unpadded_text(value) : std::nullopt;
    case Format::Padded:
      return write_padded(value, placeholder.width);
    case Format::Iso:
      return write_timestamp(type, value, Kind::TimestampIso);
    case Format::Milliseconds:
      return write_timestamp(type, value, Kind::TimestampMs);
    case Format::Descending:
      return write_descending(type, value);
    case Format::Date:
      return write_day(type, value);
  }
  return std::nullopt;
}

// ---- Reading

std::optional<Value> read_plain(const AttributeType& type, std::string_view text) {
  const Type stored = stored_type(type).value_or(Type::String);
  if (stored == Type::String) return Value(text);
  if (stored == Type::Number) return number_in(text);
  if (stored == Type::Bool && (text == "true" || text == "false")) return Value(text == "true");
  return std::nullopt;
}

std::optional<Value> read_timestamp(const AttributeType& type, std::string_view text, Kind as) {
  auto value = read_plain({as, {}}, text);
  if (type.kind == as || !value) return value;
  const auto moment = read_moment({as, {}}, *value);
  return moment && type.is_timestamp() ? std::optional(write_moment(type, *moment)) : std::nullopt;
}

std::optional<Value> read_descending(const AttributeType& type, std::string_view text) {
  if (text.size() != kDescendingWidth || !is_digits(text)) return std::nullopt;
  const auto number = number_in(text);
  const auto count = number ? number->to_int64() : std::nullopt;
  return count ? from_count(type, kDescendingMax - *count) : std::nullopt;
}

std::optional<Value> read(const Placeholder& placeholder, const AttributeType& type, std::string_view text) {
  switch (placeholder.format) {
    case Format::Plain:
      return read_plain(type, text);
    case Format::Number:
      return number_in(text);
    case Format::Padded:
      return is_digits(text) ? number_in(text) : std::nullopt;
    case Format::Iso:
      return read_timestamp(type, text, Kind::TimestampIso);
    case Format::Milliseconds:
      return read_timestamp(type, text, Kind::TimestampMs);
    case Format::Descending:
      return read_descending(type, text);
    case Format::Date:  // the day alone does not give the value
      break;
  }
  return std::nullopt;
}

std::string wanted(const Placeholder& placeholder, const AttributeType& type) {
  switch (placeholder.format) {
    case Format::Padded:
      return "a whole number of at most " + std::to_string(placeholder.width) + " digits";
    case Format::Iso:
      return "a timestamp of whole seconds";
    case Format::Milliseconds:
      return "a timestamp";
    case Format::Descending:
      return "a timestamp, or a whole number from 0 to " + std::to_string(kDescendingMax);
    case Format::Number:
      return "a number";
    case Format::Date:
      return "a time or a day (2024-01-31)";
    case Format::Plain:
      break;
  }
  const Type stored = stored_type(type).value_or(Type::String);
  return stored == Type::Number ? "a number" : stored == Type::Bool ? "true or false" : "a text";
}

std::string quoted(const Value& value) {
  const auto text = unpadded_text(value);
  return !text ? to_json(value) : value.is_string() ? "\"" + *text + "\"" : *text;
}

}  // namespace

Error bad_part(const std::string& field, std::string message) {
  return {ErrorCode::Validation, std::move(message), std::make_shared<BadParameter>(field)};
}

Result<void> check_key_length(const Template& from, const Item& fields, const Value& key,
                              std::size_t bytes_max) {
  if (!key.is_string() || key.string().size() <= bytes_max) return {};
  std::string longest;
  std::size_t length = 0;
  for (const std::string& name : from.fields()) {
    const auto found = fields.find(name);
    const auto text = found == fields.end() ? std::nullopt : unpadded_text(found->second);
    if (text && text->size() >= length) {
      longest = name;
      length = text->size();
    }
  }
  if (longest.empty()) return fail(Error::validation("The key " + from.text() + " is too long"));
  return fail(bad_part(longest, longest + " is too long: its key would have " +
                                    std::to_string(key.string().size()) + " bytes, and " +
                                    std::to_string(bytes_max) + " is the maximum"));
}

Result<std::string> write_placeholder(const Placeholder& placeholder, const FieldForm& form,
                                      const Value& value) {
  auto text = write(placeholder, form.type, value);
  if (text && text->empty()) {
    return fail(
        bad_part(placeholder.field, placeholder.field + " is empty, and a key cannot hold an empty value"));
  }
  const bool is_read_back = placeholder.format != Format::Date;
  if (!text || (is_read_back && read(placeholder, form.type, *text) != value)) {
    return fail(bad_part(placeholder.field, placeholder.field + " must be " + wanted(placeholder, form.type) +
                                                " to stand in a key (was " + quoted(value) + ")"));
  }
  return *std::move(text);
}

std::optional<Value> read_placeholder(const Placeholder& placeholder, const FieldForm& form,
                                      std::string_view text) {
  auto value = read(placeholder, form.type, text);
  if (!value || write(placeholder, form.type, *value) != text) return std::nullopt;
  return value;
}

}  // namespace tavola::design
