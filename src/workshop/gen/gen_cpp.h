// A C++ header for one design: a struct per entity, key builders, and one typed function per pattern and operation. It holds
// the design's text and runs on <tavola/design.h>, so that it does exactly what the design says.
#pragma once

#include <string>
#include <string_view>

#include "design/model/model.h"

namespace tavola::workshop {

// `design_text` is the text that `design` was loaded from.
std::string gen_cpp(const design::Design& design, std::string_view design_text);

}  // namespace tavola::workshop
