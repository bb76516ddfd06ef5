// Checks a value against a field: its type first, then its bounds, part by part.
#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>

#include "base/ascii.h"
#include "base/encoding.h"
#include "base/joined.h"
#include "design/model/field_value.h"
#include "design/model/nearest.h"
#include "design/model/plain_json.h"
#include "design/model/secrets.h"
#include "design/model/text_forms.h"

namespace tavola::design {
namespace {

using Kind = AttributeType::Kind;

struct Complaint {
  std::string path;  // path of the wrong part of the value: ".totalWords", "[2].word"
  std::string text;
  std::string was{};     // the value, if the message shows it
  std::string advice{};  // "did you mean updateSite?"
};
using Verdict = std::optional<Complaint>;

std::string shown(const Value& value) {
  constexpr std::size_t kLengthMax = 60;
  std::string text = to_plain_json(value);
  if (text.size() <= kLengthMax) return text;
  std::size_t end = kLengthMax;
  while ((static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;  // not inside of a character
  return text.substr(0, end) + "…";
}

Complaint must(const std::string& what, const Value& value) { return {"", "must " + what, shown(value)}; }

// ---- Types

bool has_blank(std::string_view text) {
  return std::ranges::any_of(text,
                             [](char c) { return static_cast<unsigned char>(c) <= ' ' || c == '\x7F'; });
}

// Scheme and host distinguish a URL from a path or a word.
bool is_url(std::string_view text) {
  const std::size_t colon = text.find("://");
  if (colon == 0 || colon == std::string_view::npos || has_blank(text)) return false;
  const auto is_scheme = [](char c) {
    return is_digit(c) || is_letter(c) || c == '+' || c == '-' || c == '.';
  };
  const std::string_view behind = text.substr(colon + 3);
  return !is_digit(text.front()) && std::ranges::all_of(text.substr(0, colon), is_scheme) &&
         behind.find_first_of("/?#") != 0 && !behind.empty();
}

bool is_email(std::string_view text) {
  const std::size_t at = text.find('@');
  return at != 0 && at != std::string_view::npos && at == text.rfind('@') && at + 1 < text.size() &&
         !has_blank(text);
}

// E.164: a plus and at most 15 digits.
bool is_phone(std::string_view text) {
  return text.size() >= 2 && text.size() <= 16 && text.front() == '+' &&
         std::ranges::all_of(text.substr(1), is_digit);
}

bool is_hex(std::string_view text, std::size_t digits) {
  return text.size() == digits && from_hex(text).has_value();
}

// Ids may come from elsewhere and follow other rules (`s1`, an id of a login service), so a uuid or ulid is only
// checked for what every id has; generated ones are real.
bool is_id(std::string_view text) { return !text.empty() && !has_blank(text); }

bool is_text_of(const AttributeType& type, std::string_view text) {
  switch (type.kind) {
    case Kind::Uuid:
    case Kind::Ulid:
      return is_id(text);
    case Kind::Url:
      return is_url(text);
    case Kind::Email:
      return is_email(text);
    case Kind::Phone:
      return is_phone(text);
    case Kind::Date:
      return parse_date(text).has_value();
    case Kind::TimestampIso:
      return type.digits == 0 ? parse_iso8601(text).has_value() : normal_iso8601(text, type.digits) == text;
    case Kind::Sha256:
      return is_hex(text, 64);
    case Kind::Md5:
      return is_hex(text, 32);
    default:
      return true;
  }
}

std::string described(const AttributeType& type) {
  switch (type.kind) {
    case Kind::Number:
      return "a number";
    case Kind::Integer:
      return "an integer";
    case Kind::Boolean:
      return "true or false";
    case Kind::Binary:
      return "bytes";
    case Kind::Uuid:
    case Kind::Ulid:
      return "an id without blanks";
    case Kind::Url:
      return "a URL like https://example.com/";
    case Kind::Email:
      return "an address like name@example.com";
    case Kind::Phone:
      return "a phone number like +1234567890";
    case Kind::Date:
      return "a date like 2024-01-31";
    case Kind::TimestampIso:
      return "a timestamp like " + normal_iso8601("2024-01-31T12:00:00Z", type.digits).value_or("");
    case Kind::TimestampMs:
      return "a timestamp in milliseconds since 1970";
    case Kind::TimestampS:
      return "a timestamp in seconds since 1970";
    case Kind::Sha256:
      return "64 hexadecimal digits";
    case Kind::Md5:
      return "32 hexadecimal digits";
    case Kind::List:
      return "a list";
    case Kind::Set:
      return "a set: a list that is not empty and has no duplicates";
    case Kind::Map:
      return "a map";
    default:
      return "a text";
  }
}

Verdict check_type(const AttributeType& type, const Value& value) {
  const auto stored = stored_type(type);
  if (!stored) return std::nullopt;
  bool suits = value.type() == *stored;
  if (suits && value.is_string()) suits = is_text_of(type, value.string());
  if (suits && value.is_number() && type.kind != Kind::Number) suits = value.number().is_integer();
  return suits ? std::nullopt : Verdict(must("be " + described(type), value));
}

// ---- Bounds

// Counts the characters of valid UTF-8, eight bytes at a time: all bytes but those that continue a character (10xxxxxx).
std::size_t characters(std::string_view text) {
  constexpr std::uint64_t kHighBits = 0x8080808080808080U;
  std::size_t continuing = 0;
  std::size_t at = 0;
  for (; at + sizeof(std::uint64_t) <= text.size(); at += sizeof(std::uint64_t)) {
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, text.data() + at, sizeof(bytes));
    continuing += static_cast<std::size_t>(std::popcount(bytes & ~(bytes << 1U) & kHighBits));
  }
  for (; at < text.size(); ++at)
    continuing += (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U ? 1 : 0;
  return text.size() - continuing;
}

Verdict check_range(const Attribute& field, const Value& value) {
  if (!value.is_number()) return std::nullopt;
  if (field.min && value.number() < *field.min) return must("be ≥ " + field.min->to_string(), value);
  if (field.max && value.number() > *field.max) return must("be ≤ " + field.max->to_string(), value);
  return std::nullopt;
}

std::string counted(std::uint64_t count, const std::string& noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

Verdict check_length(const Attribute& field, const Value& value) {
  const bool binary = value.type() == Type::Binary;
  if (!binary && !value.is_string()) return std::nullopt;
  const std::size_t length = binary ? value.binary().bytes.size() : characters(value.string());
  const std::string noun = binary ? "byte" : "character";
  const std::string has = " (has " + std::to_string(length) + ")";
  if (field.min_length && length < *field.min_length) {
    return Complaint{"", "must have at least " + counted(*field.min_length, noun) + has};
  }
  if (field.max_length && length > *field.max_length) {
    return Complaint{"", "must have at most " + counted(*field.max_length, noun) + has};
  }
  return std::nullopt;
}

Verdict check_values(const Attribute& field, const Value& value) {
  if (field.values.empty()) return std::nullopt;
  const std::string text = value.is_string() ? value.string() : to_plain_json(value);
  if (std::ranges::find(field.values, text) != field.values.end()) return std::nullopt;
  return must("be one of " + joined(field.values), value);
}

Verdict check_permits(const Attribute& field, const Value& value) {
  if (field.permits.empty() || !value.is_string()) return std::nullopt;
  if (std::ranges::find(field.permits, value.string()) != field.permits.end()) return std::nullopt;
  Complaint complaint =
      must("be a pattern or an operation of the design, or read: or write: with an entity", value);
  const std::string near = nearest(value.string(), field.permits);
  if (!near.empty()) complaint.advice = "; did you mean " + near + "?";
  return complaint;
}

Verdict check_pattern(const Attribute& field, const Value& value) {
  constexpr std::size_t kMatchedMax = 4096;
  if (field.pattern.empty() || !value.is_string()) return std::nullopt;
  if (value.string().size() > kMatchedMax) return must("have at most 4096 bytes, as it has a pattern", value);
  // Only a design that an earlier version stored can have such a pattern (load_stored).
  if (!field.pattern.is_readable()) {
    return Complaint{"", "cannot be checked, as its pattern " + field.pattern.text() +
                             " is no longer supported: give the table a design with another pattern"};
  }
  return field.pattern.matches(value.string()) ? std::nullopt
                                               : Verdict(must("match " + field.pattern.text(), value));
}

Verdict check_format(const Attribute& field, const Value& value) {
  if (!field.format || !value.is_string()) return std::nullopt;
  const auto forms = [&field](std::string_view) { return FieldForm{{Kind::String, {}}, field.raw}; };
  return field.format->read(value, forms) ? std::nullopt
                                          : Verdict(must("look like " + field.format->text(), value));
}

// Checks the text inside of the format, if there is one.
Verdict check_text_form(const Attribute& field, const Value& value) {
  using Text = AttributeType::Text;
  const Text form = field.type.element.empty() ? field.type.text : field.type.element.front().text;
  if (form == Text::Any || !value.is_string()) return std::nullopt;
  const auto forms = [&field](std::string_view) { return FieldForm{{Kind::String, {}}, field.raw}; };
  const auto read = field.format ? field.format->read(value, forms) : std::nullopt;
  const std::string& text = read && !read->empty() ? read->begin()->second.string() : value.string();
  if (form == Text::Country && normal_country(text) != text)
    return must("be a country of ISO 3166 like DE", value);
  if (form == Text::Domain && normal_domain(text) != text)
    return must("be the name of a host like www.example.com", value);
  return std::nullopt;
}

Verdict check_key_part(const Attribute& field, const Value& value) {
  if (!field.in_key || !value.is_string() || value.string().find('#') == std::string::npos)
    return std::nullopt;
  return Complaint{"", "may not contain '#', which separates the parts of a key", shown(value)};
}

Verdict check_bounds(const Attribute& field, const Value& value) {
  for (const auto check : {check_key_part, check_range, check_length, check_values, check_permits,
                           check_pattern, check_format, check_text_form}) {
    if (auto complaint = check(field, value)) return complaint;
  }
  return std::nullopt;
}

// Checks without a message, for texts and numbers with the usual bounds.
std::optional<bool> suits_plainly(const Attribute& field, ValueView value) {
  const auto stored = stored_type(field.type);
  if (!stored || !field.pattern.empty() || field.format || !field.permits.empty() ||
      field.type.text != AttributeType::Text::Any)
    return std::nullopt;
  if (value.type() != *stored) return false;
  if (*stored == Type::Number && field.values.empty()) {
    const Number number = value.number();
    return (field.type.kind == Kind::Number || number.is_integer()) && (!field.min || number >= *field.min) &&
           (!field.max || number <= *field.max);
  }
  if (*stored != Type::String) return std::nullopt;
  const std::string_view text = value.string();
  // A text has at most as many characters as bytes.
  const bool may_be_long = field.max_length && text.size() > *field.max_length;
  const std::size_t length = field.min_length || may_be_long ? characters(text) : 0;
  return is_text_of(field.type, text) && !(field.in_key && text.find('#') != std::string_view::npos) &&
         length >= field.min_length.value_or(0) && length <= field.max_length.value_or(length) &&
         (field.values.empty() || std::ranges::find(field.values, text) != field.values.end());
}

// ---- Values and their parts

Verdict check(const Attribute& field, const AttributeType& type, const Value& value);

Verdict within(const std::string& path, Verdict complaint) {
  if (complaint) complaint->path.insert(0, path);
  return complaint;
}

std::string names_of(const std::vector<Attribute>& members) {
  std::vector<std::string> names;
  names.reserve(members.size());
  for (const Attribute& member : members) names.push_back(member.name);
  return joined(names);
}

Verdict check_members(const Attribute& field, const Map& map) {
  for (const Attribute& member : field.of) {
    const auto found = map.find(member.name);
    if (found == map.end()) {
      if (member.required) return Complaint{"." + member.name, "is required"};
      continue;
    }
    if (auto complaint = check(member, member.type, found->second))
      return within("." + member.name, complaint);
  }
  if (field.of.empty()) return std::nullopt;
  for (const auto& [name, value] : map) {
    if (std::ranges::find(field.of, name, &Attribute::name) == field.of.end())
      return Complaint{"." + name, "is unknown: the fields are " + names_of(field.of)};
  }
  return std::nullopt;
}

Verdict check_elements(const Attribute& field, const AttributeType& element, const auto& elements) {
  if (field.max_items && elements.size() > *field.max_items) {
    return Complaint{"", "must have at most " + counted(*field.max_items, "element") + " (has " +
                             std::to_string(elements.size()) + ")"};
  }
  std::size_t i = 0;
  for (const auto& each : elements) {
    if (auto complaint = check(field, element, Value(each)))
      return within("[" + std::to_string(i) + "]", complaint);
    ++i;
  }
  return std::nullopt;
}

// For a list or set, max_items bounds the list, and all other bounds apply to its elements.
Verdict check_parts(const Attribute& field, const AttributeType& type, const Value& value) {
  if (auto complaint = check_type(type, value)) return complaint;
  if (type.kind == Kind::Map) return check_members(field, value.map());
  if (type.kind != Kind::List && type.kind != Kind::Set) return check_bounds(field, value);
  const AttributeType& element = type.element.front();
  switch (value.type()) {
    case Type::StringSet:
      return check_elements(field, element, value.string_set());
    case Type::NumberSet:
      return check_elements(field, element, value.number_set());
    case Type::BinarySet:
      return check_elements(field, element, value.binary_set());
    default:
      return check_elements(field, element, value.list());
  }
}

Verdict check(const Attribute& field, const AttributeType& type, const Value& value) {
  Verdict complaint = check_parts(field, type, value);
  // A complaint without a path is about the whole value, with its sensitive parts.
  if (complaint && (field.sensitive || (complaint->path.empty() && holds_secret(field))))
    complaint->was.clear();
  return complaint;
}

std::string text_of(const Complaint& complaint) {
  return complaint.text + (complaint.was.empty() ? "" : " (was " + complaint.was + ")") + complaint.advice;
}

}  // namespace

bool suits(const Attribute& field, ValueView value) {
  if (const std::optional<bool> plainly = suits_plainly(field, value)) return *plainly;
  return !check(field, field.type, value.unpack());
}

std::string was(const Attribute& field, const Value& value) {
  return holds_secret(field) ? "" : " (was " + to_plain_json(value) + ")";
}

std::optional<std::string> why_not(const Attribute& field, const Value& value) {
  const auto complaint = check(field, field.type, value);
  if (!complaint) return std::nullopt;
  if (complaint->path.empty()) return text_of(*complaint);
  return complaint->path.substr(complaint->path.starts_with('.') ? 1 : 0) + " " + text_of(*complaint);
}

std::optional<std::string> why_not_named(const Attribute& field, const Value& value) {
  const auto complaint = check(field, field.type, value);
  return complaint ? std::optional(field.name + complaint->path + " " + text_of(*complaint)) : std::nullopt;
}

}  // namespace tavola::design
