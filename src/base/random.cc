#include "base/random.h"

#include <cstdio>
#include <random>

namespace tavola {

namespace {

// Appends the lowest 5 × `count` bits of `bits`, highest first. I, L, O and U are left out: they look like others, or
// spell words.
void append_base32(std::string& out, std::uint64_t bits, int count) {
  static constexpr char kDigits[] = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
  for (int i = count - 1; i >= 0; --i) out += kDigits[bits >> (5 * i) & 0x1F];
}

}  // namespace

Random& Random::system() {
  struct SystemRandom final : Random {
    std::uint64_t next() override {
      std::random_device device;
      return std::uniform_int_distribution<std::uint64_t>()(device);
    }
  };
  static SystemRandom random;
  return random;
}

std::uint64_t RecordedRandom::next() {
  if (position_ == drawn_.size()) drawn_.push_back(source_.next());
  return drawn_[position_++];
}

std::string make_uuid(Random& random) {
  const std::uint64_t high = random.next();
  const std::uint64_t low = random.next();
  char text[37];
  // RFC 9562: the version 4 in the seventh byte, the variant 10 in the ninth.
  std::snprintf(text, sizeof text, "%08x-%04x-4%03x-%04x-%04x%08x", static_cast<unsigned>(high >> 32),
                static_cast<unsigned>(high >> 16 & 0xFFFF), static_cast<unsigned>(high & 0xFFF),
                static_cast<unsigned>((low >> 48 & 0x3FFF) | 0x8000),
                static_cast<unsigned>(low >> 32 & 0xFFFF), static_cast<unsigned>(low & 0xFFFFFFFF));
  return text;
}

std::string make_ulid(WallTime now, Random& random) {
  std::string text;
  append_base32(text, static_cast<std::uint64_t>(now.time_since_epoch().count()) & 0xFFFF'FFFF'FFFF, 10);
  append_base32(text, random.next(), 8);
  append_base32(text, random.next(), 8);
  return text;
}

}  // namespace tavola
