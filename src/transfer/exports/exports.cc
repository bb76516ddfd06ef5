// The exports of TableFiles. Messages and their order are those observed on AWS.
#include <algorithm>

#include "transfer/exports/export_files.h"
#include "transfer/exports/job_pages.h"
#include "transfer/exports/table_files.h"
#include "wire/codec/export_shapes.h"

namespace tavola::transfer {
namespace {

namespace fs = std::filesystem;
using std::chrono::hours;

constexpr hours kExportTokenKept{8};  // API reference, ClientToken
constexpr std::string_view kExportKind = "export";
constexpr int kExportLooksMax = 24 * 3600 * 5;  // a fifth of a second apart
constexpr std::chrono::milliseconds kBetweenLooks{200};

bool asks_the_same(const ExportTableRequest& a, const ExportTableRequest& b) {
  return a.table_name == b.table_name && a.bucket == b.bucket && a.prefix == b.prefix &&
         a.moment == b.moment && a.format == b.format && a.type == b.type && a.period == b.period;
}

Result<void> check_kind(const ExportTableRequest& request) {
  if (request.type != ExportType::Full) {
    return fail(
        Error::validation("Tavola supports full exports only; use ExportType FULL_EXPORT, or read the "
                          "table's stream for changes"));
  }
  if (request.format != ExportFormat::DynamoDbJson) {
    return fail(Error::validation("Tavola supports the ExportFormat DYNAMODB_JSON only, not ION"));
  }
  return {};
}

}  // namespace

Result<TableDescription> TableFiles::table_to_export(const ExportTableRequest& request) {
  auto described = database().describe_table({.table_name = request.table_name});
  const bool is_missing =
      described ? hidden_.is_importing(request.table_name) || hidden_.is_scratch(request.table_name)
                : described.error().code() == ErrorCode::ResourceNotFound;
  if (is_missing) {
    return fail(Error(ErrorCode::TableNotFound, "Table not found: " + request.table_name));
  }
  if (!described) return fail(described.error());
  return std::move(described->table);
}

Result<WallTime> TableFiles::moment_of(const ExportTableRequest& request,
                                       const ContinuousBackups& backups) const {
  const WallTime now = parts_.clock.now();
  if (!request.moment) return now;
  if (*request.moment > now || *request.moment < backups.earliest) {
    return fail(Error(ErrorCode::InvalidExportTime, "Export Time is invalid"));
  }
  return *request.moment;
}

Result<std::optional<ExportDescription>> TableFiles::find_repeated(const ExportTableRequest& request) {
  if (request.client_token.empty()) return std::optional<ExportDescription>();
  const WallTime now = parts_.clock.now();
  for (const auto& [id, record] : records_.exports) {
    const ExportDescription& before = record.description;
    if (before.request.client_token != request.client_token) continue;
    if (before.ended_at && now - *before.ended_at > kExportTokenKept) continue;
    if (asks_the_same(before.request, request)) return std::optional(before);
    return fail(Error(ErrorCode::ExportConflict,
                      "Export conflict: Duplicate request detected with conflicting parameters"));
  }
  return std::optional<ExportDescription>();
}

Result<ExportTableResponse> TableFiles::export_table(const ExportTableRequest& request) {
  TAVOLA_CHECK(check_kind(request));
  TAVOLA_CHECK(check_buckets());
  TAVOLA_TRY(const TableDescription table, table_to_export(request));
  TAVOLA_TRY(const DescribeContinuousBackupsResponse recovery,
             database().describe_continuous_backups({.table_name = request.table_name}));
  if (!recovery.backups.recovery) {
    return fail(Error(ErrorCode::PointInTimeRecoveryUnavailable,
                      "Point in time recovery is not enabled for table '" + request.table_name + "'"));
  }
  {
    const MutexLock lock(mutex_);
    TAVOLA_TRY(const auto repeated, find_repeated(request));
    if (repeated) return ExportTableResponse{*repeated};
  }
  TAVOLA_TRY(const WallTime moment, moment_of(request, recovery.backups));
  TAVOLA_CHECK(find_bucket(request.bucket));
  TAVOLA_CHECK(parts_of_key(request.prefix));

  const std::string id = new_id();
  ExportRecord record;
  record.description = {.export_name = request.table_name + "/export/" + id,
                        .request = request,
                        .table_id = table.table_id,
                        .moment = moment,
                        .started_at = parts_.clock.now()};
  if (request.client_token.empty()) record.description.request.client_token = make_uuid(parts_.random);
  // The export shows the present state, however late it begins.
  std::shared_ptr<Database> frozen;
  if (!request.moment) {
    TAVOLA_TRY(frozen, database().freeze());
  }
  const ExportDescription description = record.description;
  {
    const MutexLock lock(mutex_);
    TAVOLA_TRY(const auto repeated, find_repeated(request));  // by a concurrent request
    if (repeated) return ExportTableResponse{*repeated};
    TAVOLA_CHECK(check_under_way(records_.exports));
    records_.exports.emplace(id, std::move(record));
    if (const Result<void> saved = records_.save_export(id); !saved) {
      records_.exports.erase(id);
      return fail(saved.error());
    }
  }
  const bool is_started = start(
      [this, id, frozen = std::move(frozen)]() mutable { run_export(id, std::exchange(frozen, nullptr)); });
  if (!is_started) end_export(id, "InternalServerError", "The server is too busy; export again later.");
  return ExportTableResponse{description};
}

void TableFiles::run_export(const std::string& id, const std::shared_ptr<Database>& frozen) {
  ExportTableRequest request;
  {
    const MutexLock lock(mutex_);
    request = records_.exports.at(id).description.request;
  }
  const std::optional<fs::path> bucket = find_bucket(request.bucket).value_or(std::nullopt);
  if (!bucket) {
    return end_export(id, "S3NoSuchBucket",
                      "The specified bucket does not exist: a bucket is a folder in that of `tavola serve "
                      "--buckets`, and there is none named " +
                          request.bucket);
  }
  const Result<void> done =
      frozen == nullptr ? export_past(id, *bucket) : export_from(id, *frozen, request.table_name, *bucket);
  if (done) return end_export(id, "", "");
  if (is_stopping_) return;  // the next server finds it unfinished
  if (parts_.report) parts_.report("export " + id, done.error().message());
  const bool is_refused =
      done.error().code() == ErrorCode::Io || done.error().code() == ErrorCode::Validation;
  end_export(id, is_refused ? "S3AccessDenied" : "InternalServerError", done.error().message());
}

// Exports a past state, which is restored into a temporary table.
Result<void> TableFiles::export_past(const std::string& id, const fs::path& bucket) {
  const std::string scratch = "tavola-export-" + id;
  std::string source;
  WallTime moment;
  {
    const MutexLock lock(mutex_);
    ExportRecord& record = records_.exports.at(id);
    record.scratch_table = scratch;
    source = record.description.request.table_name;
    moment = record.description.moment;
    hidden_.add_scratch(scratch);
    TAVOLA_CHECK(records_.save_export(id));
  }
  TAVOLA_CHECK(database().restore_table_to_point_in_time(
      {.source_table_name = source, .target_table_name = scratch, .moment = moment}));
  TAVOLA_CHECK(wait_until_made(scratch));
  return export_from(id, database(), scratch, bucket);
}

Result<void> TableFiles::wait_until_made(const std::string& table) {
  for (int looks = 0;; ++looks) {
    TAVOLA_TRY(const DescribeTableResponse described, database().describe_table({.table_name = table}));
    if (described.table.status != TableStatus::Creating) return {};
    if (parts_.failed_restore) {
      TAVOLA_TRY(const std::string why, parts_.failed_restore(table));
      if (!why.empty()) return fail(Error::corrupt("the past state of the table cannot be restored: " + why));
    }
    if (is_stopping_) return fail(Error(ErrorCode::Io, "the server was stopped"));
    if (looks == kExportLooksMax)
      return fail(Error::internal("the table " + table + " took more than a day to restore"));
    parts_.pause(kBetweenLooks);
  }
}

Result<void> TableFiles::export_from(const std::string& id, Database& database, const std::string& table_name,
                                     const fs::path& bucket) {
  ExportDescription description;
  {
    const MutexLock lock(mutex_);
    description = records_.exports.at(id).description;
  }
  TAVOLA_CHECK(settle());  // reports only durable results
  TAVOLA_TRY(const ExportedFiles written, write_export({.database = database,
                                                        .table_name = table_name,
                                                        .description = std::move(description),
                                                        .bucket = bucket,
                                                        .place = parts_.place,
                                                        .clock = parts_.clock,
                                                        .random = parts_.random,
                                                        .is_stopping = is_stopping_,
                                                        .pause = pause_of_jobs()}));
  const MutexLock lock(mutex_);
  ExportDescription& now = records_.exports.at(id).description;
  now.item_count = static_cast<std::int64_t>(written.items);
  now.billed_bytes = static_cast<std::int64_t>(written.bytes);
  now.manifest = written.manifest;
  return {};
}

// A scratch table that remains stays in the record, for the next server; so does one whose deletion could be lost with
// the last unsynced writes.
void TableFiles::drop_scratch(const std::string& id) {
  std::string scratch;
  {
    const MutexLock lock(mutex_);
    scratch = records_.exports.at(id).scratch_table;
  }
  if (scratch.empty()) return;
  // A table under restore cannot be deleted; one whose restore has failed can.
  if (const Result<void> made = wait_until_made(scratch); !made && is_stopping_) return;
  const auto deleted = database().delete_table({.table_name = scratch});
  const bool is_gone = deleted || deleted.error().code() == ErrorCode::ResourceNotFound;
  const Result<void> ended = is_gone ? settle() : fail(deleted.error());
  if (!ended) {
    if (parts_.report) {
      parts_.report("the table " + scratch + " of an export remains until the next start",
                    ended.error().message());
    }
    return;
  }
  const MutexLock lock(mutex_);
  records_.exports.at(id).scratch_table.clear();
  save_end(id);
}

void TableFiles::save_end(const std::string& id) {
  if (const Result<void> saved = records_.save_export(id); !saved && parts_.report) {
    parts_.report("the end of export " + id + " is not recorded", saved.error().message());
  }
}

void TableFiles::end_export(const std::string& id, const std::string& failure_code,
                            const std::string& failure_message) {
  {
    const MutexLock lock(mutex_);
    ExportDescription& description = records_.exports.at(id).description;
    if (description.status == ExportStatus::InProgress) {
      description.status = failure_code.empty() ? ExportStatus::Completed : ExportStatus::Failed;
      description.failure_code = failure_code;
      description.failure_message = failure_message;
      description.ended_at = parts_.clock.now();
      save_end(id);
    }
  }
  drop_scratch(id);
}

Result<DescribeExportResponse> TableFiles::describe_export(const DescribeExportRequest& request) {
  const MutexLock lock(mutex_);
  const auto found = records_.exports.find(request.export_name.substr(request.export_name.rfind('/') + 1));
  if (found == records_.exports.end() || found->second.description.export_name != request.export_name) {
    return fail(
        Error(ErrorCode::ExportNotFound, "Export not found: Export not found: " + request.export_name));
  }
  return DescribeExportResponse{found->second.description};
}

// Lists only exports of the current table of that name: a table that was deleted and created again is another
// one.
Result<ListExportsResponse> TableFiles::list_exports(const ListExportsRequest& request) {
  std::string table_id;
  if (!request.table_name.empty()) {
    const auto described = database().describe_table({.table_name = request.table_name});
    if (!described) return ListExportsResponse{};
    table_id = described->table.table_id;
  }
  const MutexLock lock(mutex_);
  TAVOLA_TRY(auto page, page_of(records_.exports, kExportKind, request.max_results.value_or(kPageMax),
                                request.next_token, [&](const ExportDescription& description) {
                                  return table_id.empty() || description.table_id == table_id;
                                }));
  return ListExportsResponse{.exports = std::move(page.descriptions),
                             .next_token = std::move(page.next_token)};
}

}  // namespace tavola::transfer
