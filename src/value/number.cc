#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <limits>

#include <tavola/number.h>

#include "base/ascii.h"
#include "base/assert.h"
#include "value/decimal.h"
#include "value/limits.h"

namespace tavola {

namespace {

using decimal::count_digits;
using decimal::kPowersOfTen;
using Digits = Number::Digits;

// AWS's words: dynalite's tests of N values, and Alternator's test_number, both run against AWS.
Error not_a_number(std::string_view text) {
  std::string message = "The parameter cannot be converted to a numeric value";
  if (!text.empty()) message.append(": ").append(text);
  return Error::validation(std::move(message));
}

Error too_many_digits() {
  return Error::validation("Attempting to store more than 38 significant digits in a Number");
}

Error overflow() {
  return Error::validation(
      "Number overflow. Attempting to store a number with magnitude larger than supported range");
}

Error underflow() {
  return Error::validation(
      "Number underflow. Attempting to store a number with magnitude smaller than supported range");
}

// The positions of the significant digits in a text: `first` and `last` are its first and last digit that is not 0; the
// decimal point may be between them. The value is those digits × 10^exponent.
struct Significant {
  const char* first = nullptr;  // null when the value is zero
  const char* last = nullptr;
  const char* point = nullptr;  // null when there is none
  const char* end = nullptr;    // one past the mantissa; null when the mantissa is malformed

  int count() const {
    const bool point_between = point != nullptr && first < point && point < last;
    return static_cast<int>(last - first) + 1 - (point_between ? 1 : 0);
  }
  // The exponent of the last significant digit, before the written exponent is added.
  int exponent() const {
    const char* const units = point != nullptr ? point : end;  // one past the digit that counts ones
    return static_cast<int>(last < units ? units - last - 1 : units - last);
  }
};

Significant scan_mantissa(const char* at, const char* const end) {
  Significant found;
  const char* const start = at;
  for (; at != end; ++at) {
    if (*at == '.') {
      if (found.point != nullptr) return {};
      found.point = at;
    } else if (!is_digit(*at)) {
      break;
    } else if (*at != '0') {
      if (found.first == nullptr) found.first = at;
      found.last = at;
    }
  }
  const auto digits = at - start - (found.point != nullptr ? 1 : 0);
  if (digits > 0) found.end = at;
  return found;
}

// Far above any exponent that matters, far below what could overflow an int when two are added.
constexpr int kExponentCap = 100'000'000;

// Reads "E+12" off [at, end). Exponents beyond the cap act like the cap: overflow, underflow or zero.
std::optional<int> read_exponent(const char* at, const char* const end) {
  if (at == end) return 0;
  if (*at != 'e' && *at != 'E') return std::nullopt;
  ++at;
  const bool negative = at != end && *at == '-';
  if (at != end && (*at == '-' || *at == '+')) ++at;
  if (at == end) return std::nullopt;
  int exponent = 0;
  for (; at != end; ++at) {
    if (!is_digit(*at)) return std::nullopt;
    exponent = std::min(exponent * 10 + (*at - '0'), kExponentCap);
  }
  return negative ? -exponent : exponent;
}

// At most 38 digits from `first` to `last`, a point among them skipped.
Digits read_digits(const char* first, const char* const last) {
  constexpr int kChunk = 19;  // digits that fit 64 bits, whose arithmetic is faster
  Digits value = 0;
  std::uint64_t chunk = 0;
  int in_chunk = 0;
  for (; first <= last; ++first) {
    if (*first == '.') continue;
    chunk = chunk * 10 + static_cast<std::uint64_t>(*first - '0');
    if (++in_chunk == kChunk) {
      value = value * kPowersOfTen[kChunk] + chunk;
      chunk = 0;
      in_chunk = 0;
    }
  }
  return value * kPowersOfTen[static_cast<std::size_t>(in_chunk)] + chunk;
}

// Most numbers have at most 18 digits and no exponent: one pass in 64 bits, and no limit can be exceeded. Returns
// nullopt for all others, malformed ones included; the general parser handles those.
std::optional<Number> parse_short(const char* at, const char* const end, bool negative) {
  if (at == end || end - at > 18) return std::nullopt;
  std::uint64_t digits = 0;
  const char* point = nullptr;
  for (const char* next = at; next != end; ++next) {
    if (is_digit(*next)) {
      digits = digits * 10 + static_cast<std::uint64_t>(*next - '0');
    } else if (*next == '.' && point == nullptr) {
      point = next;
    } else {
      return std::nullopt;
    }
  }
  if (point != nullptr && end - at == 1) return std::nullopt;  // "."
  const auto decimals = point != nullptr ? end - point - 1 : 0;
  return Number::from_parts(negative, digits, -static_cast<int>(decimals));
}

// The Number of these parts, or DynamoDB's refusal. `digits` may have trailing zeros.
Result<Number> checked(bool negative, Digits digits, int exponent) {
  int count = count_digits(digits);
  if (count == 0) return Number();
  const int leading = exponent + count - 1;
  if (leading > limits::kNumberExponentMax) return fail(overflow());
  if (leading < limits::kNumberExponentMin) return fail(underflow());
  for (; count > limits::kNumberDigitsMax && digits % 10 == 0; --count) {
    digits /= 10;
    ++exponent;
  }
  if (count > limits::kNumberDigitsMax) return fail(overflow());
  return Number::from_parts(negative, digits, exponent);
}

}  // namespace

void Number::require_in_range(Digits digits, int exponent) {
  const int count = count_digits(digits);
  TAVOLA_ASSERT(count <= limits::kNumberDigitsMax);
  const std::int64_t leading = std::int64_t{exponent} + count - 1;
  TAVOLA_ASSERT(leading >= limits::kNumberExponentMin && leading <= limits::kNumberExponentMax);
}

Result<Number> Number::parse(std::string_view text) {
  const char* at = text.data();
  const char* const end = at + text.size();
  const bool negative = at != end && *at == '-';
  if (at != end && (*at == '-' || *at == '+')) ++at;
  if (const auto number = parse_short(at, end, negative)) return *number;

  const Significant mantissa = scan_mantissa(at, end);
  if (mantissa.end == nullptr) [[unlikely]]
    return fail(not_a_number(text));
  int written_exponent = 0;
  if (mantissa.end != end) {
    const auto read = read_exponent(mantissa.end, end);
    if (!read) return fail(not_a_number(text));
    written_exponent = *read;
  }
  if (mantissa.first == nullptr) return Number();

  const int count = mantissa.count();
  const int exponent = mantissa.exponent() + written_exponent;
  const int leading = exponent + count - 1;
  if (leading > limits::kNumberExponentMax) return fail(overflow());
  if (leading < limits::kNumberExponentMin) return fail(underflow());
  if (count > limits::kNumberDigitsMax) return fail(too_many_digits());

  Number number;
  number.digits_ = read_digits(mantissa.first, mantissa.last);
  number.exponent_ = static_cast<std::int16_t>(exponent);
  number.negative_ = negative;
  return number;
}

std::string Number::to_string() const {
  std::string text;
  append_to(text);
  return text;
}

// DynamoDB never answers with an exponent: 1E+100 comes back as a one and a hundred zeros (boto3 issue 2500).
void Number::append_to(std::string& out) const {
  if (digits_ == 0) {
    out.push_back('0');
    return;
  }
  char buffer[decimal::kTextChars];
  const auto count = static_cast<int>(decimal::write_digits(digits_, buffer) - buffer);
  const int integer_digits = count + exponent_;  // digits before the point
  if (negative_) out.push_back('-');
  if (exponent_ >= 0) {
    out.append(buffer, static_cast<std::size_t>(count)).append(static_cast<std::size_t>(exponent_), '0');
  } else if (integer_digits > 0) {
    out.append(buffer, static_cast<std::size_t>(integer_digits)).push_back('.');
    out.append(buffer + integer_digits, static_cast<std::size_t>(count - integer_digits));
  } else {
    out.append("0.").append(static_cast<std::size_t>(-integer_digits), '0');
    out.append(buffer, static_cast<std::size_t>(count));
  }
}

std::optional<std::int64_t> Number::to_int64() const {
  constexpr auto kMax = static_cast<Digits>(std::numeric_limits<std::int64_t>::max());
  if (exponent_ < 0 || exponent_ > 18) return std::nullopt;
  Digits value = 0;
  if (__builtin_mul_overflow(digits_, kPowersOfTen[static_cast<std::size_t>(exponent_)], &value)) {
    return std::nullopt;
  }
  if (value > kMax + (negative_ ? 1 : 0)) return std::nullopt;
  const auto magnitude = static_cast<std::uint64_t>(value);
  return static_cast<std::int64_t>(negative_ ? 0 - magnitude : magnitude);
}

double Number::to_double() const {
  const std::string text = to_string();
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

namespace {

// The sign of a number as -1, 0 or 1.
int sign(const Number& number) { return number.is_zero() ? 0 : number.is_negative() ? -1 : 1; }

std::strong_ordering compare_magnitudes(const Number& a, const Number& b) {
  const int a_count = count_digits(a.digits());
  const int b_count = count_digits(b.digits());
  if (const auto order = a_count + a.exponent() <=> b_count + b.exponent(); order != 0) return order;
  // The leading digits are at the same position: compare as many digits as the longer number has, at most 38.
  const int longer = std::max(a_count, b_count);
  const auto scaled = [longer](Digits digits, int count) {
    return digits * kPowersOfTen[static_cast<std::size_t>(longer - count)];
  };
  return scaled(a.digits(), a_count) <=> scaled(b.digits(), b_count);
}

}  // namespace

std::strong_ordering operator<=>(const Number& a, const Number& b) {
  const int a_sign = sign(a);
  const int b_sign = sign(b);
  if (a_sign != b_sign) return a_sign <=> b_sign;
  if (a_sign == 0) return std::strong_ordering::equal;
  return a_sign > 0 ? compare_magnitudes(a, b) : compare_magnitudes(b, a);
}

Number Number::operator-() const {
  Number negated = *this;
  negated.negative_ = !negative_ && digits_ != 0;
  return negated;
}

// A sum that needs more than 38 digits is refused as an overflow, as on AWS, whose text does not fit the case
// (Alternator's test_number, test_update_expression_plus_imprecise).
Result<Number> operator+(const Number& a, const Number& b) {
  if (a.is_zero()) return b;
  if (b.is_zero()) return a;
  const Number& high = a.exponent_ >= b.exponent_ ? a : b;
  const Number& low = a.exponent_ >= b.exponent_ ? b : a;
  const int shift = high.exponent_ - low.exponent_;
  // The last digit of `low` is not 0 and is `shift` positions below the last of `high`, so it is also the last digit of
  // the result. A shift by more than 38 therefore leaves more than 38 digits, even after borrowing.
  Digits scaled = 0;
  if (shift >= static_cast<int>(decimal::kPowers) ||
      __builtin_mul_overflow(high.digits_, kPowersOfTen[static_cast<std::size_t>(shift)], &scaled)) {
    return fail(overflow());
  }
  Digits digits = 0;
  bool negative = high.negative_;
  if (high.negative_ == low.negative_) {
    if (__builtin_add_overflow(scaled, low.digits_, &digits)) return fail(overflow());
  } else if (scaled >= low.digits_) {
    digits = scaled - low.digits_;
  } else {
    digits = low.digits_ - scaled;
    negative = low.negative_;
  }
  return checked(negative, digits, low.exponent_);
}

Result<Number> operator-(const Number& a, const Number& b) { return a + -b; }

Result<Number> operator*(const Number& a, const Number& b) {
  if (a.is_zero() || b.is_zero()) return Number();
  Digits x = a.digits_;
  Digits y = b.digits_;
  int exponent = a.exponent_ + b.exponent_;
  // Trailing zeros of the product come from twos in one factor and fives in the other (no factor has both). After
  // removing them the product has no trailing zero, so it is exact in 38 digits or not at all.
  const auto take_out_tens = [&exponent](Digits& twos, Digits& fives) {
    while (twos % 2 == 0 && fives % 5 == 0) {
      twos /= 2;
      fives /= 5;
      ++exponent;
    }
  };
  take_out_tens(x, y);
  take_out_tens(y, x);
  Digits digits = 0;
  if (__builtin_mul_overflow(x, y, &digits)) return fail(overflow());
  return checked(a.negative_ != b.negative_, digits, exponent);
}

Result<Number> operator/(const Number& a, const Number& b) {
  if (b.is_zero()) return fail(Error::validation("A number cannot be divided by zero"));
  if (a.is_zero()) return Number();
  const Digits divisor = b.digits_;
  Digits quotient = a.digits_ / divisor;
  Digits rest = a.digits_ % divisor;
  int exponent = a.exponent_ - b.exponent_;
  // Long division, digit by digit. Ten times the rest may exceed 128 bits, so it is added ten times.
  for (; rest != 0 && count_digits(quotient) < limits::kNumberDigitsMax; --exponent) {
    Digits next = 0;
    unsigned digit = 0;
    for (int i = 0; i < 10; ++i) {
      next += rest;
      if (next >= divisor) {
        next -= divisor;
        ++digit;
      }
    }
    quotient = quotient * 10 + digit;
    rest = next;
  }
  const Digits half = divisor - rest;  // equals the rest if the rest is half of the divisor
  if (rest > half || (rest == half && quotient % 2 == 1)) ++quotient;
  return checked(a.negative_ != b.negative_, quotient, exponent);
}

Number Number::rounded(int places) const {
  const int dropped = -exponent_ - places;  // digits
  if (dropped <= 0) return *this;
  if (dropped >= static_cast<int>(decimal::kPowers)) return {};
  const Digits unit = decimal::kPowersOfTen[static_cast<std::size_t>(dropped)];
  const Digits rest = digits_ % unit;
  return from_parts(negative_, digits_ / unit + (rest >= unit - rest ? 1 : 0), exponent_ + dropped);
}

Number Number::floor() const {
  if (is_integer()) return *this;
  const auto dropped = static_cast<std::size_t>(-exponent_);
  const Digits whole = dropped < decimal::kPowers ? digits_ / decimal::kPowersOfTen[dropped] : 0;
  return from_parts(negative_, whole + (negative_ ? 1 : 0), 0);
}

inline namespace literals {

Number operator""_n(const char* text) {
  std::string digits(text);
  std::erase(digits, '\'');  // 1'000'000_n
  const Result<Number> number = Number::parse(digits);
  TAVOLA_ASSERT(number.has_value());
  return *number;
}

}  // namespace literals

}  // namespace tavola
