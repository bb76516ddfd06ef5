// A TypeScript module for the pages and programs that use a design by name, under /v1 of a server: an interface per entity, a
// function per pattern and operation. It imports nothing, so that a page loads a few kilobytes; numbers are exact.
#pragma once

#include <string>

#include "design/model/model.h"

namespace tavola::workshop {

std::string gen_ts_v1(const design::Design& design);

}  // namespace tavola::workshop
