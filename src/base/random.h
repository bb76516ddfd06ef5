// Randomness is injected, so that a test can repeat a run from its seed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/clock.h"

namespace tavola {

// Thread safety: next() may be called from any thread.
class Random {
 public:
  virtual ~Random() = default;
  virtual std::uint64_t next() = 0;

  // The operating system's randomness; lives as long as the program.
  static Random& system();
};

// Records the values drawn from its source, and returns them again after rewind(): a calculation that is repeated gets the same
// values. Takes no memory until something is drawn. Thread safety: one thread at a time.
class RecordedRandom final : public Random {
 public:
  explicit RecordedRandom(Random& source) : source_(source) {}  // borrows it
  std::uint64_t next() override;
  void rewind() { position_ = 0; }

 private:
  Random& source_;
  std::vector<std::uint64_t> drawn_;
  std::size_t position_ = 0;
};

// A random (version 4) UUID, e.g. "3f2a…": 8-4-4-4-12 hexadecimal digits.
std::string make_uuid(Random& random);

// Returns a ULID of the time `now`: 26 characters of Crockford's base 32, the first ten of which encode the time. ULIDs
// of different milliseconds sort by time.
std::string make_ulid(WallTime now, Random& random);

}  // namespace tavola
