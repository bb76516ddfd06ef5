// The table of a design, in the formats of the tools that create tables.
#pragma once

#include <optional>
#include <string>

#include "design/model/model.h"

namespace tavola::workshop {

// Returns the input of `aws dynamodb create-table --cli-input-json`.
std::string create_table_json(const design::Design& design);
// Returns the input of `aws dynamodb update-time-to-live --cli-input-json`, to be run afterwards; nullopt if
// nothing expires.
std::optional<std::string> time_to_live_json(const design::Design& design);
// Returns a template with the table as its resource.
std::string cloud_formation(const design::Design& design);
// Returns a resource in HCL; the table's name is a variable if the design names one.
std::string terraform(const design::Design& design);

}  // namespace tavola::workshop
