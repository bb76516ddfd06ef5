// The detail of a Validation error about a read from an index that is still being built.
#pragma once

#include <tavola/error.h>

namespace tavola {

struct IndexNotReady : ErrorDetail {};

}  // namespace tavola
