// A reader for the blocks of Terraform's language: as much of it as table definitions need.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <tavola/error.h>

#include "yaml/node.h"

namespace tavola::workshop {

// resource "aws_dynamodb_table" "orders" { … }
struct HclBlock {
  std::vector<std::string> labels;  // with the block's type first
  // Arguments by name: texts without their quotes, expressions verbatim, inner blocks as lists of maps.
  yaml::Node body;
};

// Returns all blocks at the outermost level. Fails with Validation and the line.
Result<std::vector<HclBlock>> parse_hcl(std::string_view text);

}  // namespace tavola::workshop
