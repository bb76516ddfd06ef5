#include "transfer/exports/job_records.h"

#include "base/files.h"
#include "json/writer.h"
#include "store/directory.h"
#include "transfer/walk/state_file.h"
#include "wire/codec/created_table.h"
#include "wire/codec/export_shapes.h"

namespace tavola::transfer {
namespace {

namespace fs = std::filesystem;
using wire::Fields;

// AWS drops exports and imports after that time ("ListExports", "ListImports").
constexpr std::chrono::days kKept{90};

void write_time(json::Writer& json, std::string_view name, WallTime time) {
  json.name(name).integer(time.time_since_epoch().count());
}

std::optional<WallTime> moment_in(const Fields& in, std::string_view name) {
  const auto millis = in.integer(name, wire::kLong);
  if (!millis) return std::nullopt;
  return WallTime(std::chrono::milliseconds(*millis));
}

// Reads a record, or fails with the reason why it is none.
template <class Record, class Read>
Result<Record> read_record(std::string_view json, Read read) {
  Record record;
  TAVOLA_CHECK(read_members(json, [&](const Fields& in) { read(in, record); }));
  return record;
}

template <class Records, class Read>
Result<void> load_all(const fs::path& folder, Records& records, Read read) {
  std::error_code error;
  if (!fs::exists(folder, error)) return {};
  TAVOLA_TRY(const std::vector<std::string> names, list_directory(folder));
  for (const std::string& name : names) {
    if (!name.ends_with(".json")) continue;
    TAVOLA_TRY(const std::string json, read_file(folder / name));
    auto record = read(json);
    if (!record) {
      return fail(Error::corrupt((folder / name).string() + " is damaged (" + record.error().message() +
                                 "); remove it to drop its record"));
    }
    records.emplace(name.substr(0, name.size() - 5), *std::move(record));
  }
  return {};
}

template <class Records>
void forget_old(const fs::path& folder, Records& records, WallTime now) {
  std::erase_if(records, [&](const auto& entry) {
    const auto& description = entry.second.description;
    if (!description.ended_at || now - *description.ended_at < kKept) return false;
    std::error_code ignored;  // retried the next time
    fs::remove(folder / (entry.first + ".json"), ignored);
    return true;
  });
}

}  // namespace

std::string to_json(const ExportRecord& record) {
  const ExportDescription& description = record.description;
  const ExportTableRequest& request = description.request;
  std::string out;
  json::Writer json(out);
  json.begin_object();
  json.name("export").text(description.export_name);
  json.name("status").text(enum_name(description.status));
  json.name("table").text(request.table_name);
  json.name("table_id").text(description.table_id);
  json.name("token").text(request.client_token);
  json.name("bucket").text(request.bucket);
  json.name("prefix").text(request.prefix);
  if (request.moment) write_time(json, "asked_moment", *request.moment);
  write_time(json, "moment", description.moment);
  write_time(json, "started", description.started_at);
  if (description.ended_at) write_time(json, "ended", *description.ended_at);
  json.name("manifest").text(description.manifest);
  json.name("bytes").integer(description.billed_bytes);
  json.name("items").integer(description.item_count);
  json.name("failure_code").text(description.failure_code);
  json.name("failure_message").text(description.failure_message);
  json.name("scratch_table").text(record.scratch_table);
  json.end_object();
  return out + "\n";
}

Result<ExportRecord> read_export_record(std::string_view json) {
  return read_record<ExportRecord>(json, [](const Fields& in, ExportRecord& record) {
    ExportDescription& description = record.description;
    description.export_name = text_of(in, "export");
    description.status = in.one_of<ExportStatus>("status").value_or(ExportStatus::Failed);
    description.request.table_name = text_of(in, "table");
    description.table_id = text_of(in, "table_id");
    description.request.client_token = text_of(in, "token");
    description.request.bucket = text_of(in, "bucket");
    description.request.prefix = text_of(in, "prefix");
    description.request.moment = moment_in(in, "asked_moment");
    description.moment = moment_in(in, "moment").value_or(WallTime());
    description.started_at = moment_in(in, "started").value_or(WallTime());
    description.ended_at = moment_in(in, "ended");
    description.manifest = text_of(in, "manifest");
    description.billed_bytes = in.integer("bytes", wire::kLong).value_or(0);
    description.item_count = in.integer("items", wire::kLong).value_or(0);
    description.failure_code = text_of(in, "failure_code");
    description.failure_message = text_of(in, "failure_message");
    record.scratch_table = text_of(in, "scratch_table");
  });
}

std::string to_json(const ImportRecord& record) {
  const ImportDescription& description = record.description;
  const ImportTableRequest& request = description.request;
  std::string out;
  json::Writer json(out);
  json.begin_object();
  json.name("import").text(description.import_name);
  json.name("status").text(enum_name(description.status));
  json.name("table").raw() += wire::to_json(request.table);
  json.name("table_id").text(description.table_id);
  json.name("token").text(request.client_token);
  json.name("bucket").text(request.bucket);
  json.name("prefix").text(request.prefix);
  json.name("format").text(enum_name(request.format));
  json.name("compression").text(enum_name(request.compression));
  json.name("delimiter").text(request.csv.delimiter);
  json.name("header").begin_list();
  for (const std::string& column : request.csv.header) json.text(column);
  json.end_list();
  write_time(json, "started", description.started_at);
  if (description.ended_at) write_time(json, "ended", *description.ended_at);
  json.name("errors").integer(description.error_count);
  json.name("processed").integer(description.processed_items);
  json.name("imported").integer(description.imported_items);
  json.name("bytes").integer(description.processed_bytes);
  json.name("failure_code").text(description.failure_code);
  json.name("failure_message").text(description.failure_message);
  json.end_object();
  return out + "\n";
}

Result<ImportRecord> read_import_record(std::string_view json) {
  return read_record<ImportRecord>(json, [](const Fields& in, ImportRecord& record) {
    ImportDescription& description = record.description;
    ImportTableRequest& request = description.request;
    description.import_name = text_of(in, "import");
    description.status = in.one_of<ImportStatus>("status").value_or(ImportStatus::Failed);
    if (const auto table = in.structure("table", "CreateTableInput")) {
      request.table = wire::read_created_table(*table);
    }
    description.table_id = text_of(in, "table_id");
    request.client_token = text_of(in, "token");
    request.bucket = text_of(in, "bucket");
    request.prefix = text_of(in, "prefix");
    request.format = in.one_of<InputFormat>("format").value_or(InputFormat::DynamoDbJson);
    request.compression = in.one_of<InputCompression>("compression").value_or(InputCompression::None);
    request.csv.delimiter = text_of(in, "delimiter");
    request.csv.header = in.texts("header").value_or(std::vector<std::string>());
    description.started_at = moment_in(in, "started").value_or(WallTime());
    description.ended_at = moment_in(in, "ended");
    description.error_count = in.integer("errors", wire::kLong).value_or(0);
    description.processed_items = in.integer("processed", wire::kLong).value_or(0);
    description.imported_items = in.integer("imported", wire::kLong).value_or(0);
    description.processed_bytes = in.integer("bytes", wire::kLong).value_or(0);
    description.failure_code = text_of(in, "failure_code");
    description.failure_message = text_of(in, "failure_message");
  });
}

Result<JobRecords> JobRecords::open(const fs::path& folder, WallTime now) {
  JobRecords records;
  records.folder_ = folder;
  if (folder.empty()) return records;
  TAVOLA_CHECK(load_all(folder / "exports", records.exports, read_export_record));
  TAVOLA_CHECK(load_all(folder / "imports", records.imports, read_import_record));
  forget_old(folder / "exports", records.exports, now);
  forget_old(folder / "imports", records.imports, now);
  return records;
}

Result<void> JobRecords::save(const std::string& kind, const std::string& id, const std::string& json) const {
  if (folder_.empty()) return {};
  TAVOLA_CHECK(store::make_directory(folder_));
  TAVOLA_CHECK(store::make_directory(folder_ / kind));
  return replace_file(folder_ / kind / (id + ".json"), json);
}
Result<void> JobRecords::save_export(const std::string& id) const {
  return save("exports", id, to_json(exports.at(id)));
}
Result<void> JobRecords::save_import(const std::string& id) const {
  return save("imports", id, to_json(imports.at(id)));
}

void JobRecords::forget_import(const std::string& id) {
  imports.erase(id);
  if (folder_.empty()) return;
  std::error_code ignored;  // retried at the next start
  fs::remove(folder_ / "imports" / (id + ".json"), ignored);
}

}  // namespace tavola::transfer
