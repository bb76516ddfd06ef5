// The values of the model: order, sizes, exact sums. Written from DynamoDB's documentation, without src/value
// and src/expr, so that a mistake there would have to be made here, too.
#pragma once

#include <compare>
#include <cstddef>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <tavola/value.h>

namespace tavola::model {

// Returns the order of two values of the same scalar type (S, N or B); unordered for anything else.
std::partial_ordering order_of(const Value& a, const Value& b);

std::strong_ordering order_of_numbers(const Number& a, const Number& b);

// Returns a + b. Requires at most 18 digits and exponents from -9 to 9, the generator's range.
Number exact_sum(const Number& a, const Number& b);
Number negated(const Number& a);

// Developer Guide, "DynamoDB item sizes and formats".
std::size_t size_of(const Value& value);
std::size_t size_of(const Item& item);

// The values of a key's attributes, in the order of its schema; ordered as DynamoDB orders items.
using Key = std::vector<Value>;
std::strong_ordering order_of_keys(const Key& a, const Key& b);
struct KeyLess {
  bool operator()(const Key& a, const Key& b) const { return order_of_keys(a, b) < 0; }
};

// A document path: m.x[2] is {"m", {"x", 2}}.
struct Path {
  using Step = std::variant<std::string, std::size_t>;
  std::string head;
  std::vector<Step> steps{};
  friend bool operator==(const Path&, const Path&) = default;
};

// Returns the value at `path`, or null.
const Value* find(const Item& item, const Path& path);
// Returns the value of which `path` is a member or element, if it exists and is a map or list to match; else
// null. Requires at least one step.
const Value* find_parent(const Item& item, const Path& path);
Value* find_parent(Item& item, const Path& path);

// Returns the parts of `item` that the paths name, nested as they were; list elements close ranks.
Item project(const Item& item, const std::vector<Path>& paths);

// Returns the named attributes only.
Item keep(const Item& item, const std::vector<std::string>& names);

}  // namespace tavola::model
