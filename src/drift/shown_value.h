// Values and keys in the report: what is sensitive is not shown.
#pragma once

#include <string>

#include <tavola/value.h>

#include "design/model/model.h"

namespace tavola::drift {

// Returns the value as JSON, "absent" if there is none. `field` is null for an attribute that no field declares.
std::string shown_value(const design::Attribute* field, const Value* value);

// Returns the key of an item; that of a unique guard without the value, if its field is sensitive.
Item shown_key(const design::Design& design, const Item& key);

}  // namespace tavola::drift
