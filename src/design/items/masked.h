// Values as logs, reports and audit trails may show them: "***" stands for what is sensitive.
#pragma once

#include <vector>

#include <tavola/value.h>

#include "design/model/model.h"

namespace tavola::design {

// Returns the value without sensitive parts. A value of another shape than the field's is replaced as a whole if the field has such parts.
Value masked(const Attribute& field, const Value& value);
// Returns the declared fields alone, without sensitive values.
Item masked(const std::vector<Attribute>& fields, const Item& values);

}  // namespace tavola::design
