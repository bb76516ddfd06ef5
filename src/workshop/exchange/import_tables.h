// Designs from table definitions: CloudFormation (and what CreateTable takes) and Terraform. These know keys and indexes
// and nothing of the items, so the design has one entity, which stands for all of them.
#pragma once

#include <string_view>
#include <vector>

#include <tavola/error.h>

#include "workshop/exchange/workbench.h"

namespace tavola::workshop {

// A template in YAML or JSON; one design for each AWS::DynamoDB::Table. The request of CreateTable in JSON will do, too.
// Functions (!Ref, !Sub) are read as texts: a name that is computed gives way to the name of the resource.
// Fails with Validation when the text cannot be read or defines no table.
Result<std::vector<Imported>> import_cloudformation(std::string_view text);

// The aws_dynamodb_table blocks of a file in HCL; everything else in it is passed over.
Result<std::vector<Imported>> import_terraform(std::string_view text);

}  // namespace tavola::workshop
