#include "transfer/exports/table_files.h"

#include <algorithm>
#include <iterator>
#include <new>
#include <system_error>
#include <thread>

#include "base/encoding.h"

namespace tavola::transfer {
namespace {

template <class Actions>
Result<void> each_table(const Actions& actions, const std::function<Result<void>(std::string_view)>& check) {
  for (const auto& action : actions) TAVOLA_CHECK(check(action.table_name));
  return {};
}

Error no_such_table(std::string_view table) {
  return Error::resource_not_found("Requested resource not found: Table: " + std::string(table) +
                                   " not found");
}

}  // namespace

TableFiles::TableFiles(Parts parts)
    : ForwardingDatabase(parts.database),
      parts_(std::move(parts)),
      running_(std::make_shared<JobsRunning>()) {}

Result<std::unique_ptr<TableFiles>> TableFiles::open(Parts parts) {
  std::unique_ptr<TableFiles> files(new TableFiles(std::move(parts)));
  const MutexLock lock(files->mutex_);
  if (!files->parts_.buckets.empty()) {
    TAVOLA_TRY(files->buckets_, Buckets::open(files->parts_.buckets));
  }
  TAVOLA_TRY(files->records_, JobRecords::open(files->parts_.state, files->parts_.clock.now()));
  for (const auto& [id, record] : files->records_.imports) {
    if (record.description.status != ImportStatus::InProgress) continue;
    files->hidden_.add_import(record.description.request.table.table_name);
  }
  for (const auto& [id, record] : files->records_.exports) {
    if (!record.scratch_table.empty()) files->hidden_.add_scratch(record.scratch_table);
  }
  files->go_on();
  return files;
}

TableFiles::~TableFiles() {
  is_stopping_ = true;
  wait_until_idle();
}

void TableFiles::wait_until_idle() {
  const MutexLock lock(running_->mutex);
  while (running_->count > 0) running_->changed.wait(running_->mutex);
}

bool TableFiles::is_idle() const {
  const MutexLock lock(running_->mutex);
  return running_->count == 0;
}

bool TableFiles::start(std::function<void()> job) {
  {
    const MutexLock lock(running_->mutex);
    ++running_->count;
  }
  const auto end = [](JobsRunning& running) {
    const MutexLock lock(running.mutex);
    --running.count;
    running.changed.notify_all();
  };
  try {
    std::thread([running = running_, end, job = std::move(job)]() mutable {
      try {
        job();
      } catch (const std::bad_alloc&) {  // NOLINT(bugprone-empty-catch): the next server resumes it
      }
      job = nullptr;  // its resources end before its end is reported
      end(*running);
    }).detach();
    return true;
  } catch (const std::system_error& none) {
    end(*running_);
    if (parts_.report) parts_.report("there is no thread for an export or import", none.what());
    return false;
  }
}

Pause TableFiles::pause_of_jobs() const {
  return [this](std::chrono::milliseconds time) {
    if (!is_stopping_) parts_.pause(time);
  };
}

// Resumes the jobs of an earlier server. A job without a thread is left again.
void TableFiles::go_on() {
  for (const auto& [name, record] : records_.exports) {
    if (record.description.status != ExportStatus::InProgress && record.scratch_table.empty()) continue;
    start([this, id = name] {
      end_export(id, "ServerStopped",
                 "The server was stopped during the export, and its time is past. Export the table again.");
    });
  }
  for (const auto& [name, record] : records_.imports) {
    if (record.description.status != ImportStatus::InProgress) continue;
    start([this, id = name] { run_import(id); });
  }
}

// As AWS's ids: fourteen digits of milliseconds, and eight random ones.
std::string TableFiles::new_id() {
  std::string time = std::to_string(parts_.clock.now().time_since_epoch().count());
  time.insert(0, time.size() < 14 ? 14 - time.size() : 0, '0');
  std::string bytes;
  const std::uint64_t bits = parts_.random.next();
  for (unsigned shift = 0; shift < 32; shift += 8) bytes += static_cast<char>(bits >> shift & 0xFFU);
  return time + "-" + to_hex(bytes);
}

Result<void> TableFiles::check_buckets() const {
  if (buckets_) return {};
  return fail(
      Error::validation("This server does not export or import tables: start it with --buckets DIR; a "
                        "bucket is a folder there"));
}

Result<std::optional<std::filesystem::path>> TableFiles::find_bucket(const std::string& name) const {
  TAVOLA_CHECK(check_buckets());
  return buckets_ ? buckets_->find(name) : Result<std::optional<std::filesystem::path>>();
}

Result<void> TableFiles::check_items(std::string_view table) {
  if (hidden_.is_importing(table) || hidden_.is_scratch(table)) {
    return fail(Error::resource_not_found("Requested resource not found"));
  }
  return {};
}

Result<void> TableFiles::check_table(std::string_view table) {
  if (hidden_.is_scratch(table)) return fail(no_such_table(table));
  if (!hidden_.is_importing(table)) return {};
  return fail(Error::resource_in_use(
      "Attempt to change a resource which is still in use: Table is being created: " + std::string(table)));
}

Result<CreateTableResponse> TableFiles::create_table(const CreateTableRequest& request) {
  if (hidden_.is_importing(request.table_name)) {
    return fail(Error::resource_in_use("Table already exists: " + request.table_name));
  }
  return database().create_table(request);
}

Result<DescribeTableResponse> TableFiles::describe_table(const DescribeTableRequest& request) {
  if (hidden_.is_scratch(request.table_name)) return fail(no_such_table(request.table_name));
  TAVOLA_TRY(DescribeTableResponse described, database().describe_table(request));
  if (hidden_.is_importing(request.table_name)) {
    described.table.status = TableStatus::Creating;
    described.table.item_count = 0;
    described.table.size_bytes = 0;
    described.table.index_statistics.clear();
  }
  return described;
}

// Hides the temporary tables of exports, also where a page ends: the next page takes their place.
Result<ListTablesResponse> TableFiles::list_tables(const ListTablesRequest& request) {
  TAVOLA_TRY(ListTablesResponse listed, database().list_tables(request));
  const std::size_t wanted = listed.table_names.size();
  hidden_.leave_scratch_out(listed.table_names);
  ListTablesRequest rest = request;
  while (!listed.last_evaluated_table_name.empty() && listed.table_names.size() < wanted) {
    rest.exclusive_start_table_name = listed.last_evaluated_table_name;
    rest.limit = static_cast<int>(wanted - listed.table_names.size());
    TAVOLA_TRY(ListTablesResponse next, database().list_tables(rest));
    hidden_.leave_scratch_out(next.table_names);
    std::ranges::move(next.table_names, std::back_inserter(listed.table_names));
    listed.last_evaluated_table_name = std::move(next.last_evaluated_table_name);
  }
  return listed;
}

Result<UpdateTableResponse> TableFiles::update_table(const UpdateTableRequest& request) {
  TAVOLA_CHECK(check_table(request.table_name));
  return database().update_table(request);
}
Result<DeleteTableResponse> TableFiles::delete_table(const DeleteTableRequest& request) {
  TAVOLA_CHECK(check_table(request.table_name));
  return database().delete_table(request);
}
Result<PutItemResponse> TableFiles::put_item(const PutItemRequest& request) {
  TAVOLA_CHECK(check_items(request.table_name));
  return database().put_item(request);
}
Result<GetItemResponse> TableFiles::get_item(const GetItemRequest& request) {
  TAVOLA_CHECK(check_items(request.table_name));
  return database().get_item(request);
}
Result<UpdateItemResponse> TableFiles::update_item(const UpdateItemRequest& request) {
  TAVOLA_CHECK(check_items(request.table_name));
  return database().update_item(request);
}
Result<DeleteItemResponse> TableFiles::delete_item(const DeleteItemRequest& request) {
  TAVOLA_CHECK(check_items(request.table_name));
  return database().delete_item(request);
}
Result<QueryResponse> TableFiles::query(const QueryRequest& request) {
  TAVOLA_CHECK(check_items(request.table_name));
  return database().query(request);
}
Result<ScanResponse> TableFiles::scan(const ScanRequest& request) {
  TAVOLA_CHECK(check_items(request.table_name));
  return database().scan(request);
}
Result<BatchGetItemResponse> TableFiles::batch_get_item(const BatchGetItemRequest& request) {
  TAVOLA_CHECK(each_table(request.tables, [this](std::string_view table) { return check_items(table); }));
  return database().batch_get_item(request);
}
Result<BatchWriteItemResponse> TableFiles::batch_write_item(const BatchWriteItemRequest& request) {
  TAVOLA_CHECK(each_table(request.tables, [this](std::string_view table) { return check_items(table); }));
  return database().batch_write_item(request);
}
Result<TransactGetItemsResponse> TableFiles::transact_get_items(const TransactGetItemsRequest& request) {
  TAVOLA_CHECK(each_table(request.gets, [this](std::string_view table) { return check_items(table); }));
  return database().transact_get_items(request);
}
Result<TransactWriteItemsResponse> TableFiles::transact_write_items(
    const TransactWriteItemsRequest& request) {
  for (const TransactWrite& action : request.actions) {
    TAVOLA_CHECK(std::visit([this](const auto& part) { return check_items(part.table_name); }, action));
  }
  return database().transact_write_items(request);
}
Result<UpdateTimeToLiveResponse> TableFiles::update_time_to_live(const UpdateTimeToLiveRequest& request) {
  TAVOLA_CHECK(check_table(request.table_name));
  return database().update_time_to_live(request);
}
Result<CreateBackupResponse> TableFiles::create_backup(const CreateBackupRequest& request) {
  TAVOLA_CHECK(check_table(request.table_name));
  return database().create_backup(request);
}
Result<UpdateContinuousBackupsResponse> TableFiles::update_continuous_backups(
    const UpdateContinuousBackupsRequest& request) {
  TAVOLA_CHECK(check_table(request.table_name));
  return database().update_continuous_backups(request);
}
Result<RestoreTableToPointInTimeResponse> TableFiles::restore_table_to_point_in_time(
    const RestoreTableToPointInTimeRequest& request) {
  TAVOLA_CHECK(check_table(request.source_table_name));
  return database().restore_table_to_point_in_time(request);
}

}  // namespace tavola::transfer
