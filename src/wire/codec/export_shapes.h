// Shared by the operations on exports and imports. An export has an ARN here; a Database uses the part after "table/":
// arn:aws:dynamodb:<region>:<account>:table/<table>/export/<id>, with any region and account, as for tables.
#pragma once

#include <string>
#include <string_view>

#include <tavola/exports.h>

#include "base/enum_names.h"
#include "json/writer.h"
#include "wire/codec/fields.h"
#include "wire/codec/operations.h"

namespace tavola {

namespace wire {
// Values of S3SseAlgorithm. AES256 is S3's default, and only its name is visible.
enum class SseAlgorithm : std::uint8_t { Aes256, Kms };
}  // namespace wire

template <>
struct EnumNames<ExportStatus> {
  static constexpr EnumName<ExportStatus> kAll[] = {{"IN_PROGRESS", ExportStatus::InProgress},
                                                    {"COMPLETED", ExportStatus::Completed},
                                                    {"FAILED", ExportStatus::Failed}};
};
template <>
struct EnumNames<ExportFormat> {
  static constexpr EnumName<ExportFormat> kAll[] = {{"DYNAMODB_JSON", ExportFormat::DynamoDbJson},
                                                    {"ION", ExportFormat::Ion}};
};
template <>
struct EnumNames<ExportType> {
  static constexpr EnumName<ExportType> kAll[] = {{"FULL_EXPORT", ExportType::Full},
                                                  {"INCREMENTAL_EXPORT", ExportType::Incremental}};
};
template <>
struct EnumNames<ExportView> {
  static constexpr EnumName<ExportView> kAll[] = {{"NEW_IMAGE", ExportView::NewImage},
                                                  {"NEW_AND_OLD_IMAGES", ExportView::NewAndOldImages}};
};
template <>
struct EnumNames<wire::SseAlgorithm> {
  static constexpr EnumName<wire::SseAlgorithm> kAll[] = {{"AES256", wire::SseAlgorithm::Aes256},
                                                          {"KMS", wire::SseAlgorithm::Kms}};
};
template <>
struct EnumNames<ImportStatus> {
  static constexpr EnumName<ImportStatus> kAll[] = {{"IN_PROGRESS", ImportStatus::InProgress},
                                                    {"COMPLETED", ImportStatus::Completed},
                                                    {"CANCELLING", ImportStatus::Cancelling},
                                                    {"CANCELLED", ImportStatus::Cancelled},
                                                    {"FAILED", ImportStatus::Failed}};
};
template <>
struct EnumNames<InputFormat> {
  static constexpr EnumName<InputFormat> kAll[] = {
      {"DYNAMODB_JSON", InputFormat::DynamoDbJson}, {"ION", InputFormat::Ion}, {"CSV", InputFormat::Csv}};
};
template <>
struct EnumNames<InputCompression> {
  static constexpr EnumName<InputCompression> kAll[] = {
      {"ZSTD", InputCompression::Zstd}, {"NONE", InputCompression::None}, {"GZIP", InputCompression::Gzip}};
};

namespace wire {

// ---- In ----
// Read the members of the requests; `in.problems()` collects what is wrong with them.
ExportTableRequest read_export(const Fields& in);
ImportTableRequest read_import(const Fields& in);

// Buckets are folders of this server: they are of no other account, and nothing there is encrypted by a key of AWS.
Result<void> refuse_other_owner(const Fields& in, const ServerIdentity& server);
Result<void> refuse_kms(const Fields& in);

// Returns the table that TableArn names; empty if it is absent.
std::string read_table_arn(const Fields& in, Presence presence = Presence::Optional);
// Returns the part after "table/" in an ARN of an export or import, which must contain `kind` ("export").
std::string read_job_arn(const Fields& in, std::string_view name, std::string_view kind);

// ---- Out ----
void write_export(json::Writer& json, const ExportDescription& description, const ServerIdentity& server);
void write_import(json::Writer& json, const ImportDescription& description, const ServerIdentity& server);
void write_source(json::Writer& json, const ImportTableRequest& request, const ServerIdentity& server);

// {"ExportDescription": …}
std::string export_response(const ExportDescription& description, const ServerIdentity& server);
std::string import_response(const ImportDescription& description, const ServerIdentity& server);

// An error of the Database, which calls a missing table, export or import by its ARN.
Error job_error(const ServerIdentity& server, const Error& error);

}  // namespace wire
}  // namespace tavola
