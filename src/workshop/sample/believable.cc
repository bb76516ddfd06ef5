#include "workshop/sample/believable.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <set>

#include "design/model/field_value.h"
#include "design/model/timestamps.h"
#include "workshop/sample/matching_text.h"
#include "workshop/texts/words.h"

namespace tavola::workshop {
namespace {

using design::Attribute;
using design::AttributeType;
using Kind = AttributeType::Kind;
using std::chrono::milliseconds;

std::string lower(std::string_view text) {
  std::string small(text);
  std::ranges::transform(small, small.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return small;
}

std::string upper(std::string_view text) {
  std::string large(text);
  std::ranges::transform(large, large.begin(),
                         [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return large;
}

// The parts of a braced list are evaluated from left to right, those of a sum in any order: so equal dice give equal
// texts with every compiler.
std::string glued(std::initializer_list<std::string> parts) {
  std::string text;
  for (const std::string& part : parts) text += part;
  return text;
}

std::string sixteen_digits(std::uint64_t number) {
  std::string text(16, '0');
  for (std::size_t i = text.size(); i-- > 0; number >>= 4U) text[i] = "0123456789abcdef"[number & 0xFU];
  return text;
}

bool is_any_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::ranges::find(words, word) != words.end();
}

// Returns the singular of a plural: tags are made like a tag.
std::string singular(std::string word) {
  if (word.size() > 3 && word.ends_with('s') && !word.ends_with("ss")) word.pop_back();
  return word;
}

Number decimal(std::int64_t units, int exponent) {
  return Number::from_parts(units < 0, static_cast<Number::Digits>(units < 0 ? -units : units), exponent);
}

// The usual size of a number of that name, in units of 10^exponent.
struct Magnitude {
  std::int64_t low = 0;
  std::int64_t high = 500;
  int exponent = 0;
};

Magnitude usual_magnitude(const std::vector<std::string>& words, bool whole) {
  const auto has = [&](std::initializer_list<std::string_view> any) {
    return std::ranges::any_of(words,
                               [&](const std::string& word) { return is_any_of(singular(word), any); });
  };
  if (has({"price", "amount", "cost", "fee", "revenue", "balance"})) {
    return whole ? Magnitude{1, 500} : Magnitude{199, 49999, -2};
  }
  if (has({"avg", "average", "mean", "rate", "score"}))
    return whole ? Magnitude{1, 10} : Magnitude{100, 999, -2};
  if (has({"star", "rating"})) return {1, 5};
  if (has({"threshold", "minimum"})) return {5, 30};
  if (has({"quantity"})) return {1, 12};
  if (has({"year"})) return {1950, 2024};
  if (has({"age"})) return {18, 80};
  if (has({"percent", "percentage"})) return {0, 100};
  if (has({"size", "byte", "length"})) return {1'000, 5'000'000};
  if (has({"unique"})) return {40, 400};
  if (has({"total"})) return {400, 4'000};
  if (has({"latitude", "lat"})) return {36'0000, 60'0000, -4};
  if (has({"longitude", "lon", "lng"})) return {-9'0000, 24'0000, -4};
  return whole ? Magnitude{0, 250} : Magnitude{0, 50'000, -2};
}

// Returns the magnitude of an example of the design, with as many decimals.
Magnitude around(const Number& example) {
  constexpr int kDecimalsMax = 30;  // smaller or larger numbers say nothing about others
  constexpr std::int64_t kUnitsMax = 1'000'000'000'000'000'000;
  const int exponent = std::min(example.exponent(), 0);
  const Number units = Number::from_parts(false, example.digits(), example.exponent() - exponent);
  const std::optional<std::int64_t> middle = units.to_int64();
  if (!middle || *middle > kUnitsMax || exponent < -kDecimalsMax) return {50, 150};
  return {*middle / 2, *middle + *middle / 2, exponent};
}

Number clamped(const Attribute& field, Number number) {
  if (field.max && number > *field.max) number = *field.max;
  if (field.min && number < *field.min) number = *field.min;
  return number;
}

}  // namespace

Believable::Believable(Dice& dice, std::size_t people) : dice_(dice) {
  std::set<std::string> seen;
  for (std::size_t i = 0; i < people; ++i) {
    std::string id = lower(glued({word(first_names()), ".", word(last_names())}));
    if (!seen.insert(id).second) id += std::to_string(i);
    people_.push_back(std::move(id));
  }
}

const std::string& Believable::person() { return dice_.one_of(std::span<const std::string>(people_)); }

Value Believable::value(const Attribute& field, const Scene& scene) {
  const Kind kind = field.type.kind;
  if (kind == Kind::List || kind == Kind::Set || kind == Kind::Map) return collection(field, scene);
  return scalar(field, field.type, scene);
}

// One case per type of the language.
Value Believable::scalar(const Attribute& field, const AttributeType& type, const Scene& scene) {
  switch (type.kind) {
    case Kind::Number:
    case Kind::Integer:
      return number(field, scene);
    case Kind::Boolean:
      return dice_.chance(50);
    case Kind::Binary:
      return Binary{hexadecimal(16)};
    case Kind::Uuid:
      return make_uuid(dice_);
    case Kind::Ulid:
      return make_ulid(scene.begin, dice_);
    case Kind::Url:
      return url(field, scene);
    case Kind::Email:
      return glued({person(), "@", domain()});
    case Kind::Phone:
      return "+49" + number_text(1'510'000'000, 1'799'999'999);
    case Kind::Date:
      return design::iso8601(scene.begin).substr(0, 10);
    case Kind::TimestampIso:
    case Kind::TimestampMs:
    case Kind::TimestampS:
      return design::write_moment(
          type, scene.begin + milliseconds(dice_.between(
                                  0, std::max<std::int64_t>(0, (scene.now - scene.begin).count()))));
    case Kind::Sha256:
      return hexadecimal(64);
    case Kind::Md5:
      return hexadecimal(32);
    case Kind::Map: {
      Map map;
      for (const Attribute& part : field.of) map.emplace(part.name, value(part, scene));
      return map;
    }
    default:
      return text(field, scene);
  }
}

Value Believable::collection(const Attribute& field, const Scene& scene) {
  const AttributeType& type = field.type;
  if (type.kind == Kind::Map) return scalar(field, type, scene);
  Attribute element = field;
  element.type = type.element.empty() ? AttributeType{} : type.element.front();
  const auto wanted = std::min<std::uint64_t>(1 + dice_.below(4), field.max_items.value_or(4));
  List list;
  for (std::uint64_t tries = 0; list.size() < wanted && tries < 20; ++tries) {
    Value made = value(element, scene);
    if (std::ranges::find(list, made) == list.end()) list.push_back(std::move(made));
  }
  if (type.kind == Kind::List) return list;
  Result<Value> set = design::from_plain(field, list);
  return set ? *std::move(set) : Value(std::move(list));
}

Value Believable::number(const Attribute& field, const Scene& scene) {
  const bool whole = field.type.kind == Kind::Integer ||
                     (!field.type.element.empty() && field.type.element.front().kind == Kind::Integer);
  Magnitude size = usual_magnitude(words_of(field.name), whole);
  if (field.example && field.example->is_number()) size = around(field.example->number());
  if (whole && size.exponent < 0) size = {1, 100};
  const auto least = field.min ? field.min->to_int64() : std::nullopt;
  const auto most = field.max ? field.max->to_int64() : std::nullopt;
  if (least && most && *most - *least <= size.high - size.low) size = {*least, *most};
  Number made = decimal(dice_.between(size.low, size.high), size.exponent);
  // Amounts that go out are negative.
  const std::vector<std::string> words = words_of(field.name);
  const bool is_change = std::ranges::find(words, "change") != words.end();
  if (is_change && made.is_zero()) made = 1;
  if (is_change &&
      std::ranges::any_of(*scene.fields, [](const auto& other) { return other.second == Value("OUT"); })) {
    made = -made;
  }
  return clamped(field, made);
}

std::string Believable::text(const Attribute& field, const Scene& scene) {
  if (!field.values.empty()) return dice_.one_of(std::span<const std::string>(field.values));
  if (!field.permits.empty()) return dice_.one_of(std::span<const std::string>(field.permits));
  if (!field.suggest.empty()) return dice_.one_of(std::span<const std::string>(field.suggest));
  std::string made = named(field, scene);
  while (field.min_length && made.size() < *field.min_length) made += " " + word(plain_words());
  if (field.max_length && made.size() > *field.max_length) made.resize(*field.max_length);
  if (!field.pattern.empty() && design::why_not(field, made)) {
    if (auto matching = matching_text(field.pattern.text(), dice_)) made = *std::move(matching);
  }
  if (!field.raw) std::ranges::replace(made, '#', '-');
  return made;
}

std::string Believable::named(const Attribute& field, const Scene& scene) {
  std::vector<std::string> words = words_of(field.name);
  if (words.empty()) words.emplace_back("text");
  const std::string last = singular(words.back());
  const std::string_view before =
      words.size() > 1 ? std::string_view(words[words.size() - 2]) : std::string_view();
  const auto is = [&](std::initializer_list<std::string_view> any) { return is_any_of(last, any); };

  if (is({"by", "user", "sub", "username", "author", "owner"}) ||
      (last == "id" && is_any_of(before, {"user", "owner"}))) {
    return person();
  }
  if (is({"name"})) return name_of(before.empty() ? scene.entity : before, scene);
  if (is({"cc", "country"}) || field.type.text == design::AttributeType::Text::Country)
    return word(countries());
  if (is({"domain", "host", "hostname"}) || field.type.text == design::AttributeType::Text::Domain)
    return domain();
  if (is({"email", "mail"})) return glued({person(), "@", domain()});
  if (is({"url", "link", "href"})) return url(field, scene);
  if (is({"city", "town"})) return word(cities());
  if (is({"address", "street"})) {
    return glued({number_text(1, 120), " ", word(streets()), ", ", word(cities())});
  }
  if (is({"sku", "code"})) {
    return glued({upper(word(products()).substr(0, 3)), "-", number_text(1000, 9999)});
  }
  if (is({"category"})) return word(categories());
  if (is({"location", "shelf"})) {
    return glued({"Shelf ", std::string(1, static_cast<char>('A' + dice_.below(6))), number_text(1, 20)});
  }
  if (is({"tag", "topic", "keyword", "standard"})) return word(topics());
  if (is({"permission", "scope"})) return word(permissions());
  if (is({"bucket"})) return "uploads-" + lower(word(cities()));
  if (is({"key", "path"}))
    return glued({"uploads/", person(), "/", word(file_names()), "-", hexadecimal(4), ".txt"});
  if (is({"title", "headline"})) return glued({name_of("topic", scene), " for ", word(groups())});
  if (is({"error"}) || is_any_of(before, {"error"})) return word(troubles());
  if (is({"description", "content", "summary", "about"}))
    return glued({word(remarks()), " ", word(remarks())});
  if (is({"note", "body", "comment", "message", "reason", "text", "remark"})) return word(remarks());
  if (is({"word", "slug", "label"})) return word(plain_words());
  if (is({"id"}) || is_any_of(last, {"uuid", "ref"})) return hexadecimal(10);
  return word(plain_words());
}

std::string Believable::name_of(std::string_view what, const Scene& scene) {
  const std::vector<std::string> words = words_of(what);
  const std::string kind = words.empty() ? "" : singular(words.back());
  const auto is = [&](std::initializer_list<std::string_view> any) { return is_any_of(kind, any); };
  if (is({"user", "customer", "member", "author", "owner", "person", "contact", "employee", "full"})) {
    return glued({word(first_names()), " ", word(last_names())});
  }
  if (is({"first"})) return word(first_names());
  if (is({"last", "sur", "family"})) return word(last_names());
  if (is({"shop", "store", "company", "supplier", "vendor"})) {
    return glued({word(last_names()), " ", word(shop_kinds())});
  }
  if (is({"group", "team", "role"})) {
    return scene.serial < groups().size() ? std::string(groups()[scene.serial])
                                          : glued({word(groups()), "-", std::to_string(scene.serial)});
  }
  if (is({"file"})) return glued({word(file_names()), "-", number_text(1, 99), ".txt"});
  if (is({"topic", "site", "page", "article"})) {
    std::string topic = word(topics());
    topic.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(topic.front())));
    return topic;
  }
  return glued({word(materials()), " ", word(products())});
}

std::string Believable::url(const Attribute& field, const Scene& scene) {
  const auto at = scene.fields->find("domain");
  const std::string host =
      at != scene.fields->end() && at->second.is_string() ? at->second.string() : domain();
  const std::vector<std::string> words = words_of(field.name);
  if (std::ranges::find(words, "image") != words.end() || std::ranges::find(words, "photo") != words.end()) {
    return "https://" + host + "/images/" + hexadecimal(8) + ".jpg";
  }
  return glued({"https://", host, "/", lower(word(categories())), "/", lower(word(products())), "-",
                number_text(1, 9999)});
}

// Under .example, which nobody owns (RFC 2606).
std::string Believable::domain() {
  const std::string name = glued({word(materials()), "-", word(products()), "-", word(shop_kinds())});
  return lower(glued({word(subdomains()), name, ".example"}));
}

std::string Believable::hexadecimal(std::size_t digits) {
  std::string text;
  while (text.size() < digits) text += sixteen_digits(dice_.next());
  text.resize(digits);
  return text;
}

}  // namespace tavola::workshop
