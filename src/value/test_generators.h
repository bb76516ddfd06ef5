// RapidCheck generators of values, for the property tests of this room and of those above it. Include in
// tests only.
//
//   rc::check([] { const Item item = *arbitrary_item(); ... });
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include <rapidcheck.h>

#include <tavola/value.h>

namespace tavola {

// Digits, sign and exponent over the whole range, with many small integers and many numbers close to each
// other.
inline rc::Gen<Number> arbitrary_number() {
  // Leading zeros may take a number below 1E-130: zero, then.
  const auto from_text = [](const std::string& digits, int exponent, bool negative) {
    std::string text = negative ? "-" : "";
    text.append(digits, 0, 1).append(".").append(digits, 1).append("E").append(std::to_string(exponent));
    return Number::parse(text).value_or(Number());
  };
  const auto digits = rc::gen::mapcat(rc::gen::inRange<std::size_t>(2, 39), [](std::size_t count) {
    return rc::gen::container<std::string>(count, rc::gen::elementOf(std::string("0123456789")));
  });
  const auto any = [=](int lowest, int highest) {
    return rc::gen::apply(from_text, digits, rc::gen::inRange(lowest, highest + 1),
                          rc::gen::arbitrary<bool>());
  };
  return rc::gen::oneOf(
      rc::gen::map(rc::gen::inRange(-1000, 1001), [](int value) { return Number(value); }),
      rc::gen::map(rc::gen::arbitrary<std::int64_t>(), [](auto value) { return Number(value); }), any(-3, 3),
      any(-20, 20), any(-130, 125));
}

// Any bytes, with 00 and FF more often than chance has them: they are special in key parts.
inline rc::Gen<std::string> arbitrary_bytes() {
  const auto byte = rc::gen::oneOf(rc::gen::elementOf(std::string("\x00\x00\xFF\x01", 4)),
                                   rc::gen::elementOf(std::string("ab")), rc::gen::arbitrary<char>());
  return rc::gen::container<std::string>(byte);
}

// Valid UTF-8 of one to four bytes a character, 00 included.
inline rc::Gen<std::string> arbitrary_text() {
  const auto character = rc::gen::elementOf(
      std::vector<std::string>{std::string(1, '\0'), "a", "b", "Z", "7", " ", "\"", "\\", "\n", "\x7F", "é",
                               "ß", "\u07FF", "€", "\uFFFF", "漢", "𝄞", "\U0010FFFF"});
  return rc::gen::map(rc::gen::container<std::vector<std::string>>(character), [](const auto& characters) {
    std::string text;
    for (const std::string& part : characters) text += part;
    return text;
  });
}

inline rc::Gen<std::string> arbitrary_name() {
  return rc::gen::oneOf(
      rc::gen::elementOf(std::vector<std::string>{"a", "ab", "b", "id", "sort key", "é"}),
      rc::gen::suchThat(arbitrary_text(), [](const std::string& text) { return !text.empty(); }));
}

template <class T>
rc::Gen<Value> arbitrary_set(const rc::Gen<T>& element) {
  return rc::gen::map(rc::gen::nonEmpty(rc::gen::container<std::vector<T>>(element)),
                      [](std::vector<T> elements) {
                        std::ranges::sort(elements);
                        const auto repeated = std::ranges::unique(elements);
                        elements.erase(repeated.begin(), repeated.end());
                        return Value(*Set<T>::of(std::move(elements)));
                      });
}

// Values of all ten types, nested at most `levels` deep.
inline rc::Gen<Value> arbitrary_value(int levels = 3) {
  const auto to_value = [](auto part) { return Value(std::move(part)); };
  const auto to_binary = [](std::string bytes) { return Binary{std::move(bytes)}; };
  const auto scalar = rc::gen::oneOf(
      rc::gen::just(Value()), rc::gen::map(rc::gen::arbitrary<bool>(), to_value),
      rc::gen::map(arbitrary_number(), to_value), rc::gen::map(arbitrary_text(), to_value),
      rc::gen::map(rc::gen::map(arbitrary_bytes(), to_binary), to_value), arbitrary_set(arbitrary_text()),
      arbitrary_set(arbitrary_number()), arbitrary_set(rc::gen::map(arbitrary_bytes(), to_binary)));
  if (levels <= 1) return scalar;
  const auto element = rc::gen::scale(0.5, rc::gen::lazy([levels] { return arbitrary_value(levels - 1); }));
  return rc::gen::oneOf(scalar, scalar, rc::gen::map(rc::gen::container<List>(element), to_value),
                        rc::gen::map(rc::gen::container<Map>(arbitrary_name(), element), to_value));
}

inline rc::Gen<Item> arbitrary_item() {
  return rc::gen::scale(0.2, rc::gen::container<Item>(arbitrary_name(), arbitrary_value()));
}

}  // namespace tavola

namespace rc {

// What a failing property prints.
template <>
struct Arbitrary<tavola::Number> {
  static Gen<tavola::Number> arbitrary() { return tavola::arbitrary_number(); }
};

}  // namespace rc

namespace tavola {

inline void showValue(const Number& number, std::ostream& out) {
  out << number.to_string();
}  // NOLINT: RapidCheck's name
inline void showValue(const Value& value, std::ostream& out) { out << to_json(value); }  // NOLINT

}  // namespace tavola
