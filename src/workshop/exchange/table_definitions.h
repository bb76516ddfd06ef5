// The table of a design, in the words of those who create tables.
#pragma once

#include <optional>
#include <string>

#include "design/model/model.h"

namespace tavola::workshop {

// For `aws dynamodb create-table --cli-input-json`.
std::string create_table_json(const design::Design& design);
// For `aws dynamodb update-time-to-live --cli-input-json`, behind it; nothing when nothing expires.
std::optional<std::string> time_to_live_json(const design::Design& design);
// A template with the table as its resource.
std::string cloud_formation(const design::Design& design);
// A resource in HCL; the table's name is a variable if the design names one.
std::string terraform(const design::Design& design);

}  // namespace tavola::workshop
