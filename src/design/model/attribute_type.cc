#include "design/model/attribute_type.h"

#include <algorithm>
#include <array>
#include <utility>

namespace tavola::design {
namespace {

using Kind = AttributeType::Kind;

// The types without elements, as messages list them.
constexpr std::array<std::pair<std::string_view, Kind>, 18> kPlainTypes{{
    {"string", Kind::String},
    {"number", Kind::Number},
    {"integer", Kind::Integer},
    {"boolean", Kind::Boolean},
    {"binary", Kind::Binary},
    {"uuid", Kind::Uuid},
    {"ulid", Kind::Ulid},
    {"url", Kind::Url},
    {"email", Kind::Email},
    {"phone", Kind::Phone},
    {"date", Kind::Date},
    {"timestamp", Kind::TimestampIso},
    {"timestamp(epoch_ms)", Kind::TimestampMs},
    {"timestamp(epoch_s)", Kind::TimestampS},
    {"hash(sha256)", Kind::Sha256},
    {"hash(md5)", Kind::Md5},
    {"enum", Kind::Enum},
    {"map", Kind::Map},
}};

// Texts with a fraction of a second: 2024-01-31T12:00:00.000Z, as JavaScript's toISOString() writes it, or with six digits.
constexpr std::string_view kTimestampMs = "timestamp(ms)";
constexpr std::string_view kTimestampUs = "timestamp(us)";

// Texts with a form of their own (text_forms.h).
constexpr std::string_view kDomain = "domain";
constexpr std::string_view kCountry = "country";

// Limits the recursion, because anybody may write the text of a type.
constexpr int kTypeNestingMax = 8;

bool can_be_in_set(const AttributeType& type) {
  const auto stored = stored_type(type);
  return stored == Type::String || stored == Type::Number || stored == Type::Binary;
}

// Returns the T of "list<T>"; nullopt if the text does not have that form.
std::optional<std::string_view> inside(std::string_view text, std::string_view opening) {
  if (!text.starts_with(opening) || !text.ends_with('>')) return std::nullopt;
  return text.substr(opening.size(), text.size() - opening.size() - 1);
}

// Returns the N of "number(N)", the digits after the point; nullopt if the text does not have that form.
std::optional<std::uint8_t> decimal_digits(std::string_view text) {
  constexpr std::string_view kOpening = "number(";
  const bool has_form =
      text.size() == kOpening.size() + 2 && text.starts_with(kOpening) && text.ends_with(')');
  const char digit = has_form ? text[kOpening.size()] : '0';
  return digit >= '1' && digit <= '9' ? std::optional(static_cast<std::uint8_t>(digit - '0')) : std::nullopt;
}

std::optional<AttributeType> parse_nested(std::string_view text, int levels) {
  if (levels == 0) return std::nullopt;
  if (text == "any") return AttributeType{Kind::Any, {}};
  if (text == "timestamp(iso8601)") return AttributeType{Kind::TimestampIso, {}};
  if (text == kTimestampMs) return AttributeType{Kind::TimestampIso, {}, 3};
  if (text == kTimestampUs) return AttributeType{Kind::TimestampIso, {}, 6};
  if (text == kDomain) return AttributeType{Kind::String, {}, 0, AttributeType::Text::Domain};
  if (text == kCountry) return AttributeType{Kind::String, {}, 0, AttributeType::Text::Country};
  if (const auto digits = decimal_digits(text)) return AttributeType{Kind::Number, {}, *digits};
  const auto* const plain = std::ranges::find(kPlainTypes, text, &std::pair<std::string_view, Kind>::first);
  if (plain != kPlainTypes.end()) return AttributeType{plain->second, {}};
  if (const auto of_list = inside(text, "list<")) {
    auto element = parse_nested(*of_list, levels - 1);
    if (element) return AttributeType{Kind::List, {*std::move(element)}};
  }
  if (const auto of_set = inside(text, "set<")) {
    auto element = parse_nested(*of_set, levels - 1);
    if (element && can_be_in_set(*element)) return AttributeType{Kind::Set, {*std::move(element)}};
  }
  return std::nullopt;
}

}  // namespace

std::optional<AttributeType> parse_type(std::string_view text) { return parse_nested(text, kTypeNestingMax); }

std::string type_text(const AttributeType& type) {
  if (type.text == AttributeType::Text::Domain) return std::string(kDomain);
  if (type.text == AttributeType::Text::Country) return std::string(kCountry);
  switch (type.kind) {
    case Kind::List:
      return "list<" + type_text(type.element.front()) + ">";
    case Kind::Set:
      return "set<" + type_text(type.element.front()) + ">";
    case Kind::Any:
      return "any";
    case Kind::Number:
      return type.digits == 0 ? "number" : "number(" + std::to_string(type.digits) + ")";
    case Kind::TimestampIso:
      return std::string(type.digits == 0 ? "timestamp" : type.digits == 3 ? kTimestampMs : kTimestampUs);
    default:
      return std::string(
          std::ranges::find(kPlainTypes, type.kind, &std::pair<std::string_view, Kind>::second)->first);
  }
}

const std::vector<std::string>& type_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all{"timestamp(iso8601)",
                                 std::string(kTimestampMs),
                                 std::string(kTimestampUs),
                                 "number(2)",
                                 std::string(kDomain),
                                 std::string(kCountry),
                                 "list<string>",
                                 "set<string>",
                                 "any"};
    all.reserve(all.size() + std::size(kPlainTypes));
    for (const auto& [name, kind] : kPlainTypes) all.emplace_back(name);
    return all;
  }();
  return names;
}

std::optional<Type> stored_type(const AttributeType& type) {
  switch (type.kind) {
    case Kind::Number:
    case Kind::Integer:
    case Kind::TimestampMs:
    case Kind::TimestampS:
      return Type::Number;
    case Kind::Boolean:
      return Type::Bool;
    case Kind::Binary:
      return Type::Binary;
    case Kind::List:
      return Type::List;
    case Kind::Set: {
      const auto element = stored_type(type.element.front());
      return element == Type::Number   ? Type::NumberSet
             : element == Type::Binary ? Type::BinarySet
                                       : Type::StringSet;
    }
    case Kind::Map:
      return Type::Map;
    case Kind::Any:
      return std::nullopt;
    default:
      return Type::String;
  }
}

}  // namespace tavola::design
