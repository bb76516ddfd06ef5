#include "wire/client/export_messages.h"

#include "wire/client/answer_parts.h"
#include "wire/codec/created_table.h"
#include "wire/codec/export_shapes.h"

namespace tavola::wire {
namespace {

void write_given(json::Writer& json, std::string_view name, std::string_view text) {
  if (!text.empty()) json.name(name).text(text);
}

void write_period(json::Writer& json, const std::optional<ExportPeriod>& period) {
  if (!period) return;
  json.name("IncrementalExportSpecification").begin_object();
  write_time_member(json, "ExportFromTime", period->from);
  write_time_member(json, "ExportToTime", period->to);
  json.name("ExportViewType").text(enum_name(period->view));
  json.end_object();
}

void write_csv_options(json::Writer& json, const CsvOptions& csv) {
  if (csv.delimiter.empty() && csv.header.empty()) return;
  json.name("InputFormatOptions").begin_object();
  json.name("Csv").begin_object();
  write_given(json, "Delimiter", csv.delimiter);
  if (!csv.header.empty()) {
    json.name("HeaderList").begin_list();
    for (const std::string& name : csv.header) json.text(name);
    json.end_list();
  }
  json.end_object();
  json.end_object();
}

std::optional<ExportPeriod> period_in(const Fields& in) {
  const auto fields = in.structure("IncrementalExportSpecification", "IncrementalExportSpecification");
  if (!fields) return std::nullopt;
  return ExportPeriod{.from = time_in(*fields, "ExportFromTime").value_or(WallTime()),
                      .to = time_in(*fields, "ExportToTime").value_or(WallTime()),
                      .view = one_of_or(*fields, "ExportViewType", ExportView::NewAndOldImages)};
}

ExportDescription export_in(const Fields& in) {
  ExportDescription description;
  description.export_name = part_of_arn(in, "ExportArn");
  description.status = one_of_or(in, "ExportStatus", ExportStatus::InProgress);
  ExportTableRequest& request = description.request;
  request.table_name =
      in.has("TableArn") ? part_of_arn(in, "TableArn") : table_of_part(description.export_name);
  request.client_token = text_in(in, "ClientToken");
  request.bucket = text_in(in, "S3Bucket");
  request.prefix = text_in(in, "S3Prefix");
  request.format = one_of_or(in, "ExportFormat", ExportFormat::DynamoDbJson);
  request.type = one_of_or(in, "ExportType", ExportType::Full);
  request.period = period_in(in);
  request.moment = time_in(in, "ExportTime");
  description.table_id = text_in(in, "TableId");
  description.moment = request.moment.value_or(WallTime());
  description.started_at = time_in(in, "StartTime").value_or(WallTime());
  description.ended_at = time_in(in, "EndTime");
  description.manifest = text_in(in, "ExportManifest");
  description.billed_bytes = in.integer("BilledSizeBytes", kLong).value_or(0);
  description.item_count = in.integer("ItemCount", kLong).value_or(0);
  description.failure_code = text_in(in, "FailureCode");
  description.failure_message = text_in(in, "FailureMessage");
  return description;
}

CsvOptions csv_in(const Fields& in) {
  const auto options = in.structure("InputFormatOptions", "InputFormatOptions");
  const auto csv = options ? options->structure("Csv", "CsvOptions") : std::nullopt;
  if (!csv) return {};
  return {.delimiter = text_in(*csv, "Delimiter"),
          .header = csv->texts("HeaderList").value_or(std::vector<std::string>())};
}

ImportDescription import_in(const Fields& in) {
  ImportDescription description;
  description.import_name = part_of_arn(in, "ImportArn");
  description.status = one_of_or(in, "ImportStatus", ImportStatus::InProgress);
  ImportTableRequest& request = description.request;
  request.client_token = text_in(in, "ClientToken");
  if (const auto source = in.structure("S3BucketSource", "S3BucketSource")) {
    request.bucket = text_in(*source, "S3Bucket");
    request.prefix = text_in(*source, "S3KeyPrefix");
  }
  request.format = one_of_or(in, "InputFormat", InputFormat::DynamoDbJson);
  request.compression = one_of_or(in, "InputCompressionType", InputCompression::None);
  request.csv = csv_in(in);
  if (const auto table = in.structure("TableCreationParameters", "TableCreationParameters"))
    request.table = read_created_table(*table);
  if (request.table.table_name.empty()) request.table.table_name = table_of_part(description.import_name);
  description.table_id = text_in(in, "TableId");
  description.started_at = time_in(in, "StartTime").value_or(WallTime());
  description.ended_at = time_in(in, "EndTime");
  description.error_count = in.integer("ErrorCount", kLong).value_or(0);
  description.processed_items = in.integer("ProcessedItemCount", kLong).value_or(0);
  description.imported_items = in.integer("ImportedItemCount", kLong).value_or(0);
  description.processed_bytes = in.integer("ProcessedSizeBytes", kLong).value_or(0);
  description.failure_code = text_in(in, "FailureCode");
  description.failure_message = text_in(in, "FailureMessage");
  return description;
}

}  // namespace

std::string export_body(const std::string& arns, const ExportTableRequest& request) {
  return object([&](json::Writer& json) {
    json.name("TableArn").text(arns + request.table_name);
    write_time_member(json, "ExportTime", request.moment);
    write_given(json, "ClientToken", request.client_token);
    json.name("S3Bucket").text(request.bucket);
    write_given(json, "S3Prefix", request.prefix);
    json.name("ExportFormat").text(enum_name(request.format));
    json.name("ExportType").text(enum_name(request.type));
    write_period(json, request.period);
  });
}

std::string describe_export_body(const std::string& arns, const DescribeExportRequest& request) {
  return object([&](json::Writer& json) { json.name("ExportArn").text(arns + request.export_name); });
}

std::string list_exports_body(const std::string& arns, const ListExportsRequest& request) {
  return object([&](json::Writer& json) {
    if (!request.table_name.empty()) json.name("TableArn").text(arns + request.table_name);
    if (request.max_results) json.name("MaxResults").integer(*request.max_results);
    write_given(json, "NextToken", request.next_token);
  });
}

std::string to_json(const ImportTableRequest& request) {
  return object([&request](json::Writer& json) {
    write_given(json, "ClientToken", request.client_token);
    json.name("S3BucketSource").begin_object();
    json.name("S3Bucket").text(request.bucket);
    write_given(json, "S3KeyPrefix", request.prefix);
    json.end_object();
    json.name("InputFormat").text(enum_name(request.format));
    json.name("InputCompressionType").text(enum_name(request.compression));
    write_csv_options(json, request.csv);
    json.name("TableCreationParameters").raw() += to_json(request.table);
  });
}

std::string describe_import_body(const std::string& arns, const DescribeImportRequest& request) {
  return object([&](json::Writer& json) { json.name("ImportArn").text(arns + request.import_name); });
}

std::string list_imports_body(const std::string& arns, const ListImportsRequest& request) {
  return object([&](json::Writer& json) {
    if (!request.table_name.empty()) json.name("TableArn").text(arns + request.table_name);
    if (request.page_size) json.name("PageSize").integer(*request.page_size);
    write_given(json, "NextToken", request.next_token);
  });
}

Result<ExportDescription> read_export_answer(JsonValue body) {
  Problems problems;
  const Fields in(body, problems);
  TAVOLA_TRY(const Fields fields, required_structure(in, "ExportDescription"));
  ExportDescription description = export_in(fields);
  TAVOLA_CHECK(problems.check());
  return description;
}

Result<ListExportsResponse> read_exports(JsonValue body) {
  Problems problems;
  const Fields in(body, problems);
  ListExportsResponse response;
  for (const Fields& one : in.structures("ExportSummaries", "ExportSummary").value_or(std::vector<Fields>()))
    response.exports.push_back(export_in(one));
  response.next_token = text_in(in, "NextToken");
  TAVOLA_CHECK(problems.check());
  return response;
}

Result<ImportDescription> read_import_answer(JsonValue body) {
  Problems problems;
  const Fields in(body, problems);
  TAVOLA_TRY(const Fields fields, required_structure(in, "ImportTableDescription"));
  ImportDescription description = import_in(fields);
  TAVOLA_CHECK(problems.check());
  return description;
}

Result<ListImportsResponse> read_imports(JsonValue body) {
  Problems problems;
  const Fields in(body, problems);
  ListImportsResponse response;
  for (const Fields& one :
       in.structures("ImportSummaryList", "ImportSummary").value_or(std::vector<Fields>())) {
    response.imports.push_back(import_in(one));
  }
  response.next_token = text_in(in, "NextToken");
  TAVOLA_CHECK(problems.check());
  return response;
}

std::string policy_body(const std::string& arns, const PutResourcePolicyRequest& request) {
  return object([&](json::Writer& json) {
    json.name("ResourceArn").text(arns + request.resource);
    json.name("Policy").text(request.policy);
    write_given(json, "ExpectedRevisionId", request.expected_revision_id);
    if (request.may_lock_out) json.name("ConfirmRemoveSelfResourceAccess").boolean(true);
  });
}

std::string policy_body(const std::string& arns, const GetResourcePolicyRequest& request) {
  return object([&](json::Writer& json) { json.name("ResourceArn").text(arns + request.resource); });
}

std::string policy_body(const std::string& arns, const DeleteResourcePolicyRequest& request) {
  return object([&](json::Writer& json) {
    json.name("ResourceArn").text(arns + request.resource);
    write_given(json, "ExpectedRevisionId", request.expected_revision_id);
  });
}

Result<PutResourcePolicyResponse> read_put_policy(JsonValue body) {
  Problems problems;
  PutResourcePolicyResponse response{text_in(Fields(body, problems), "RevisionId")};
  TAVOLA_CHECK(problems.check());
  return response;
}

Result<GetResourcePolicyResponse> read_policy(JsonValue body) {
  Problems problems;
  const Fields in(body, problems);
  GetResourcePolicyResponse response{.policy = text_in(in, "Policy"),
                                     .revision_id = text_in(in, "RevisionId")};
  TAVOLA_CHECK(problems.check());
  return response;
}

Result<DeleteResourcePolicyResponse> read_deleted_policy(JsonValue body) {
  Problems problems;
  DeleteResourcePolicyResponse response{text_in(Fields(body, problems), "RevisionId")};
  TAVOLA_CHECK(problems.check());
  return response;
}

}  // namespace tavola::wire
