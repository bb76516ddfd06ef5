#include "base/assert.h"

#include <cstdio>
#include <cstdlib>
#include <poll.h>
#include <unistd.h>

namespace tavola {

void assertion_failed(const char* condition, const char* file, int line) {
  // Standard error may be a pipe that is full because nobody reads it; the program must end anyway.
  pollfd errors{.fd = STDERR_FILENO, .events = POLLOUT, .revents = 0};
  constexpr int kPatienceMs = 1000;
  if (::poll(&errors, 1, kPatienceMs) != 0)
    std::fprintf(stderr, "tavola: broken invariant at %s:%d: %s\n", file, line, condition);
  std::abort();
}

}  // namespace tavola
