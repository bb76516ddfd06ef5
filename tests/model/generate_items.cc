#include <algorithm>
#include <iterator>
#include <map>

#include "tests/model/generator.h"

namespace tavola::model {
namespace {

Number number(const char* text) { return *Number::parse(text); }

// Table keys use the extremes of the number range; attributes in sums do not.
const std::vector<Number>& key_numbers() {
  static const std::vector<Number> all_numbers = [] {
    std::vector<Number> numbers{
        number("0"),           number("-1"),      number("1"),
        number("1.5"),         number("-1.5"),    number("10"),
        number("9"),           number("0.001"),   number("-0.001"),
        number("123456789.5"), number("1E125"),   number("-9.9E125"),
        number("1E-130"),      number("-1E-130"), number("12345678901234567890123456789012345678")};
    for (int i = 2; i < 40; ++i) numbers.emplace_back(i * 7 % 41);
    return numbers;
  }();
  return all_numbers;
}

const std::vector<std::string>& key_texts() {
  static const std::vector<std::string> all_texts = [] {
    std::vector<std::string> texts{
        "a", "ab", "abc", "b", "B", "\x01", "\x7f", "z\xC3\xA9", "\xE2\x82\xAC", "\xF0\x9F\x8D\x95"};
    texts.emplace_back("a\0b", 3);
    texts.emplace_back("a\0", 2);
    for (int i = 0; i < 40; ++i) texts.push_back("k#" + std::to_string(i));
    return texts;
  }();
  return all_texts;
}

const std::vector<std::string>& key_bytes() {
  static const std::vector<std::string> all_bytes = [] {
    std::vector<std::string> bytes{
        std::string(1, '\0'), std::string(2, '\0'), "\xFF", "\xFF\xFF", "\xFF\x01", "a", "ab"};
    bytes.emplace_back("\0\xFF", 2);
    for (int i = 0; i < 40; ++i) bytes.push_back(std::string("\x80") + static_cast<char>(i * 6));
    return bytes;
  }();
  return all_bytes;
}

}  // namespace

const std::vector<std::string>& data_attributes() {
  static const std::vector<std::string> all_names{"a",  "n1",   "n2", "s", "m",      "l",    "ss",   "ns",
                                                  "bs", "flag", "x",  "u", "Status", "data", "d.ot", "blob"};
  return all_names;
}

Value Generator::key_value(Type type, bool is_range) {
  const std::size_t variety = is_range ? options_.range_keys : options_.hash_keys;
  const auto pick = [&](const auto& pool) { return pool[random_.below(std::min(variety, pool.size()))]; };
  switch (type) {
    case Type::Number:
      return pick(key_numbers());
    case Type::Binary:
      return Binary{pick(key_bytes())};
    default:
      return pick(key_texts());
  }
}

Number Generator::small_number() {
  const int whole = random_.between(-20, 20);
  if (random_.chance(70)) return whole;
  static const std::vector<const char*> all_fractions{"0.5",      "0.25",       "-0.125",
                                                      "1000.001", "123456.789", "-99.99"};
  return exact_sum(whole, number(random_.pick(all_fractions)));
}

Value Generator::scalar() {
  switch (random_.below(7)) {
    case 0:
    case 1:
      return small_number();
    case 2:
    case 3:
      return random_.letters(random_.below(4));
    case 4:
      return Binary{random_.letters(random_.below(3))};
    case 5:
      return random_.chance(50);
    default:
      return Null{};
  }
}

Value Generator::set_of(Type set_type) {
  const std::size_t count = 1 + random_.below(4);
  std::vector<std::string> texts;
  std::vector<Number> numbers;
  std::vector<Binary> binaries;
  for (std::size_t i = 0; i < count; ++i) {
    const int choice = random_.between(0, 7);
    if (std::ranges::find(numbers, Number(choice)) != numbers.end()) continue;
    numbers.emplace_back(choice);
    texts.emplace_back(1, static_cast<char>('a' + choice));
    binaries.push_back({std::string(1, static_cast<char>(choice))});
  }
  if (set_type == Type::StringSet) return *StringSet::of(std::move(texts));
  if (set_type == Type::NumberSet) return *NumberSet::of(std::move(numbers));
  return *BinarySet::of(std::move(binaries));
}

Value Generator::value_of_type(Type type) {
  switch (type) {
    case Type::List: {
      List list;
      for (std::size_t i = random_.below(5); i > 0; --i) {
        list.push_back(random_.chance(80) ? scalar() : Value(Map{{"w", small_number()}, {"y", scalar()}}));
      }
      return list;
    }
    case Type::Map: {
      Map map;
      if (random_.chance(80)) map["x"] = small_number();
      if (random_.chance(60)) map["y"] = scalar();
      if (random_.chance(60)) map["z"] = Map{{"w", small_number()}, {"l", List{scalar(), scalar()}}};
      return map;
    }
    case Type::Number:
      return small_number();
    case Type::String:
      return random_.letters(random_.below(5));
    case Type::Bool:
      return random_.chance(50);
    default:
      return set_of(type);
  }
}

Value Generator::value_for(const ModelTable* table, const std::string& attribute) {
  static const std::map<std::string, Type> all_types{
      {"n1", Type::Number},     {"n2", Type::Number},    {"s", Type::String},     {"m", Type::Map},
      {"l", Type::List},        {"ss", Type::StringSet}, {"ns", Type::NumberSet}, {"bs", Type::BinarySet},
      {"Status", Type::String}, {"d.ot", Type::Number},  {"flag", Type::Bool}};
  static const std::vector<Number> all_extremes{
      number("1E125"), number("9.9999999999999999999999999999999999999E125"), number("-1E-130"),
      number("-12345678901234567890.123456789012345678"), number("100000")};
  static const std::vector<std::string> all_texts{"", "\xC3\xA9t\xC3\xA9", "\xE6\xB0\xB4", "\xF0\x9F\x8D\x95",
                                                  "plain"};
  if (attribute == "x") return random_.pick(all_extremes);
  if (attribute == "u") return random_.pick(all_texts);
  if (attribute == "blob") {
    const std::size_t most = random_.chance(options_.long_texts) ? options_.blob_bytes : 100;
    return std::string(random_.below(most + 1), static_cast<char>('a' + random_.below(26)));
  }
  if (const auto found = all_types.find(attribute); found != all_types.end()) {
    return random_.chance(93) ? value_of_type(found->second) : scalar();
  }
  if (table != nullptr && attribute.size() == 2 && (attribute[0] == 'g' || attribute[0] == 'k')) {
    const auto& definitions = table->shape().attribute_definitions;
    const bool is_key =
        std::ranges::find(definitions, attribute, &AttributeDefinition::name) != definitions.end();
    if (!is_key || random_.chance(3)) return scalar();  // of another type, or empty: refused for a key
    const Type type = table->type_of(attribute);
    return type == Type::Number ? Value(random_.between(-3, 6)) : key_value(type, true);
  }
  return scalar();
}

Item Generator::key(const ModelTable& table) {
  if (!table.items().empty() && random_.chance(60)) {
    auto found = table.items().begin();
    std::advance(found, static_cast<std::ptrdiff_t>(random_.below(table.items().size())));
    return table.key_item(found->first);
  }
  Item key;
  for (std::size_t i = 0; i < table.key_attributes().size(); ++i) {
    const std::string& name = table.key_attributes()[i];
    key[name] = key_value(table.type_of(name), i == 1 || !table.has_range());
  }
  return key;
}

Item Generator::item(const ModelTable& table) {
  Item item = key(table);
  for (const std::string& name : data_attributes()) {
    if (random_.chance(name == "blob" ? 45 + options_.long_texts / 2 : 45))
      item[name] = value_for(&table, name);
  }
  for (const AttributeDefinition& definition : table.shape().attribute_definitions) {
    if (!item.contains(definition.name) && random_.chance(80)) {
      item[definition.name] = value_for(&table, definition.name);
    }
  }
  return item;
}

// ---- Tables ----

IndexProjection Generator::index_projection() {
  switch (random_.below(3)) {
    case 0:
      return {.type = ProjectionType::All};
    case 1:
      return {.type = ProjectionType::KeysOnly};
    default: {
      std::vector<std::string> names = data_attributes();
      std::erase(names, "n1");  // may be a key, which INCLUDE does not name
      random_.shuffle(names);
      names.resize(1 + random_.below(5));
      return {.type = ProjectionType::Include, .attributes = std::move(names)};
    }
  }
}

CreateTableRequest Generator::table(const std::string& name) {
  static const std::vector<Type> all_key_types{Type::String, Type::Number, Type::Binary};
  CreateTableRequest request{.table_name = name};
  std::map<std::string, Type> types{{"pk", random_.pick(all_key_types)}, {"sk", random_.pick(all_key_types)}};
  for (const char* attribute : {"g1", "g2", "g3", "g4", "k1", "k2"})
    types[attribute] = random_.pick(all_key_types);
  types["n1"] = Type::Number;

  std::vector<std::string> used{"pk"};
  request.key_schema = {{"pk", KeyType::Hash}};
  const bool has_range = random_.chance(75);
  if (has_range) {
    request.key_schema.push_back({"sk", KeyType::Range});
    used.emplace_back("sk");
    std::vector<std::string> ranges{"k1", "k2", "n1", "g1"};
    random_.shuffle(ranges);
    for (std::size_t i = random_.below(4); i > 0; --i) {
      request.local_indexes.push_back({.name = "lsi" + std::to_string(i),
                                       .key_schema = {{"pk", KeyType::Hash}, {ranges[i - 1], KeyType::Range}},
                                       .projection = index_projection()});
      used.push_back(ranges[i - 1]);
    }
  }
  for (std::size_t i = random_.below(5); i > 0; --i) {
    std::vector<std::string> attributes{"g1", "g2", "g3", "g4", "n1", "pk"};
    if (has_range) attributes.emplace_back("sk");
    random_.shuffle(attributes);
    const std::size_t hashes = random_.chance(70) ? 1 : 2 + random_.below(2);
    const std::size_t ranges = random_.chance(70) ? random_.below(2) : 2 + random_.below(2);
    GlobalIndex index{.name = "gsi" + std::to_string(i), .projection = index_projection()};
    for (std::size_t n = 0; n < hashes + ranges; ++n) {
      index.key_schema.push_back({attributes[n], n < hashes ? KeyType::Hash : KeyType::Range});
      used.push_back(attributes[n]);
    }
    request.global_indexes.push_back(std::move(index));
  }
  std::ranges::sort(used);
  used.erase(std::unique(used.begin(), used.end()), used.end());
  for (const std::string& attribute : used)
    request.attribute_definitions.push_back({attribute, types[attribute]});
  return request;
}

}  // namespace tavola::model
