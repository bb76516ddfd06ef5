// Fields as JSON Schema.
#pragma once

#include <span>

#include "design/model/model.h"
#include "json/writer.h"

namespace tavola::server {

// Writes the schema of one field: its type and its bounds, as in plain JSON.
void write_schema(json::Writer& json, const design::Attribute& field);
// Writes the members `type`, `properties` and `required` of an object that is still open.
enum class Whole : bool {
  No,
  Yes
};  // No: any of the fields may be missing, as where an index does not project them
void write_object_schema(json::Writer& json, std::span<const design::Attribute> fields, Whole whole);

}  // namespace tavola::server
