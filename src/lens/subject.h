// A table and its design, as a lens looks at them.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include <tavola/database.h>

#include "base/clock.h"
#include "base/random.h"
#include "design/model/model.h"

namespace tavola::lens {

// A lens that reads page after page stops at the first page after this time, and returns where to resume.
inline constexpr std::chrono::milliseconds kReadingMax{400};

enum class Sensitive : std::uint8_t { Masked, Shown };

struct Subject {
  const design::Design& design;
  Database& database;  // the caller's: what they may not read is not shown
  const Clock& clock = Clock::system();
  Random& random = Random::system();
  Sensitive sensitive = Sensitive::Masked;    // attributes that the design marks as sensitive
  std::string page_secret = {};               // seals the page tokens of patterns
  std::shared_ptr<const Caller> caller = {};  // null: an operator
};

}  // namespace tavola::lens
