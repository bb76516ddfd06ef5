#include "tests/model/values.h"

#include <algorithm>
#include <cstdint>
#include <map>

namespace tavola::model {
namespace {

__extension__ using Wide = __int128;

std::string digits_of(const Number& number) {
  std::string text;
  for (Number::Digits rest = number.digits(); rest != 0; rest /= 10) {
    text.insert(text.begin(), static_cast<char>('0' + static_cast<int>(rest % 10)));
  }
  return text;
}

// Returns the number's decimal exponent when written d.ddd × 10^e. Requires a number other than zero.
int leading_exponent(const Number& number) {
  return static_cast<int>(digits_of(number).size()) - 1 + number.exponent();
}

std::strong_ordering order_of_magnitudes(const Number& a, const Number& b) {
  if (a.is_zero() || b.is_zero()) return !a.is_zero() <=> !b.is_zero();
  if (const auto order = leading_exponent(a) <=> leading_exponent(b); order != 0) return order;
  std::string a_digits = digits_of(a);
  std::string b_digits = digits_of(b);
  const std::size_t width = std::max(a_digits.size(), b_digits.size());
  a_digits.resize(width, '0');
  b_digits.resize(width, '0');
  return a_digits.compare(b_digits) <=> 0;
}

// Compares unsigned bytes, one by one.
std::strong_ordering order_of_bytes(const std::string& a, const std::string& b) {
  const std::size_t common = std::min(a.size(), b.size());
  for (std::size_t i = 0; i < common; ++i) {
    const auto order = static_cast<unsigned char>(a[i]) <=> static_cast<unsigned char>(b[i]);
    if (order != 0) return order;
  }
  return a.size() <=> b.size();
}

Wide in_billionths(const Number& number) {
  Wide value = static_cast<Wide>(number.digits());
  for (int i = 0; i < number.exponent() + 9; ++i) value *= 10;
  return number.is_negative() ? -value : value;
}

// The guide says "approximately (1 byte per two significant digits) + (1 byte)". Measured on AWS (dynoxide
// pull request 195): the digits before and after the decimal point are paired separately; a negative number
// costs a byte more.
std::size_t size_of_number(const Number& number) {
  if (number.is_zero()) return 1;
  const int count = static_cast<int>(digits_of(number).size());
  const int before_point = std::clamp(leading_exponent(number) + 1, 0, count);
  const int after_point = count - before_point;
  const int bytes = 1 + (before_point + 1) / 2 + (after_point + 1) / 2 + (number.is_negative() ? 1 : 0);
  return static_cast<std::size_t>(bytes);
}

struct SizeOf {
  std::size_t operator()(Null) const { return 1; }
  std::size_t operator()(bool) const { return 1; }
  std::size_t operator()(const Number& number) const { return size_of_number(number); }
  std::size_t operator()(const std::string& text) const { return text.size(); }
  std::size_t operator()(const Binary& binary) const { return binary.bytes.size(); }
  std::size_t operator()(const List& list) const {
    std::size_t size = 3;
    for (const Value& element : list) size += 1 + size_of(element);
    return size;
  }
  std::size_t operator()(const Map& map) const { return 3 + map.size() + size_of(map); }
  template <class T>
  std::size_t operator()(const Set<T>& set) const {
    std::size_t size = 0;
    for (const T& element : set) size += (*this)(element);
    return size;
  }
};

const Value* step_into(const Value& value, const Path::Step& step) {
  if (const auto* name = std::get_if<std::string>(&step)) {
    if (value.type() != Type::Map) return nullptr;
    const auto found = value.map().find(*name);
    return found == value.map().end() ? nullptr : &found->second;
  }
  const std::size_t index = std::get<std::size_t>(step);
  if (value.type() != Type::List || index >= value.list().size()) return nullptr;
  return &value.list()[index];
}

using Steps = std::vector<Path::Step>;

// Returns the parts of `value` that `paths` name; nullopt if none of them exists.
std::optional<Value> project_value(const Value& value, const std::vector<Steps>& paths) {
  std::map<Path::Step, std::vector<Steps>> by_step;
  for (const Steps& steps : paths) {
    if (steps.empty()) return value;
    by_step[steps.front()].emplace_back(steps.begin() + 1, steps.end());
  }
  Map map;
  List list;
  for (const auto& [step, rests] : by_step) {
    const Value* inner = step_into(value, step);
    if (inner == nullptr) continue;
    std::optional<Value> kept = project_value(*inner, rests);
    if (!kept) continue;
    if (value.type() == Type::Map) {
      map[std::get<std::string>(step)] = *std::move(kept);
    } else {
      list.push_back(*std::move(kept));
    }
  }
  if (!map.empty()) return Value(std::move(map));
  if (!list.empty()) return Value(std::move(list));
  return std::nullopt;
}

}  // namespace

std::strong_ordering order_of_numbers(const Number& a, const Number& b) {
  const int a_sign = a.is_zero() ? 0 : a.is_negative() ? -1 : 1;
  const int b_sign = b.is_zero() ? 0 : b.is_negative() ? -1 : 1;
  if (a_sign != b_sign) return a_sign <=> b_sign;
  return a_sign < 0 ? order_of_magnitudes(b, a) : order_of_magnitudes(a, b);
}

std::partial_ordering order_of(const Value& a, const Value& b) {
  if (a.type() != b.type()) return std::partial_ordering::unordered;
  switch (a.type()) {
    case Type::Number:
      return order_of_numbers(a.number(), b.number());
    case Type::String:
      return order_of_bytes(a.string(), b.string());
    case Type::Binary:
      return order_of_bytes(a.binary().bytes, b.binary().bytes);
    default:
      return std::partial_ordering::unordered;
  }
}

Number exact_sum(const Number& a, const Number& b) {
  const Wide sum = in_billionths(a) + in_billionths(b);
  return Number::from_parts(sum < 0, static_cast<Number::Digits>(sum < 0 ? -sum : sum), -9);
}

Number negated(const Number& a) { return Number::from_parts(!a.is_negative(), a.digits(), a.exponent()); }

std::size_t size_of(const Value& value) { return std::visit(SizeOf{}, value.variant()); }

std::size_t size_of(const Item& item) {
  std::size_t size = 0;
  for (const auto& [name, value] : item) size += name.size() + size_of(value);
  return size;
}

std::strong_ordering order_of_keys(const Key& a, const Key& b) {
  const std::size_t common = std::min(a.size(), b.size());
  for (std::size_t i = 0; i < common; ++i) {
    const std::partial_ordering order = order_of(a[i], b[i]);
    if (order < 0) return std::strong_ordering::less;
    if (order > 0) return std::strong_ordering::greater;
  }
  return a.size() <=> b.size();
}

const Value* find(const Item& item, const Path& path) {
  const auto found = item.find(path.head);
  if (found == item.end()) return nullptr;
  const Value* value = &found->second;
  for (const Path::Step& step : path.steps) {
    value = step_into(*value, step);
    if (value == nullptr) return nullptr;
  }
  return value;
}

const Value* find_parent(const Item& item, const Path& path) {
  const Path above{.head = path.head, .steps = Steps(path.steps.begin(), path.steps.end() - 1)};
  const Value* parent = find(item, above);
  if (parent == nullptr) return nullptr;
  const bool by_name = std::holds_alternative<std::string>(path.steps.back());
  return parent->type() == (by_name ? Type::Map : Type::List) ? parent : nullptr;
}

Value* find_parent(Item& item, const Path& path) {
  return const_cast<Value*>(find_parent(static_cast<const Item&>(item), path));
}

Item project(const Item& item, const std::vector<Path>& paths) {
  std::map<std::string, std::vector<Steps>> by_head;
  for (const Path& path : paths) by_head[path.head].push_back(path.steps);
  Item kept;
  for (const auto& [head, rests] : by_head) {
    const auto found = item.find(head);
    if (found == item.end()) continue;
    if (std::optional<Value> value = project_value(found->second, rests)) kept[head] = *std::move(value);
  }
  return kept;
}

Item keep(const Item& item, const std::vector<std::string>& names) {
  Item kept;
  for (const std::string& name : names) {
    if (const auto found = item.find(name); found != item.end()) kept[name] = found->second;
  }
  return kept;
}

}  // namespace tavola::model
