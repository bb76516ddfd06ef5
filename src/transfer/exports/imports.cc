// The part of TableFiles that is about imports. Words and their order are what AWS was seen to answer.
#include "database/as_is_database.h"
#include "transfer/exports/import_files.h"
#include "transfer/exports/job_pages.h"
#include "transfer/exports/table_files.h"

namespace tavola::transfer {
namespace {

namespace fs = std::filesystem;
using std::chrono::hours;

constexpr hours kImportTokenKept{8};  // API reference, ClientToken
constexpr std::string_view kImportKind = "import";
constexpr std::string_view kPartMessage =
    " The table, if it exists, has a part of the items: delete it, and import it again.";

}  // namespace

// Only another table is a conflict: other differences are ignored.
Result<std::optional<ImportDescription>> TableFiles::find_repeated(const ImportTableRequest& request) {
  if (request.client_token.empty()) return std::optional<ImportDescription>();
  const WallTime now = parts_.clock.now();
  for (const auto& [id, record] : records_.imports) {
    const ImportDescription& before = record.description;
    if (before.request.client_token != request.client_token) continue;
    if (before.ended_at && now - *before.ended_at > kImportTokenKept) continue;
    if (before.request.table.table_name == request.table.table_name) return std::optional(before);
    return fail(Error(ErrorCode::ImportConflict,
                      "Import conflict: Duplicate request detected with conflicting parameters"));
  }
  return std::optional<ImportDescription>();
}

Result<ImportTableResponse> TableFiles::import_table(const ImportTableRequest& request) {
  if (request.format == InputFormat::Ion) {
    return fail(Error::validation("Tavola supports the InputFormat DYNAMODB_JSON and CSV, not ION"));
  }
  TAVOLA_CHECK(check_buckets());
  const std::string& name = request.table.table_name;
  if (database().describe_table({.table_name = name}) && !hidden_.is_importing(name)) {
    return fail(Error::resource_in_use("Table already exists: " + name));
  }
  TAVOLA_TRY(const std::optional<fs::path> bucket, find_bucket(request.bucket));
  TAVOLA_CHECK(plain_key(request.prefix));

  const std::string id = new_id();
  ImportRecord record;
  record.description = {.import_name = name + "/import/" + id,
                        .request = request,
                        .table_id = make_uuid(parts_.random),
                        .started_at = parts_.clock.now()};
  if (request.client_token.empty()) record.description.request.client_token = make_uuid(parts_.random);
  {
    // Registered before the table exists: the table never looks ready too early.
    const MutexLock lock(mutex_);
    TAVOLA_TRY(const auto repeated, find_repeated(request));
    if (repeated) return ImportTableResponse{*repeated};
    TAVOLA_CHECK(check_under_way(records_.imports));
    if (!hidden_.add_import(name)) {
      return fail(Error::resource_in_use("Table already exists: " + name));
    }
    records_.imports.emplace(id, record);
    if (const Result<void> saved = records_.save_import(id); !saved) {
      records_.forget_import(id);
      hidden_.end_import(name);
      return fail(saved.error());
    }
  }
  if (bucket) {
    const Result<CreateTableResponse> created = database().create_table(request.table);
    const MutexLock lock(mutex_);
    if (!created) {
      records_.forget_import(id);
      hidden_.end_import(name);
      return fail(created.error());
    }
    records_.imports.at(id).description.table_id = created->table.table_id;
    record.description.table_id = created->table.table_id;
    if (const Result<void> saved = records_.save_import(id); !saved && parts_.report) {
      parts_.report("the table of import " + id + " is not recorded", saved.error().message());
    }
  }
  if (!start([this, id] { run_import(id); })) {
    end_import(id, "InternalServerError", "The server is too busy." + std::string(kPartMessage));
  }
  return ImportTableResponse{record.description};
}

void TableFiles::run_import(const std::string& id) {
  ImportTableRequest request;
  {
    const MutexLock lock(mutex_);
    request = records_.imports.at(id).description.request;
  }
  if (!buckets_) {
    return end_import(id, "ServerStopped",
                      "The server was stopped during the import, and started again without --buckets." +
                          std::string(kPartMessage));
  }
  const std::optional<fs::path> bucket = find_bucket(request.bucket).value_or(std::nullopt);
  if (!bucket) {
    return end_import(id, "S3NoSuchBucket",
                      "The specified bucket does not exist: a bucket is a folder in that of `tavola serve "
                      "--buckets`, and there is none named " +
                          request.bucket);
  }
  // The table exists, unless the server was stopped just before.
  const auto created = database().create_table(request.table);
  if (!created && created.error().code() != ErrorCode::ResourceInUse) {
    return end_import(id, "InternalServerError", created.error().message());
  }
  auto described = database().describe_table({.table_name = request.table.table_name});
  if (!described) return end_import(id, "InternalServerError", described.error().message());
  AsIsDatabase as_is(database());  // an import that is repeated finds its table governed
  Result<ImportedFiles> read = read_import({.database = as_is,
                                            .table = std::move(described->table),
                                            .request = request,
                                            .bucket = *bucket,
                                            .is_stopping = is_stopping_,
                                            .pause = pause_of_jobs()});
  if (const Result<void> settled = settle(); read && !settled) read = fail(settled.error());
  if (!read && is_stopping_) return;  // the next server starts it again
  if (!read) {
    if (parts_.report) parts_.report("import " + id, read.error().message());
    return end_import(id, "InternalServerError", read.error().message() + "." + std::string(kPartMessage));
  }
  if (parts_.adopt) parts_.adopt(request.table.table_name, is_stopping_);
  if (is_stopping_) return;
  if (read->files == 0 && parts_.report) {
    parts_.report("import " + id, "it has no items: there is no file in the bucket " + request.bucket +
                                      " whose key begins with \"" + request.prefix + "\"");
  }
  {
    const MutexLock lock(mutex_);
    ImportDescription& description = records_.imports.at(id).description;
    description.imported_items = static_cast<std::int64_t>(read->imported);
    description.error_count = static_cast<std::int64_t>(read->wrong);
    description.processed_items = description.imported_items + description.error_count;
    description.processed_bytes = static_cast<std::int64_t>(read->bytes);
  }
  if (read->wrong == 0) return end_import(id, "", "");
  end_import(id, "ItemValidationError",
             "Some of the items failed validation checks and were not imported. The first one: " +
                 read->first_wrong);
}

void TableFiles::end_import(const std::string& id, const std::string& failure_code,
                            const std::string& failure_message) {
  const MutexLock lock(mutex_);
  ImportDescription& description = records_.imports.at(id).description;
  description.status = failure_code.empty() ? ImportStatus::Completed : ImportStatus::Failed;
  description.failure_code = failure_code;
  description.failure_message = failure_message;
  description.ended_at = parts_.clock.now();
  if (const Result<void> saved = records_.save_import(id); !saved && parts_.report) {
    parts_.report("the end of import " + id + " is not recorded", saved.error().message());
  }
  hidden_.end_import(description.request.table.table_name);
}

Result<DescribeImportResponse> TableFiles::describe_import(const DescribeImportRequest& request) {
  const MutexLock lock(mutex_);
  const auto found = records_.imports.find(request.import_name.substr(request.import_name.rfind('/') + 1));
  if (found == records_.imports.end() || found->second.description.import_name != request.import_name) {
    return fail(
        Error(ErrorCode::ImportNotFound, "Import not found: Import not found: " + request.import_name));
  }
  return DescribeImportResponse{found->second.description};
}

Result<ListImportsResponse> TableFiles::list_imports(const ListImportsRequest& request) {
  const MutexLock lock(mutex_);
  TAVOLA_TRY(auto page, page_of(records_.imports, kImportKind, request.page_size.value_or(kPageMax),
                                request.next_token, [&](const ImportDescription& description) {
                                  return request.table_name.empty() ||
                                         description.request.table.table_name == request.table_name;
                                }));
  return ListImportsResponse{.imports = std::move(page.descriptions),
                             .next_token = std::move(page.next_token)};
}

}  // namespace tavola::transfer
