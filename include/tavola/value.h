// Value: one attribute value of any of DynamoDB's ten types, as an owning tree that is pleasant to build.
// Item: a map from attribute names to values.
//
//   Item song{{"Artist", "Nina"}, {"Year", 1965}, {"Price", 9.99_n}};
//   song["Tags"] = *StringSet::of({"jazz", "live"});
//   song.at("Artist").string();                     // "Nina"
//
// For reading stored items without unpacking them, see packed.h.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <tavola/error.h>
#include <tavola/number.h>

namespace tavola {

class Value;

// Written to disk and sent as names. Never renumber; append only.
enum class Type : std::uint8_t {
  Null = 1,
  Bool = 2,
  Number = 3,
  String = 4,
  Binary = 5,
  List = 6,
  Map = 7,
  StringSet = 8,
  NumberSet = 9,
  BinarySet = 10,
};

struct Null {
  friend bool operator==(Null, Null) = default;
};

// Bytes, as opposed to text. Ordered as unsigned bytes (std::string's comparison is).
struct Binary {
  std::string bytes;
  friend auto operator<=>(const Binary&, const Binary&) = default;
};

// A set as in DynamoDB: never empty, no duplicates, unordered (kept sorted here).
template <class T>
class Set {
 public:
  // Fails with DynamoDB's words if `elements` is empty or holds a value twice.
  static Result<Set> of(std::vector<T> elements);

  const std::vector<T>& elements() const { return elements_; }
  bool contains(const T& element) const { return std::ranges::binary_search(elements_, element); }
  std::size_t size() const { return elements_.size(); }
  auto begin() const { return elements_.begin(); }
  auto end() const { return elements_.end(); }
  friend bool operator==(const Set&, const Set&) = default;

 private:
  explicit Set(std::vector<T> sorted) : elements_(std::move(sorted)) {}
  std::vector<T> elements_;
};

using StringSet = Set<std::string>;
using NumberSet = Set<Number>;
using BinarySet = Set<Binary>;
// A list of one list is List{Value(List{...})}: for List{List{...}}, g++ builds that but clang++ copies the inner list.
using List = std::vector<Value>;
using Map = std::map<std::string, Value, std::less<>>;
using Item = Map;

extern template class Set<std::string>;
extern template class Set<Number>;
extern template class Set<Binary>;

// "NULL", "BOOL", "N", "S", "B", "L", "M", "SS", "NS", "BS".
std::string_view type_name(Type type);
constexpr bool is_set(Type type) { return type >= Type::StringSet && type <= Type::BinarySet; }

class Value {
 public:
  using Variant =
      std::variant<Null, bool, Number, std::string, Binary, List, Map, StringSet, NumberSet, BinarySet>;

  Value() = default;  // null

  // NOLINTBEGIN(google-explicit-constructor): every type of an attribute converts to a Value.
  Value(Null) {}
  Value(std::nullptr_t) {}
  Value(std::same_as<bool> auto value) : variant_(value) {}
  template <Integer T>
  Value(T value) : variant_(Number(value)) {}
  Value(Number value) : variant_(value) {}
  Value(const char* text) {  // a null pointer is null
    if (text != nullptr) variant_ = std::string(text);
  }
  Value(std::string_view text) : variant_(std::string(text)) {}
  Value(std::string text) : variant_(std::move(text)) {}
  Value(Binary bytes) : variant_(std::move(bytes)) {}
  Value(List list) : variant_(std::move(list)) {}
  Value(Map map) : variant_(std::move(map)) {}
  Value(StringSet set) : variant_(std::move(set)) {}
  Value(NumberSet set) : variant_(std::move(set)) {}
  Value(BinarySet set) : variant_(std::move(set)) {}
  // NOLINTEND(google-explicit-constructor)

  // A double is not a decimal: write 29.99_n, or Number::parse.
  template <std::floating_point T>
  Value(T) = delete;
  // A character is neither a number nor a text: write "c", or 99.
  template <Character T>
  Value(T) = delete;

  Type type() const { return static_cast<Type>(variant_.index() + 1); }

  // Typed access; throws std::bad_variant_access on another type, as std::get does: ask type() or is_…() first.
  bool boolean() const { return std::get<bool>(variant_); }
  const Number& number() const { return std::get<Number>(variant_); }
  const std::string& string() const { return std::get<std::string>(variant_); }
  const Binary& binary() const { return std::get<Binary>(variant_); }
  const List& list() const { return std::get<List>(variant_); }
  List& list() { return std::get<List>(variant_); }
  const Map& map() const { return std::get<Map>(variant_); }
  Map& map() { return std::get<Map>(variant_); }
  const StringSet& string_set() const { return std::get<StringSet>(variant_); }
  const NumberSet& number_set() const { return std::get<NumberSet>(variant_); }
  const BinarySet& binary_set() const { return std::get<BinarySet>(variant_); }

  bool is_null() const { return type() == Type::Null; }
  bool is_number() const { return type() == Type::Number; }
  bool is_string() const { return type() == Type::String; }

  const Variant& variant() const { return variant_; }

  friend bool operator==(const Value&, const Value&) = default;

 private:
  Variant variant_;
};

// DynamoDB JSON, for people and logs: {"Artist":{"S":"Nina"},"Year":{"N":"1965"}}.
std::string to_json(const Value& value);
std::string to_json(const Item& item);

}  // namespace tavola
