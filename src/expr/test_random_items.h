// Random items, paths and conditions over a few names, so that they coincide. For tests only.
#pragma once

#include <array>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <tavola/value.h>

#include "expr/language/ast.h"

namespace tavola::expr {

// The attributes "a" to "e", the map entries "x" and "y", lists of up to four elements, a few scalars.
class RandomItems {
 public:
  explicit RandomItems(std::uint64_t seed) : random_(seed) {}

  std::size_t below(std::size_t end) {
    return std::uniform_int_distribution<std::size_t>(0, end - 1)(random_);
  }
  bool chance(std::size_t one_in) { return below(one_in) == 0; }

  Item item() {
    Item item;
    for (const char* name : kAttributes) {
      if (!chance(4)) item[name] = value(3);
    }
    return item;
  }

  Value value(std::size_t depth) {
    const std::size_t kind = below(depth > 0 ? 11 : 7);
    switch (kind) {
      case 0:
        return static_cast<int>(below(5)) - 2;
      case 1:
        return Number::from_parts(false, 5, -static_cast<int>(below(3)));
      case 2:
        return text();
      case 3:
        return Binary{text()};
      case 4:
        return chance(2);
      case 5:
        return Null();
      case 6:
        return set();
      case 7:
      case 8: {
        List list;
        for (std::size_t size = below(5); list.size() < size;) list.push_back(value(depth - 1));
        return list;
      }
      default: {
        Map map;
        for (const char* name : {"x", "y"}) {
          if (!chance(4)) map[name] = value(depth - 1);
        }
        return map;
      }
    }
  }

  Value set() {
    std::vector<std::string> words;
    for (const char* word : {"p", "pq", "q"}) {
      if (words.empty() || chance(2)) words.emplace_back(word);
    }
    if (chance(2)) return *StringSet::of(words);
    std::vector<Number> numbers;
    numbers.reserve(words.size());
    for (std::size_t i = 0; i < words.size(); ++i) numbers.emplace_back(static_cast<int>(i) - 1);
    return *NumberSet::of(numbers);
  }

  std::string text() {
    static constexpr std::array<const char*, 6> kTexts{"", "p", "pq", "q", "pqr", "é"};
    return kTexts[below(kTexts.size())];
  }

  std::string path() {
    std::string path = kAttributes[below(kAttributes.size())];
    for (std::size_t steps = below(4); steps > 0; --steps) {
      path += chance(2) ? '[' + std::to_string(below(5)) + ']' : std::string(chance(2) ? ".x" : ".y");
    }
    return path;
  }

  // A condition that check_condition accepts, except for operands that must differ.
  ast::Node condition(std::size_t depth) {
    if (depth > 0 && !chance(3)) {
      if (chance(3)) {
        ast::Not negated;
        negated.term.push_back(condition(depth - 1));
        return {std::move(negated)};
      }
      std::vector<ast::Node> terms;
      for (std::size_t count = 2 + below(2); terms.size() < count;) terms.push_back(condition(depth - 1));
      if (chance(2)) return {ast::And{std::move(terms)}};
      return {ast::Or{std::move(terms)}};
    }
    return relation();
  }

  // Slots 0 to kValues - 1 may appear in conditions; kOrdered of them, at the front, are S, N or B.
  static constexpr std::size_t kValues = 12;
  static constexpr std::size_t kOrdered = 6;
  static constexpr std::array<const char*, 5> kAttributes{"a", "b", "c", "d", "e"};

 private:
  ast::Path tree_path() {
    ast::Path path;
    path.elements.push_back({ast::PathElement::Kind::Name, 0, kAttributes[below(kAttributes.size())]});
    for (std::size_t steps = below(3); steps > 0; --steps) {
      if (chance(2)) {
        path.elements.push_back({ast::PathElement::Kind::Index, static_cast<std::uint32_t>(below(4)), {}});
      } else {
        path.elements.push_back({ast::PathElement::Kind::Name, 0, chance(2) ? "x" : "y"});
      }
    }
    return path;
  }

  ast::Operand operand(std::size_t values) {
    if (chance(3)) return {ast::ValueSlot{static_cast<std::uint32_t>(below(values))}};
    if (chance(5)) {
      ast::Call size{Function::Size, {}};
      size.operands.push_back({tree_path()});
      return {std::move(size)};
    }
    return {tree_path()};
  }

  ast::Node relation() {
    switch (below(5)) {
      case 0: {
        ast::In in{operand(kValues), {}};
        for (std::size_t count = 1 + below(3); in.candidates.size() < count;)
          in.candidates.push_back(operand(kValues));
        return {std::move(in)};
      }
      case 1: {
        // One bound comes from the item: two bounds of the request would have to be in order.
        ast::Operand value = operand(kOrdered);
        ast::Operand low{tree_path()};
        return {ast::Between{std::move(value), std::move(low), operand(kOrdered)}};
      }
      case 2:
        return function();
      default: {
        const auto comparator = static_cast<ast::Comparator>(below(6));
        const bool equality = comparator == ast::Comparator::Equal || comparator == ast::Comparator::NotEqual;
        ast::Operand left = operand(equality ? kValues : kOrdered);
        return {ast::Comparison{comparator, std::move(left), operand(equality ? kValues : kOrdered)}};
      }
    }
  }

  ast::Node function() {
    static constexpr std::array kFunctions{Function::AttributeExists, Function::AttributeNotExists,
                                           Function::Contains, Function::BeginsWith};
    ast::Call call{kFunctions[below(kFunctions.size())], {}};
    call.operands.push_back({tree_path()});
    if (call.function == Function::Contains) call.operands.push_back(operand(kValues));
    if (call.function == Function::BeginsWith) call.operands.push_back({tree_path()});
    return {std::move(call)};
  }

  std::mt19937_64 random_;
};

}  // namespace tavola::expr
