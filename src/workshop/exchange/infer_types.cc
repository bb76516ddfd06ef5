#include "workshop/exchange/infer_types.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <functional>
#include <map>
#include <set>

#include "design/model/timestamps.h"
#include "workshop/texts/words.h"

namespace tavola::workshop {
namespace {

using Values = std::vector<const Value*>;
using yaml::Node;

bool consists_of(std::string_view text, int (*is)(int)) {
  return !text.empty() &&
         std::ranges::all_of(text, [&](char c) { return is(static_cast<unsigned char>(c)) != 0; });
}

bool is_uuid(std::string_view text) {
  if (text.size() != 36) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_dash = i == 8 || i == 13 || i == 18 || i == 23;
    if (is_dash ? text[i] != '-' : std::isxdigit(static_cast<unsigned char>(text[i])) == 0) return false;
  }
  return true;
}

bool is_ulid(std::string_view text) {
  constexpr std::string_view kCrockford = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
  return text.size() == 26 && text.front() <= '7' &&
         text.find_first_not_of(kCrockford) == std::string_view::npos;
}

bool is_url(std::string_view text) {
  return (text.starts_with("https://") || text.starts_with("http://")) && !text.contains(' ');
}

bool is_email(std::string_view text) {
  const std::size_t at = text.find('@');
  return at != std::string_view::npos && at > 0 && text.find('@', at + 1) == std::string_view::npos &&
         text.find('.', at) != std::string_view::npos && !text.contains(' ');
}

bool is_phone(std::string_view text) {
  return text.size() >= 8 && text.size() <= 16 && text.front() == '+' &&
         consists_of(text.substr(1), std::isdigit);
}

bool is_hex(std::string_view text, std::size_t size) {
  return text.size() == size && consists_of(text, std::isxdigit);
}

struct TextType {
  std::string_view name;
  bool (*is)(std::string_view text);
};
constexpr std::array kTextTypes{
    TextType{"uuid", is_uuid},
    TextType{"ulid", is_ulid},
    TextType{"timestamp", [](std::string_view text) { return design::parse_iso8601(text).has_value(); }},
    TextType{"date", [](std::string_view text) { return parse_date(text).has_value(); }},
    TextType{"url", is_url},
    TextType{"email", is_email},
    TextType{"phone", is_phone},
    TextType{"hash(sha256)", [](std::string_view text) { return is_hex(text, 64); }},
    TextType{"hash(md5)", [](std::string_view text) { return is_hex(text, 32); }},
};

// Few distinct words over many items count as the complete list of values.
bool is_enum(const Values& values, const std::set<std::string>& distinct) {
  constexpr std::size_t kValuesMax = 8;
  constexpr std::size_t kTimesMin = 5;
  return distinct.size() > 1 && distinct.size() <= kValuesMax &&
         values.size() >= distinct.size() * kTimesMin &&
         std::ranges::all_of(distinct, [](std::string_view text) {
           return !text.empty() && std::ranges::all_of(text, [](unsigned char c) {
             return std::isupper(c) != 0 || std::isdigit(c) != 0 || c == '_' || c == '-';
           });
         });
}

void say_text(DraftField& field, const Values& values) {
  for (const TextType& type : kTextTypes) {
    if (std::ranges::all_of(values, [&](const Value* value) { return type.is(value->string()); })) {
      return put_text(field.said, "type", type.name);
    }
  }
  std::set<std::string> distinct;
  for (const Value* value : values) distinct.insert(value->string());
  put_text(field.said, "type", is_enum(values, distinct) ? "enum" : "string");
  if (is_enum(values, distinct)) put(field.said, "values", texts_node({distinct.begin(), distinct.end()}));
}

bool is_named_like_a_time(std::string_view name) {
  constexpr std::array<std::string_view, 10> kTimes{"at",      "time",    "timestamp", "date", "ttl",
                                                    "created", "updated", "expires",   "on",   "since"};
  return std::ranges::any_of(words_of(name), [&](const std::string& word) {
    return std::ranges::find(kTimes, word) != kTimes.end();
  });
}

std::string_view number_type(std::string_view name, const Values& values) {
  const auto all_between = [&](std::int64_t low, std::int64_t high) {
    return std::ranges::all_of(values, [&](const Value* value) {
      const auto number = value->number().to_int64();
      return number && *number >= low && *number < high;
    });
  };
  // Accepts the years 2001 to 2096.
  if (is_named_like_a_time(name) && all_between(1'000'000'000'000, 4'000'000'000'000))
    return "timestamp(epoch_ms)";
  if (is_named_like_a_time(name) && all_between(1'000'000'000, 4'000'000'000)) return "timestamp(epoch_s)";
  const bool whole =
      std::ranges::all_of(values, [](const Value* value) { return value->number().is_integer(); });
  return whole ? "integer" : "number";
}

void say_map(DraftField& field, const Values& maps) {
  std::map<std::string, Values> parts;
  for (const Value* map : maps) {
    for (const auto& [name, value] : map->map()) parts[name].push_back(&value);
  }
  if (parts.empty()) return;
  Node of = map_node(yaml::Style::Flow);
  for (const auto& [name, values] : parts) put(of, name, infer_field(name, values).said);
  put(field.said, "of", std::move(of));
}

void say_list(DraftField& field, const Values& lists) {
  Values elements;
  for (const Value* list : lists) {
    for (const Value& element : list->list()) elements.push_back(&element);
  }
  if (elements.empty()) return put_text(field.said, "type", "list<any>");
  const DraftField element = infer_field(field.name, elements);
  std::string type = element.said.find("type")->text;
  if (type == "enum") type = "string";
  if (type.starts_with("list<") || type.starts_with("set<")) type = "any";
  put_text(field.said, "type", "list<" + type + ">");
  if (const Node* of = element.said.find("of")) put(field.said, "of", *of);
}

}  // namespace

DraftField infer_field(std::string_view name, const Values& values) {
  DraftField field{.name = std::string(name)};
  const Type type = values.front()->type();
  if (!std::ranges::all_of(values, [&](const Value* value) { return value->type() == type; })) {
    put_text(field.said, "type", "any");
    return field;
  }
  switch (type) {
    case Type::Null:
      put_text(field.said, "type", "any");
      break;
    case Type::Bool:
      put_text(field.said, "type", "boolean");
      break;
    case Type::Number:
      put_text(field.said, "type", number_type(name, values));
      break;
    case Type::String:
      say_text(field, values);
      break;
    case Type::Binary:
      put_text(field.said, "type", "binary");
      break;
    case Type::List:
      say_list(field, values);
      break;
    case Type::StringSet:
      put_text(field.said, "type", "set<string>");
      break;
    case Type::NumberSet:
      put_text(field.said, "type", "set<number>");
      break;
    case Type::BinarySet:
      put_text(field.said, "type", "set<binary>");
      break;
    case Type::Map:
      put_text(field.said, "type", "map");
      say_map(field, values);
      break;
  }
  return field;
}

}  // namespace tavola::workshop
