// Which fields may not be shown.
#pragma once

#include "design/model/model.h"

namespace tavola::design {

// Returns whether the field or a part of it is sensitive: no message may show its whole value.
bool holds_secret(const Attribute& field);

}  // namespace tavola::design
