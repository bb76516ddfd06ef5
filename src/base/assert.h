// TAVOLA_ASSERT: a broken invariant of our own code stops the process, in every build, before it can write
// anything wrong. Bad input and bad stored bytes are never asserted: they are Errors.
#pragma once

namespace tavola {

[[noreturn]] void assertion_failed(const char* condition, const char* file, int line);

}  // namespace tavola

#define TAVOLA_ASSERT(condition) \
  ((condition) ? static_cast<void>(0) : ::tavola::assertion_failed(#condition, __FILE__, __LINE__))
