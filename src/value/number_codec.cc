// A number as bytes whose order is the order of numbers. The encoding is self-terminating, so it can be joined with
// other key parts.
//
//   positive   [0x80 + (e + 64)] [pair × 2 + 1] … [pair × 2]
//   negative   the same, every byte complemented
//   zero       80 00
//
// The value is 0.p₁p₂p₃… × 100^e, each pair two decimal digits (0 … 99), p₁ and the last pair not 00. The exponent lies
// in -64 … 63 exactly: 1E-130 is 0.01 × 100^-64 and 9.99…E+125 is 0.0999… × 100^63. A pair's lowest bit says that
// another one follows; as the last pair is not 00, a longer number with the same beginning is larger, in value and in
// bytes. Zero is 0.00 × 100^-64, just below the smallest positive number.
//
//   1    C1 02          0.01 × 100^1             -1    3E FD
//   99   C1 C6          0.99 × 100^1             100   C2 02
//   1965 C2 27 82       0.1965 × 100^2           0.5   C0 64
//
// There are one to 20 pairs, so 2 to 21 bytes.
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "value/decimal.h"
#include "value/key_codec.h"
#include "value/limits.h"

namespace tavola {

namespace {

constexpr int kExponentBias = 64;
constexpr unsigned kPositive = 0x80;
constexpr std::string_view kZero{"\x80\x00", 2};
constexpr int kPairsMax = 20;  // 38 digits that begin and end in the middle of a pair

Error bad_number(const char* reason) { return Error::corrupt(std::string("number: ") + reason); }

// Returns the exponent that the first byte says; that of a negative number is complemented.
int exponent_of(unsigned lead) {
  return static_cast<int>((lead < kPositive ? lead ^ 0xFFU : lead) - kPositive) - kExponentBias;
}

}  // namespace

void append_ordered_number(std::string& out, const Number& number) {
  if (number.is_zero()) {
    out.append(kZero);
    return;
  }
  // One zero before the digits and one after, used when a pair starts or ends with it.
  std::array<char, decimal::kTextChars + 2> text;
  text[0] = '0';
  char* const end = decimal::write_digits(number.digits(), text.data() + 1);
  *end = '0';
  const char* at = text.data() + 1;
  const int point = static_cast<int>(end - at) + number.exponent();  // value = 0.digits × 10^point
  const bool half_first = (point & 1) != 0;
  if (half_first) --at;
  const int exponent = (point + (half_first ? 1 : 0)) / 2;  // exact: the sum is even

  std::array<char, 1 + kPairsMax> bytes;
  std::size_t size = 0;
  const unsigned flip = number.is_negative() ? 0xFF : 0;
  bytes[size++] = static_cast<char>((kPositive + static_cast<unsigned>(exponent + kExponentBias)) ^ flip);
  for (; at < end; at += 2) {
    const auto pair = static_cast<unsigned>((at[0] - '0') * 10 + (at[1] - '0'));
    const unsigned more = at + 2 < end ? 1 : 0;
    bytes[size++] = static_cast<char>((pair * 2 + more) ^ flip);
  }
  out.append(bytes.data(), size);
}

Result<Number> read_ordered_number(std::string_view& in) {
  if (in.size() < 2) return fail(bad_number("too short"));
  const auto lead = static_cast<unsigned char>(in[0]);
  const bool negative = lead < kPositive;
  const unsigned flip = negative ? 0xFF : 0;
  const int exponent = exponent_of(lead);
  if (in.starts_with(kZero)) {
    in.remove_prefix(kZero.size());
    return Number();
  }

  Number::Digits digits = 0;
  int digit_count = 0;
  for (std::size_t i = 1;; ++i) {
    if (i == in.size()) return fail(bad_number("unfinished"));
    const unsigned byte = static_cast<unsigned char>(in[i]) ^ flip;
    const unsigned pair = byte / 2;
    if (pair > 99) return fail(bad_number("pair above 99"));
    if (i == 1 && pair == 0) return fail(bad_number("begins with a zero pair"));
    const bool last = (byte & 1) == 0;
    const bool half_last = last && pair % 10 == 0;
    digit_count += (i == 1 && pair < 10 ? 1 : 2) - (half_last ? 1 : 0);
    if (digit_count > limits::kNumberDigitsMax) return fail(bad_number("more than 38 digits"));
    digits = half_last ? digits * 10 + pair / 10 : digits * 100 + pair;
    if (!last) continue;
    if (pair == 0) return fail(bad_number("ends with a zero pair"));
    in.remove_prefix(i + 1);
    const int pairs_after_point = static_cast<int>(i) - exponent;
    return Number::from_parts(negative, digits, -2 * pairs_after_point + (half_last ? 1 : 0));
  }
}

// The last pair is not 00, so no pair may be behind the point.
bool is_ordered_integer(std::string_view bytes) {
  const int pairs = static_cast<int>(bytes.size()) - 1;
  return bytes == kZero || pairs <= exponent_of(static_cast<unsigned char>(bytes[0]));
}

}  // namespace tavola
