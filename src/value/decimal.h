// Powers of ten and decimal digits of 128-bit integers, for Number and its encodings.
#pragma once

#include <array>
#include <bit>
#include <charconv>
#include <cstddef>
#include <cstdint>

#include <tavola/number.h>

namespace tavola::decimal {

using Digits = Number::Digits;

// 10^0 … 10^38; the last is the largest power of ten that 128 bits hold.
inline constexpr std::size_t kPowers = 39;
inline constexpr std::array<Digits, kPowers> kPowersOfTen = [] {
  std::array<Digits, kPowers> powers{};
  powers[0] = 1;
  for (std::size_t i = 1; i < kPowers; ++i) powers[i] = powers[i - 1] * 10;
  return powers;
}();

// Returns the number of decimal digits of `value`; zero has none.
constexpr int count_digits(Digits value) {
  if (value == 0) return 0;
  const auto high = static_cast<std::uint64_t>(value >> 64);
  const std::size_t bits =
      high != 0 ? 64U + std::bit_width(high) : std::bit_width(static_cast<std::uint64_t>(value)) + 0U;
  const std::size_t guess = bits * 1233 >> 12;  // 1233/4096 is just below log10(2): exact, or one too small
  return static_cast<int>(guess + (value >= kPowersOfTen[guess] ? 1 : 0));
}

// Room for the digits of any 128-bit integer.
inline constexpr std::size_t kTextChars = 39;

// Writes the digits of `value` (not zero) to `out`, which has room for kTextChars; returns one past the last.
inline char* write_digits(Digits value, char* out) {
  constexpr std::uint64_t kBillions = 10'000'000'000'000'000'000U;  // 10^19
  if ((value >> 64) == 0) return std::to_chars(out, out + kTextChars, static_cast<std::uint64_t>(value)).ptr;
  out = write_digits(value / kBillions, out);
  auto low = static_cast<std::uint64_t>(value % kBillions);
  for (int i = 18; i >= 0; --i, low /= 10) out[i] = static_cast<char>('0' + low % 10);
  return out + 19;
}

}  // namespace tavola::decimal
