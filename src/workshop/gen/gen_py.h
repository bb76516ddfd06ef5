// A Python module for one design, on the standard library and, for direct requests, boto3: a dataclass per entity, an
// exception per refusal, a client with a method per pattern and operation, and the same client for asyncio. The module
// has the design as JSON (design_json.h), which its common part, runtime/*.py, performs.
#pragma once

#include <string>

#include "design/model/model.h"

namespace tavola::workshop {

std::string gen_py(const design::Design& design);

}  // namespace tavola::workshop
