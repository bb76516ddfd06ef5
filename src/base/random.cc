#include "base/random.h"

#include <cstdio>
#include <random>

namespace tavola {

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

}  // namespace tavola
