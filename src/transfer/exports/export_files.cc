#include "transfer/exports/export_files.h"

#include <optional>
#include <vector>

#include "base/digest.h"
#include "base/encoding.h"
#include "base/files.h"
#include "base/running_md5.h"
#include "base/timestamps.h"
#include "transfer/exports/buckets.h"
#include "transfer/formats/byte_stream.h"
#include "transfer/formats/item_text.h"
#include "transfer/walk/table_scan.h"
#include "wire/codec/export_shapes.h"
#include "wire/codec/shapes.h"

namespace tavola::transfer {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kFiles = 4;  // written concurrently; as AWS does for a small table

// 26 letters and digits.
std::string new_name(Random& random) {
  constexpr std::string_view kAlphabet = "abcdefghijklmnopqrstuvwxyz234567";
  std::string name;
  std::uint64_t bits = 0;
  for (int i = 0; i < 26; ++i) {
    if (i % 12 == 0) bits = random.next();
    name += kAlphabet[bits % kAlphabet.size()];
    bits /= kAlphabet.size();
  }
  return name;
}

// Reads instead of mapping: others may use the folder, and a concurrent truncation must not crash the server.
Result<std::string> md5_of(const fs::path& path) {
  TAVOLA_TRY(const auto source, open_source(path, Compression::None));
  std::string piece(std::size_t{256} * 1024, '\0');
  RunningMd5 digest;
  for (;;) {
    TAVOLA_TRY(const std::size_t got, source->read(piece));
    if (got == 0) return digest.finish();
    digest.add(std::string_view(piece).substr(0, got));
  }
}

std::string with_milliseconds(WallTime moment) {
  std::string text = iso8601(moment);
  const auto rest = moment.time_since_epoch().count() % 1000;
  std::string digits = std::to_string(1000 + rest);
  text.replace(text.size() - 1, 1, "." + digits.substr(1) + "Z");
  return text;
}

struct DataFile {
  std::string key{};
  fs::path path{};
  std::unique_ptr<ByteSink> sink{};
  std::uint64_t items = 0;
};

class Export {
 public:
  explicit Export(const ExportJob& job) : job_(job) {
    const std::string& name = job.description.export_name;
    id_ = name.substr(name.rfind('/') + 1);
  }

  Result<ExportedFiles> run() {
    const std::string& prefix = job_.description.request.prefix;
    TAVOLA_TRY(key_, plain_key(prefix + "/AWSDynamoDB/" + id_ + "/"));
    TAVOLA_TRY(const std::vector<std::string> parts, parts_of_key(key_));
    TAVOLA_TRY(folder_, make_folders(job_.bucket, parts));
    TAVOLA_TRY(const fs::path data, make_folders(folder_, {"data"}));
    TAVOLA_CHECK(replace_file(folder_ / "_started", "", kByUmask));
    std::vector<DataFile> files(kFiles);
    for (DataFile& file : files) {
      const std::string name = new_name(job_.random) + ".json.gz";
      file.key = key_ + "data/" + name;
      file.path = data / name;
      TAVOLA_TRY(file.sink, open_sink(file.path, Compression::Gzip));
    }
    TAVOLA_CHECK(copy(files));
    TAVOLA_CHECK(sync_directory(data));  // a manifest names only durable files
    TAVOLA_CHECK(write_manifests(files));
    done_.manifest = key_ + "manifest-summary.json";
    return done_;
  }

 private:
  // Each file holds the items of one part of the hashed keys.
  Result<void> copy(std::vector<DataFile>& files) {
    const TableScan scan{.table_name = job_.table_name,
                         .places = std::vector<SegmentPlace>(files.size()),
                         .threads = files.size(),
                         .pause = job_.pause};
    const auto write_page = [&](const SegmentPage& page) -> Result<void> {
      if (job_.is_stopping) return fail(Error(ErrorCode::Io, "the server was stopped"));
      std::string text;
      for (const PackedItem& item : page.items) {
        append_line(text, item.view());
        done_.bytes += item_size(item.view());
      }
      DataFile& file = files[page.segment];
      TAVOLA_CHECK(file.sink->write(text));
      file.items += page.items.size();
      done_.items += page.items.size();
      return {};
    };
    TAVOLA_CHECK(scan_table(shared_by_all(job_.database), scan, one_at_a_time(write_page)));
    for (DataFile& file : files) TAVOLA_CHECK(file.sink->settle());
    return {};
  }

  Result<void> write_manifests(const std::vector<DataFile>& files) {
    std::string lines;
    for (const DataFile& file : files) {
      TAVOLA_TRY(const std::string digest, md5_of(file.path));
      json::Writer json(lines);
      json.begin_object();
      json.name("itemCount").integer(static_cast<std::int64_t>(file.items));
      json.name("md5Checksum").text(to_base64(digest));
      json.name("etag").text(to_hex(md5(digest)) + "-1");  // of an object uploaded in one part
      json.name("dataFileS3Key").text(file.key);
      json.end_object();
      lines += '\n';
    }
    TAVOLA_CHECK(write("manifest-files", lines));
    return write("manifest-summary", summary());
  }

  std::string summary() const {
    const ExportDescription& description = job_.description;
    const ExportTableRequest& request = description.request;
    std::string out;
    json::Writer json(out);
    json.begin_object();
    json.name("version").text("2020-06-30");
    json.name("exportArn").text(wire::table_arn(job_.place, description.export_name));
    json.name("startTime").text(with_milliseconds(description.started_at));
    json.name("endTime").text(with_milliseconds(job_.clock.now()));
    json.name("tableArn").text(wire::table_arn(job_.place, request.table_name));
    json.name("tableId").text(description.table_id);
    json.name("exportTime").text(with_milliseconds(description.moment));
    json.name("s3Bucket").text(request.bucket);
    json.name("s3Prefix");
    if (request.prefix.empty()) {
      json.raw() += "null";
    } else {
      json.text(request.prefix);
    }
    json.name("s3SseAlgorithm").text("AES256");
    json.name("s3SseKmsKeyId").raw() += "null";
    json.name("manifestFilesS3Key").text(key_ + "manifest-files.json");
    json.name("billedSizeBytes").integer(static_cast<std::int64_t>(done_.bytes));
    json.name("itemCount").integer(static_cast<std::int64_t>(done_.items));
    json.name("outputFormat").text(enum_name(request.format));
    json.name("exportType").text(enum_name(request.type));
    json.end_object();
    return out;
  }

  // Writes the file and its checksum in base64.
  Result<void> write(const std::string& name, const std::string& text) {
    TAVOLA_CHECK(replace_file(folder_ / (name + ".md5"), to_base64(md5(text)), kByUmask));
    return replace_file(folder_ / (name + ".json"), text, kByUmask);
  }

  const ExportJob& job_;
  std::string id_;
  std::string key_;  // of the folder, ends with '/'
  fs::path folder_;
  ExportedFiles done_;
};

}  // namespace

Result<ExportedFiles> write_export(const ExportJob& job) { return Export(job).run(); }

}  // namespace tavola::transfer
