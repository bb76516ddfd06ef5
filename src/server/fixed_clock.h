// The option --clock, for tests: a moment that time stands still at.
#pragma once

#include <memory>
#include <string>

#include <tavola/error.h>

#include "base/clock.h"

namespace tavola::server {

// `said` is a moment (2026-01-15T10:00:00Z) or a file that holds one and is read whenever the time is asked for, so that a
// test can move it. Empty: the machine's clock. Fails with Validation when it is neither.
Result<std::shared_ptr<const Clock>> clock_of(const std::string& said);

}  // namespace tavola::server
