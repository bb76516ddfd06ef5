// Number: DynamoDB's number. Decimal, up to 38 significant digits, magnitude 1E-130 to 9.99…E+125, exact.
//
//   Number price = 29.99_n;                        // from a literal's digits, never through a double
//   Number total = *(price + Number(2));           // exact, or an error
//   total.to_string();                             // "31.99"
//
// Every Number is valid and canonical by construction: 5, 5.0 and 0.5E1 are one value with one text.
#pragma once

#include <compare>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <tavola/error.h>

namespace tavola {

// The integer types a Number is made from: bool is a type of its own, and 'c' is a character, not 99.
template <class T>
concept Character = std::same_as<T, char> || std::same_as<T, wchar_t> || std::same_as<T, char8_t> ||
                    std::same_as<T, char16_t> || std::same_as<T, char32_t>;
template <class T>
concept Integer =
    std::integral<T> && sizeof(T) <= sizeof(std::int64_t) && !std::same_as<T, bool> && !Character<T>;

class Number {
 public:
  __extension__ using Digits = unsigned __int128;

  constexpr Number() = default;  // zero

  template <Integer T>
  constexpr Number(T value)  // NOLINT(google-explicit-constructor): an integer is a Number, losslessly
      : Number(from_parts(value < 0, magnitude(value), 0)) {}

  // Parses text as a client sends it: optional sign, digits, optional fraction, optional exponent. Fails with
  // DynamoDB's words: not a number, more than 38 digits, magnitude too large or too small.
  static Result<Number> parse(std::string_view text);

  // Returns plain digits without an exponent or trailing zeros, as DynamoDB does: "120", "0.5", "-3".
  std::string to_string() const;
  void append_to(std::string& out) const;

  // Returns the value as a 64-bit integer; nullopt if it has a fraction or does not fit.
  std::optional<std::int64_t> to_int64() const;
  // Returns the nearest double: for display and statistics only, never for keys or money.
  double to_double() const;

  bool is_zero() const { return digits_ == 0; }
  bool is_negative() const { return negative_; }
  bool is_integer() const { return exponent_ >= 0; }

  // The canonical parts: value = (negative ? -1 : 1) × digits × 10^exponent; digits has no trailing zero.
  Digits digits() const { return digits_; }
  int exponent() const { return exponent_; }

  // The exact sum, difference and product. Fails if the result leaves the range or needs more than 38 digits.
  friend Result<Number> operator+(const Number& a, const Number& b);
  friend Result<Number> operator-(const Number& a, const Number& b);
  friend Result<Number> operator*(const Number& a, const Number& b);
  // The quotient, exact if 38 digits hold it, otherwise rounded to 38 digits, halves to even. Fails on division by zero
  // and if the result leaves the range.
  friend Result<Number> operator/(const Number& a, const Number& b);
  Number operator-() const;

  // Returns the nearest number with this many digits after the point, halves away from zero: 2.345 with two is 2.35.
  Number rounded(int places) const;
  // Returns the largest integer that is not greater.
  Number floor() const;

  friend bool operator==(const Number&, const Number&) = default;
  friend std::strong_ordering operator<=>(const Number& a, const Number& b);

  // Returns the canonical Number of these parts. Parts out of range abort the process, because they could not be read
  // again once stored.
  static constexpr Number from_parts(bool negative, Digits digits, int exponent) {
    Number number;
    if (digits == 0) return number;
    while ((digits >> 64) != 0 && digits % 10 == 0) {
      digits /= 10;
      ++exponent;
    }
    if ((digits >> 64) == 0) {  // 64-bit division is many times faster than 128-bit
      auto low = static_cast<std::uint64_t>(digits);
      while (low % 10 == 0) {
        low /= 10;
        ++exponent;
      }
      digits = low;
    }
    // Up to 38 digits with an exponent from -130 to 88 are always in range.
    if (digits >= kTenToThe38 || exponent < -130 || exponent > 88) require_in_range(digits, exponent);
    number.digits_ = digits;
    number.exponent_ = static_cast<std::int16_t>(exponent);
    number.negative_ = negative;
    return number;
  }

 private:
  static constexpr Digits kTenToThe38 = Digits{10'000'000'000'000'000'000U} * 10'000'000'000'000'000'000U;
  static void require_in_range(Digits digits, int exponent);

  template <std::integral T>
  static constexpr Digits magnitude(T value) {
    return value < 0 ? Digits{0} - static_cast<Digits>(value) : static_cast<Digits>(value);
  }

  Digits digits_ = 0;
  std::int16_t exponent_ = 0;
  bool negative_ = false;
};

inline namespace literals {
// 29.99_n and 5_n: parses the characters of the literal. A literal that is not a DynamoDB number aborts the process.
Number operator""_n(const char* text);
}  // namespace literals

}  // namespace tavola
