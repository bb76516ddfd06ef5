// Exports of tables to files and imports from files: typed requests and responses. An AWS bucket is a folder here
// (docs/FILES.md).
//
//   ExportTableToPointInTime ──▶ <folder>/<prefix>/AWSDynamoDB/<export id>/data/*.json.gz and its manifests
//   ImportTable ──▶ a new table, filled from the files whose names begin with a prefix
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <tavola/requests.h>
#include <tavola/time.h>

namespace tavola {

// ---- Exports ----

enum class ExportStatus : std::uint8_t { InProgress, Completed, Failed };
enum class ExportFormat : std::uint8_t { DynamoDbJson, Ion };
enum class ExportType : std::uint8_t { Full, Incremental };
enum class ExportView : std::uint8_t { NewImage, NewAndOldImages };

// The period of an incremental export: changes from `from` (inclusive) to `to` (exclusive).
struct ExportPeriod {
  WallTime from{};
  WallTime to{};
  ExportView view = ExportView::NewAndOldImages;
  friend bool operator==(const ExportPeriod&, const ExportPeriod&) = default;
};

struct ExportTableRequest {
  std::string table_name{};
  std::optional<WallTime> moment{};  // nullopt: now
  std::string client_token{};
  std::string bucket{};
  std::string prefix{};
  ExportFormat format = ExportFormat::DynamoDbJson;
  ExportType type = ExportType::Full;
  std::optional<ExportPeriod> period{};
};

// An export is called "<table name>/export/<id>"; on the wire that follows "arn:aws:dynamodb:<region>:<account>:table/".
struct ExportDescription {
  std::string export_name{};
  ExportStatus status = ExportStatus::InProgress;
  ExportTableRequest request{};
  std::string table_id{};
  WallTime moment{};
  WallTime started_at{};
  std::optional<WallTime> ended_at{};
  std::string manifest{};  // the file's path, starting with the bucket
  std::int64_t billed_bytes = 0;
  std::int64_t item_count = 0;
  std::string failure_code{};
  std::string failure_message{};
};
struct ExportTableResponse {
  ExportDescription description{};
};

struct DescribeExportRequest {
  std::string export_name{};
};
struct DescribeExportResponse {
  ExportDescription description{};
};

struct ListExportsRequest {
  std::string table_name{};          // empty: all tables
  std::optional<int> max_results{};  // 1 to 25
  std::string next_token{};
};
struct ListExportsResponse {
  std::vector<ExportDescription> exports{};
  std::string next_token{};  // empty at the end
};

// ---- Imports ----

enum class ImportStatus : std::uint8_t { InProgress, Completed, Cancelling, Cancelled, Failed };
enum class InputFormat : std::uint8_t { DynamoDbJson, Ion, Csv };
enum class InputCompression : std::uint8_t { None, Gzip, Zstd };

struct CsvOptions {
  std::string delimiter{};            // one character; empty: a comma
  std::vector<std::string> header{};  // empty: the first line of each file
};

struct ImportTableRequest {
  std::string client_token{};
  std::string bucket{};
  std::string prefix{};
  InputFormat format = InputFormat::DynamoDbJson;
  InputCompression compression = InputCompression::None;
  CsvOptions csv{};
  CreateTableRequest table{};
};

// An import is called "<table name>/import/<id>"; on the wire that follows "arn:aws:dynamodb:<region>:<account>:table/".
struct ImportDescription {
  std::string import_name{};
  ImportStatus status = ImportStatus::InProgress;
  ImportTableRequest request{};
  std::string table_id{};
  WallTime started_at{};
  std::optional<WallTime> ended_at{};
  std::int64_t error_count = 0;
  std::int64_t processed_items = 0;
  std::int64_t imported_items = 0;
  std::int64_t processed_bytes = 0;
  std::string failure_code{};
  std::string failure_message{};
};
struct ImportTableResponse {
  ImportDescription description{};
};

struct DescribeImportRequest {
  std::string import_name{};
};
struct DescribeImportResponse {
  ImportDescription description{};
};

struct ListImportsRequest {
  std::string table_name{};        // empty: all tables
  std::optional<int> page_size{};  // 1 to 25
  std::string next_token{};
};
struct ListImportsResponse {
  std::vector<ImportDescription> imports{};
  std::string next_token{};  // empty at the end
};

}  // namespace tavola
