// Requests of exports, imports and resource policies as a client sends them, and their responses. On the wire tables, exports, imports and
// streams have ARNs: `arns` is the part of every ARN of the server that ends with "table/"; a Database uses the rest.
#pragma once

#include <string>

#include <tavola/error.h>
#include <tavola/exports.h>
#include <tavola/policies.h>

#include "wire/codec/json.h"

namespace tavola::wire {

std::string export_body(const std::string& arns, const ExportTableRequest& request);
std::string describe_export_body(const std::string& arns, const DescribeExportRequest& request);
std::string list_exports_body(const std::string& arns, const ListExportsRequest& request);
std::string to_json(const ImportTableRequest& request);
std::string describe_import_body(const std::string& arns, const DescribeImportRequest& request);
std::string list_imports_body(const std::string& arns, const ListImportsRequest& request);

Result<ExportDescription> read_export_answer(JsonValue body);
Result<ListExportsResponse> read_exports(JsonValue body);
Result<ImportDescription> read_import_answer(JsonValue body);
Result<ListImportsResponse> read_imports(JsonValue body);

std::string policy_body(const std::string& arns, const PutResourcePolicyRequest& request);
std::string policy_body(const std::string& arns, const GetResourcePolicyRequest& request);
std::string policy_body(const std::string& arns, const DeleteResourcePolicyRequest& request);

Result<PutResourcePolicyResponse> read_put_policy(JsonValue body);
Result<GetResourcePolicyResponse> read_policy(JsonValue body);
Result<DeleteResourcePolicyResponse> read_deleted_policy(JsonValue body);

}  // namespace tavola::wire
