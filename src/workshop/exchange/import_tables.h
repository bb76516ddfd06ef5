// Designs from table definitions: CloudFormation (and requests of CreateTable) and Terraform. These define keys and
// indexes only, so the design has one entity, which stands for all items.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <tavola/error.h>
#include <tavola/requests.h>

#include "workshop/exchange/workbench.h"
#include "yaml/node.h"

namespace tavola::workshop {

// Imports a template in YAML or JSON; one design for each AWS::DynamoDB::Table. Accepts the request of CreateTable in
// JSON, too. Functions (!Ref, !Sub) are read as texts: a computed name is replaced by the name of the resource. Fails
// with Validation if the text cannot be read or defines no table.
Result<std::vector<Imported>> import_cloudformation(std::string_view text);

// Returns the table of a request of CreateTable, or of the properties of a CloudFormation resource. An index whose keys have several
// attributes is left out, because a design has no such index, and is named in `left_out`.
TableDescription table_of_request(const yaml::Node& request, const std::string& name_if_missing,
                                  std::vector<std::string>& left_out);

// Imports the aws_dynamodb_table blocks of a file in HCL, and ignores everything else in it.
Result<std::vector<Imported>> import_terraform(std::string_view text);

}  // namespace tavola::workshop
