// Random numbers, texts, values and items for property tests, here and in the rooms above. Include in tests
// only.
//
//   RC_GTEST_PROP(Pack, ComesBack, ()) {
//     const Item item = *arbitrary_item();
//     RC_ASSERT(pack(item)->unpack() == item);
//   }
//
// The generators use a plain random source rather than RapidCheck's combinators, which take half a minute per test file
// to compile. The cost is shrinking; sizes grow from test case to test case, so the first failure is a small one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include <rapidcheck.h>

#include <tavola/value.h>

namespace tavola {

// The random source of one test case. `size` grows from 0 to 100 over the cases of a property.
class Dice {
 public:
  Dice(const rc::Random& random, int size) : random_(random), size_(static_cast<std::size_t>(size)) {}

  std::uint64_t bits() { return random_.next(); }
  std::size_t below(std::size_t end) { return static_cast<std::size_t>(bits() % end); }
  int between(int low, int high) {
    return low + static_cast<int>(below(static_cast<std::size_t>(std::int64_t{high} - low + 1)));
  }
  bool coin() { return below(2) == 0; }
  // A length that grows with the test case, at most `longest`.
  std::size_t length(std::size_t longest) { return below(std::min(size_, longest) + 1); }
  std::string_view pick(std::initializer_list<std::string_view> choices) {
    return choices.begin()[below(choices.size())];
  }

  // Numbers over the whole range, many of them small or close to each other.
  Number number() {
    const std::size_t kind = below(5);
    if (kind == 0) return between(-1000, 1000);
    if (kind == 1) return static_cast<std::int64_t>(bits() >> below(64));
    const int exponent_max = kind == 2 ? 3 : kind == 3 ? 20 : 125;
    const int exponent_min = kind == 4 ? -130 : -exponent_max;
    std::string text = coin() ? "-" : "";
    for (std::size_t left = 1 + below(38); left > 0; --left) {
      text.push_back(below(4) == 0 ? '0' : static_cast<char>('0' + below(10)));
    }
    text.insert(text.front() == '-' ? 2 : 1, ".");
    text.append("E").append(std::to_string(between(exponent_min, exponent_max)));
    return Number::parse(text).value_or(Number());  // leading zeros may take it below 1E-130
  }

  // Any bytes, with 00, 01 and FF more often than by chance, because key parts treat them specially.
  std::string bytes() {
    std::string bytes;
    for (std::size_t left = length(30); left > 0; --left) {
      constexpr std::string_view kSpecial{
          "\x00\x00\x01\xFF"
          "ab",
          6};
      bytes.push_back(coin() ? kSpecial[below(kSpecial.size())] : static_cast<char>(below(256)));
    }
    return bytes;
  }

  // UTF-8 with one to four bytes per character, 00 included.
  std::string text() {
    std::string text;
    for (std::size_t left = length(30); left > 0; --left) {
      text += pick({{"\0", 1},
                    "a",
                    "b",
                    "Z",
                    "7",
                    " ",
                    "\"",
                    "\\",
                    "\n",
                    "\x7F",
                    "é",
                    "ß",
                    "\u07FF",
                    "€",
                    "\uFFFF",
                    "漢",
                    "𝄞",
                    "\U0010FFFF"});
    }
    return text;
  }

  std::string name() {
    return coin() ? std::string(pick({"a", "ab", "b", "id", "sort key", "é"})) : "n" + text();
  }

  // Any of the ten types, nested at most `levels` deep.
  Value value(int levels = 4) {
    switch (below(levels > 1 ? 10 : 8)) {
      case 0:
        return Null();
      case 1:
        return coin();
      case 2:
        return number();
      case 3:
        return text();
      case 4:
        return Binary{bytes()};
      case 5:
        return set<std::string>([this] { return text(); });
      case 6:
        return set<Number>([this] { return number(); });
      case 7:
        return set<Binary>([this] { return Binary{bytes()}; });
      case 8: {
        List list;
        for (std::size_t left = length(6); left > 0; --left) list.push_back(value(levels - 1));
        return list;
      }
      default:
        return map(levels - 1);
    }
  }

  Map map(int levels) {
    Map map;
    for (std::size_t left = length(8); left > 0; --left) map.insert_or_assign(name(), value(levels));
    return map;
  }

 private:
  template <class T, class Draw>
  Value set(Draw draw) {
    std::vector<T> elements;
    for (std::size_t left = 1 + length(6); left > 0; --left) elements.push_back(draw());
    std::ranges::sort(elements);
    const auto repeated = std::ranges::unique(elements);
    elements.erase(repeated.begin(), repeated.end());
    return *Set<T>::of(std::move(elements));
  }

  rc::Random random_;
  std::size_t size_;
};

// Turns `draw` into a RapidCheck generator, whose values are printed if a property fails.
template <class T>
rc::Gen<T> drawn(T (*draw)(Dice& dice)) {
  return rc::Gen<T>([draw](const rc::Random& random, int size) {
    Dice dice(random, size);
    return rc::shrinkable::just(draw(dice));
  });
}

inline rc::Gen<Number> arbitrary_number() {
  return drawn<Number>([](Dice& dice) { return dice.number(); });
}
inline rc::Gen<std::string> arbitrary_bytes() {
  return drawn<std::string>([](Dice& dice) { return dice.bytes(); });
}
inline rc::Gen<std::string> arbitrary_text() {
  return drawn<std::string>([](Dice& dice) { return dice.text(); });
}
inline rc::Gen<Value> arbitrary_value() {
  return drawn<Value>([](Dice& dice) { return dice.value(); });
}
inline rc::Gen<Item> arbitrary_item() {
  return drawn<Item>([](Dice& dice) { return dice.map(4); });
}
// Dice for other needs of a property.
inline rc::Gen<Dice> arbitrary_dice() {
  return drawn<Dice>([](Dice& dice) { return dice; });
}

// Printers for RapidCheck, which prescribes the name.
inline void showValue(const Number& number, std::ostream& out) { out << number.to_string(); }  // NOLINT
inline void showValue(const Value& value, std::ostream& out) { out << to_json(value); }        // NOLINT
inline void showValue(const Dice&, std::ostream& out) { out << "dice"; }                       // NOLINT

}  // namespace tavola
