#include "base/assert.h"

#include <cstdio>
#include <cstdlib>

namespace tavola {

void assertion_failed(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "tavola: broken invariant at %s:%d: %s\n", file, line, condition);
  std::abort();
}

}  // namespace tavola
