// A C++ header for one design: a struct per entity, key builders, and one typed function per pattern and operation. It holds
// the design's text and runs on <tavola/design.h>, so that it does what the design says and nothing else.
#pragma once

#include <string>
#include <string_view>

#include "design/model/model.h"

namespace tavola::workshop {

// `design_text` is what `design` was loaded from.
std::string gen_cpp(const design::Design& design, std::string_view design_text);

}  // namespace tavola::workshop
