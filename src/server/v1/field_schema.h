// Fields as JSON Schema.
#pragma once

#include <span>

#include "design/model/model.h"
#include "json/writer.h"

namespace tavola::server {

// The schema of one field: its type and its bounds, as plain JSON has them.
void write_schema(json::Writer& json, const design::Attribute& field);
// The members `type`, `properties` and `required` of an object that is open.
enum class Whole : bool {
  No,
  Yes
};  // No: any of the fields may be missing, as where an index does not project them
void write_object_schema(json::Writer& json, std::span<const design::Attribute> fields, Whole whole);

}  // namespace tavola::server
