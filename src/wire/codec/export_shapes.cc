#include "wire/codec/export_shapes.h"

#include <algorithm>

#include "wire/codec/backup_shapes.h"
#include "wire/codec/created_table.h"
#include "wire/codec/shapes.h"
#include "wire/codec/stream_shapes.h"
#include "wire/codec/table_shapes.h"

namespace tavola::wire {
namespace {

using std::chrono::milliseconds;

constexpr Lengths kTableArnLengths{1, 1024};
constexpr Lengths kJobArnLengths{37, 1024};
constexpr std::size_t kBucketCharsMax = 255;
constexpr std::size_t kPrefixCharsMax = 1024;
constexpr std::size_t kHeadersMax = 255;

bool is_word(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }

// AWS's pattern, and ours: a folder by its URL.
bool is_bucket(std::string_view name) {
  if (name.starts_with("file://")) return true;
  if (name.size() < 2 || !is_word(name.front()) || !is_word(name.back())) return false;
  return std::ranges::all_of(name, [](char c) { return is_word(c) || c == '.' || c == '-' || c == '_'; });
}

std::string read_bucket(const Fields& in) {
  const std::string name = in.text("S3Bucket", Presence::Required).value_or(std::string());
  Constraints& constraints = in.problems().constraints();
  if (!in.has("S3Bucket")) return name;
  if (name.size() > kBucketCharsMax && !name.starts_with("file://")) {
    constraints.add_broken(name, in.path_of("S3Bucket"), "have length less than or equal to 255");
  }
  if (!is_bucket(name)) {
    constraints.add_broken(name, in.path_of("S3Bucket"),
                           "satisfy regular expression pattern: ^[a-z0-9A-Z]+[\\.\\-\\w]*[a-z0-9A-Z]+$");
  }
  return name;
}

std::string read_prefix(const Fields& in, std::string_view name) {
  return read_sized_text(in, name, {0, kPrefixCharsMax});
}

void check_owner(const Fields& in) {
  const std::optional<std::string> owner = in.text("S3BucketOwner");
  if (!owner) return;
  const bool is_account = owner->size() == 12 && owner->find_first_not_of("0123456789") == std::string::npos;
  if (!is_account) {
    in.problems().constraints().add_broken(*owner, in.path_of("S3BucketOwner"),
                                           "satisfy regular expression pattern: [0-9]{12}");
  }
}

std::string read_token(const Fields& in, Presence presence) {
  const std::optional<std::string> token = in.text("ClientToken", presence);
  if (token && (token->empty() || token->contains('$'))) {
    in.problems().constraints().add_broken(*token, in.path_of("ClientToken"),
                                           "satisfy regular expression pattern: ^[^\\$]+$");
  }
  return token.value_or(std::string());
}

std::optional<ExportPeriod> read_period(const Fields& in, ExportType type, bool says_type) {
  const auto given = in.structure("IncrementalExportSpecification", "IncrementalExportSpecification");
  Problems& problems = in.problems();
  if (!given) {
    if (type == ExportType::Incremental) {
      problems.bad_value(Error::validation(
          "Invalid Request: Incremental Export Specification expected when export type is set as Incremental "
          "Export"));
    }
    return std::nullopt;
  }
  if (type == ExportType::Full) {
    problems.bad_value(Error::validation(
        says_type
            ? "Invalid Request: When Export Type is Full Export , Incremental Export Specification should "
              "not be provided"
            : "Invalid Request: Export Type expected to be Incremental Export when incremental export "
              "specification is provided"));
  }
  ExportPeriod period;
  const auto from = read_time(*given, "ExportFromTime");
  if (!from) {
    problems.bad_value(Error::validation(
        "Invalid Request: ExportFromTime must be provided in IncrementalExportSpecification"));
  }
  period.from = from.value_or(period.from);
  period.to = read_time(*given, "ExportToTime").value_or(period.to);
  period.view = given->one_of<ExportView>("ExportViewType").value_or(period.view);
  return period;
}

CsvOptions read_csv(const Fields& in) {
  CsvOptions csv;
  const auto options = in.structure("InputFormatOptions", "InputFormatOptions");
  const auto given = options ? options->structure("Csv", "CsvOptions") : std::nullopt;
  if (!given) return csv;
  Constraints& constraints = in.problems().constraints();
  if (const auto delimiter = given->text("Delimiter")) {
    constexpr std::string_view kDelimiters = ",;:|\t ";
    const std::string path = given->path_of("Delimiter");
    if (delimiter->size() != 1 || !kDelimiters.contains(delimiter->front())) {
      constraints.add_broken(*delimiter, path, "satisfy regular expression pattern: [,;:|\\t ]");
    }
    if (delimiter->size() > 1)
      constraints.add_broken(*delimiter, path, "have length less than or equal to 1");
    if (delimiter->empty())
      constraints.add_broken(*delimiter, path, "have length greater than or equal to 1");
    csv.delimiter = *delimiter;
  }
  if (const auto header = given->texts("HeaderList")) {
    const std::string path = given->path_of("HeaderList");
    if (header->empty()) constraints.add_broken("[]", path, "have length greater than or equal to 1");
    if (header->size() > kHeadersMax)
      constraints.add_broken("[...]", path, "have length less than or equal to 255");
    csv.header = *header;
  }
  return csv;
}

void write_moment(json::Writer& json, std::string_view name, std::chrono::sys_time<milliseconds> moment) {
  json.name(name);
  write_time(json, moment);
}

void write_failure(json::Writer& json, const std::string& code, const std::string& message) {
  if (code.empty()) return;
  json.name("FailureCode").text(code);
  json.name("FailureMessage").text(message);
}

std::string_view table_of(std::string_view job) { return job.substr(0, job.find('/')); }

}  // namespace

std::string read_table_arn(const Fields& in, Presence presence) {
  const std::string given = read_sized_text(in, "TableArn", kTableArnLengths, presence);
  if (given.empty()) return {};
  const auto resource = resource_in_arn(given);
  if (!resource) {
    in.problems().bad_value(
        Error::validation("One or more parameter values were invalid: tableArn is not a valid ARN"));
    return {};
  }
  if (resource->contains('/')) {
    in.problems().bad_value(Error::validation("Invalid Request: Table ARN is invalid."));
    return {};
  }
  return std::string(*resource);
}

std::string read_job_arn(const Fields& in, std::string_view name, std::string_view kind) {
  const std::string given = read_sized_text(in, name, kJobArnLengths, Presence::Required);
  const auto resource = resource_in_arn(given);
  const std::string middle = "/" + std::string(kind) + "/";
  const bool is_good = resource && resource->find(middle) == resource->find('/') &&
                       resource->find('/') != std::string_view::npos && table_of(*resource).size() >= 3;
  if (!is_good) {
    in.problems().bad_value(
        Error::validation(kind == "export" ? "Invalid Export ARN" : "Invalid Import ARN"));
    return {};
  }
  return std::string(*resource);
}

Result<void> refuse_other_owner(const Fields& in, const ServerIdentity& server) {
  const std::optional<std::string> owner = in.text("S3BucketOwner");
  if (!owner || *owner == server.account) return {};
  return fail(Error::validation("One or more parameter values were invalid: the bucket is not owned by " +
                                *owner + ", but by the account of this server, " + server.account +
                                "; leave S3BucketOwner out"));
}

Result<void> refuse_kms(const Fields& in) {
  TAVOLA_CHECK(refuse(in, {"S3SseKmsKeyId"}));
  if (in.one_of<SseAlgorithm>("S3SseAlgorithm") != SseAlgorithm::Kms) return {};
  return fail(Error::validation(
      "One or more parameter values were invalid: S3SseAlgorithm KMS is not supported by Tavola; "
      "leave it out"));
}

ExportTableRequest read_export(const Fields& in) {
  ExportTableRequest request;
  request.table_name = read_table_arn(in, Presence::Required);
  request.moment = read_time(in, "ExportTime");
  request.client_token = read_token(in, Presence::Optional);
  request.bucket = read_bucket(in);
  check_owner(in);
  request.prefix = read_prefix(in, "S3Prefix");
  in.one_of<SseAlgorithm>("S3SseAlgorithm");
  request.format = in.one_of<ExportFormat>("ExportFormat").value_or(ExportFormat::DynamoDbJson);
  const auto type = in.one_of<ExportType>("ExportType");
  request.type = type.value_or(ExportType::Full);
  request.period = read_period(in, request.type, type.has_value());
  return request;
}

ImportTableRequest read_import(const Fields& in) {
  ImportTableRequest request;
  // AWS's reference says optional; its server requires it, and its clients always send one.
  request.client_token = read_token(in, Presence::Required);
  if (const auto source = in.structure("S3BucketSource", "S3BucketSource", Presence::Required)) {
    check_owner(*source);
    request.bucket = read_bucket(*source);
    request.prefix = read_prefix(*source, "S3KeyPrefix");
  }
  request.format =
      in.one_of<InputFormat>("InputFormat", Presence::Required).value_or(InputFormat::DynamoDbJson);
  request.csv = read_csv(in);
  request.compression = in.one_of<InputCompression>("InputCompressionType").value_or(InputCompression::None);
  if (const auto table =
          in.structure("TableCreationParameters", "TableCreationParameters", Presence::Required)) {
    request.table = read_created_table(*table);
  }
  const bool has_options = !request.csv.delimiter.empty() || !request.csv.header.empty();
  if (has_options && request.format != InputFormat::Csv) {
    in.problems().bad_value(
        Error::validation("Invalid Request: Unsupported InputFormatOptions for the given input format: " +
                          std::string(enum_name(request.format)) + "."));
  }
  return request;
}

void write_export(json::Writer& json, const ExportDescription& description, const ServerIdentity& server) {
  const ExportTableRequest& request = description.request;
  const bool is_done = description.status == ExportStatus::Completed;
  json.begin_object();
  if (is_done) json.name("BilledSizeBytes").integer(description.billed_bytes);
  json.name("ClientToken").text(request.client_token);
  if (description.ended_at) write_moment(json, "EndTime", *description.ended_at);
  json.name("ExportArn").text(table_arn(server, description.export_name));
  json.name("ExportFormat").text(enum_name(request.format));
  if (is_done) json.name("ExportManifest").text(description.manifest);
  json.name("ExportStatus").text(enum_name(description.status));
  if (request.type == ExportType::Full) write_moment(json, "ExportTime", description.moment);
  json.name("ExportType").text(enum_name(request.type));
  write_failure(json, description.failure_code, description.failure_message);
  if (request.period) {
    json.name("IncrementalExportSpecification").begin_object();
    write_moment(json, "ExportFromTime", request.period->from);
    write_moment(json, "ExportToTime", request.period->to);
    json.name("ExportViewType").text(enum_name(request.period->view));
    json.end_object();
  }
  if (is_done) json.name("ItemCount").integer(description.item_count);
  json.name("S3Bucket").text(request.bucket);
  if (!request.prefix.empty()) json.name("S3Prefix").text(request.prefix);
  json.name("S3SseAlgorithm").text("AES256");
  write_moment(json, "StartTime", description.started_at);
  json.name("TableArn").text(table_arn(server, request.table_name));
  json.name("TableId").text(description.table_id);
  json.end_object();
}

void write_source(json::Writer& json, const ImportTableRequest& request, const ServerIdentity& server) {
  json.name("S3BucketSource").begin_object();
  json.name("S3Bucket").text(request.bucket);
  json.name("S3BucketOwner").text(server.account);
  if (!request.prefix.empty()) json.name("S3KeyPrefix").text(request.prefix);
  json.end_object();
}

void write_import(json::Writer& json, const ImportDescription& description, const ServerIdentity& server) {
  const ImportTableRequest& request = description.request;
  json.begin_object();
  json.name("ClientToken").text(request.client_token);
  if (description.ended_at) write_moment(json, "EndTime", *description.ended_at);
  json.name("ErrorCount").integer(description.error_count);
  write_failure(json, description.failure_code, description.failure_message);
  json.name("ImportArn").text(table_arn(server, description.import_name));
  json.name("ImportStatus").text(enum_name(description.status));
  json.name("ImportedItemCount").integer(description.imported_items);
  json.name("InputCompressionType").text(enum_name(request.compression));
  json.name("InputFormat").text(enum_name(request.format));
  if (!request.csv.delimiter.empty() || !request.csv.header.empty()) {
    json.name("InputFormatOptions").begin_object();
    json.name("Csv").begin_object();
    if (!request.csv.delimiter.empty()) json.name("Delimiter").text(request.csv.delimiter);
    if (!request.csv.header.empty()) {
      json.name("HeaderList").begin_list();
      for (const std::string& name : request.csv.header) json.text(name);
      json.end_list();
    }
    json.end_object();
    json.end_object();
  }
  json.name("ProcessedItemCount").integer(description.processed_items);
  if (description.processed_bytes > 0) json.name("ProcessedSizeBytes").integer(description.processed_bytes);
  write_source(json, request, server);
  write_moment(json, "StartTime", description.started_at);
  json.name("TableArn").text(table_arn(server, request.table.table_name));
  json.name("TableCreationParameters").raw() += to_json(request.table);
  json.name("TableId").text(description.table_id);
  json.end_object();
}

std::string export_response(const ExportDescription& description, const ServerIdentity& server) {
  std::string out;
  json::Writer json(out);
  json.begin_object();
  json.name("ExportDescription");
  write_export(json, description, server);
  json.end_object();
  return out;
}

std::string import_response(const ImportDescription& description, const ServerIdentity& server) {
  std::string out;
  json::Writer json(out);
  json.begin_object();
  json.name("ImportTableDescription");
  write_import(json, description, server);
  json.end_object();
  return out;
}

Error job_error(const ServerIdentity& server, const Error& error) {
  const bool names_a_thing = error.code() == ErrorCode::TableNotFound ||
                             error.code() == ErrorCode::ExportNotFound ||
                             error.code() == ErrorCode::ImportNotFound;
  const std::size_t at = error.message().rfind(": ");
  if (!names_a_thing || at == std::string::npos) return error;
  return {error.code(),
          error.message().substr(0, at + 2) + table_arn(server, error.message().substr(at + 2))};
}

}  // namespace tavola::wire
