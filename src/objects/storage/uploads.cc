#include "objects/storage/uploads.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <functional>
#include <memory>
#include <utility>

#include "base/ascii.h"
#include "base/encoding.h"
#include "base/random.h"
#include "objects/codec/checksums.h"
#include "objects/codec/s3_error.h"

namespace tavola::objects {
namespace {

constexpr std::string_view kUploads = "uploads";
constexpr std::string_view kUploadRecord = "upload";
constexpr std::string_view kPartFileHeader = "file";

bool is_upload_id(std::string_view id) {
  return id.size() == 36 &&
         std::ranges::all_of(id, [](char c) { return is_digit(c) || is_lower(c) || c == '-'; });
}

std::string part_name(std::uint64_t number) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%05llu", static_cast<unsigned long long>(number));
  return text.data();
}

Result<std::optional<Folder>> folder_of(const Bucket& bucket, const std::string& id) {
  TAVOLA_TRY(const std::optional<Folder> uploads, bucket.state.find_folder(kUploads));
  if (!uploads || !is_upload_id(id)) return std::optional<Folder>();
  return uploads->find_folder(id);
}

Result<Folder> needed_folder(const Bucket& bucket, const std::string& id) {
  TAVOLA_TRY(std::optional<Folder> folder, folder_of(bucket, id));
  if (!folder) return fail(no_such_upload());
  return *std::move(folder);
}

std::string_view checksum_in(const Pairs& checksums, std::string_view algorithm) {
  for (const auto& [name, value] : checksums)
    if (name == algorithm) return value;
  return {};
}

// Returns the stored part that the client means.
Result<const Part*> meant(const std::vector<Part>& parts, const NamedPart& named) {
  const auto found = std::ranges::find(parts, named.number, &Part::number);
  bool fits = found != parts.end() && found->record.etag == named.etag;
  for (const auto& [algorithm, value] : named.checksums)
    fits = fits && (value.empty() || checksum_in(found->record.checksums, algorithm) == value);
  if (!fits) {
    return fail(s3_error("InvalidPart", 400,
                         "One or more of the specified parts could not be found.  The part may not have been "
                         "uploaded, or the specified entity tag may not match the part's entity tag."));
  }
  return &*found;
}

// All parts must be right before their sizes count.
Result<std::vector<const Part*>> chosen_parts(const std::vector<Part>& parts,
                                              const std::vector<NamedPart>& named) {
  const bool is_ordered =
      std::ranges::adjacent_find(named, std::greater_equal{}, &NamedPart::number) == named.end();
  if (!is_ordered) {
    return fail(
        s3_error("InvalidPartOrder", 400,
                 "The list of parts was not in ascending order. Parts must be ordered by part number."));
  }
  std::vector<const Part*> chosen;
  for (const NamedPart& one : named) {
    TAVOLA_TRY(const Part* part, meant(parts, one));
    chosen.push_back(part);
  }
  std::uint64_t bytes = 0;
  for (const Part* part : chosen) {
    bytes += part->record.facts.size_bytes;
    if (part != chosen.back() && part->record.facts.size_bytes < kPartBytesMin) {
      return fail(
          s3_error("EntityTooSmall", 400, "Your proposed upload is smaller than the minimum allowed size"));
    }
  }
  if (bytes > kAssembledBytesMax) return fail(entity_too_large());
  return chosen;
}

// The MD5 of the MD5s of the parts, and how many they are: the form that clients know.
std::string etag_of(const std::vector<const Part*>& parts) {
  const std::unique_ptr<RunningChecksum> digest = begin_md5();
  for (const Part* part : parts) digest->add(from_hex(part->record.etag).value_or(std::string()));
  return to_hex(digest->finish()) + "-" + std::to_string(parts.size());
}

// The checksum of the checksums of the parts, if all have one of the algorithm that the upload was created with.
void add_composite(ObjectRecord& record, const ObjectRecord& upload, const std::vector<const Part*>& parts) {
  if (upload.checksums.empty()) return;
  const std::string& algorithm = upload.checksums.front().first;
  const auto checksum = checksum_of_algorithm(algorithm);
  if (!checksum || *checksum == Checksum::Crc64Nvme) return;  // S3 has no composite one of it
  const std::unique_ptr<RunningChecksum> running = begin(*checksum);
  for (const Part* part : parts) {
    const auto bytes = from_base64(checksum_in(part->record.checksums, algorithm));
    if (!bytes || bytes->empty()) return;
    running->add(*bytes);
  }
  record.checksums = {{algorithm, to_base64(running->finish()) + "-" + std::to_string(parts.size())}};
  record.checksum_type = "COMPOSITE";
}

}  // namespace

Result<std::string> Uploads::create(const std::string& bucket_name, const ObjectRecord& record) {
  TAVOLA_TRY(const Bucket bucket, store_.bucket(bucket_name));
  std::string id = make_uuid(Random::system());
  TAVOLA_TRY(const std::optional<Folder> folder, bucket.state.make_path(std::string(kUploads) + "/" + id));
  if (!folder) return fail(Error(ErrorCode::Io, "a file is in the place of the folder of uploads"));
  TAVOLA_CHECK(folder->write_file(kUploadRecord, to_json(record)));
  return id;
}

Result<Upload> Uploads::find(const Bucket& bucket, const std::string& key, const std::string& id) const {
  TAVOLA_TRY(const Folder folder, needed_folder(bucket, id));
  TAVOLA_TRY(const std::optional<Descriptor> file, folder.find_file(kUploadRecord));
  if (!file) return fail(no_such_upload());
  const FileFacts facts = facts_of(*file).value_or(FileFacts{});
  std::string text(facts.size_bytes, '\0');
  if (!read_bytes(*file, 0, text)) return fail(no_such_upload());
  TAVOLA_TRY(ObjectRecord record, parse_object_record(text));
  if (record.key != key) return fail(no_such_upload());
  record.facts = facts;
  return Upload{.id = id, .record = std::move(record), .facts = facts};
}

Result<Part> Uploads::put_part(const Bucket& bucket, const Upload& upload, Part part, Draft draft) {
  TAVOLA_TRY(const Folder folder, needed_folder(bucket, upload.id));
  const std::string name = part_name(part.number);
  TAVOLA_TRY(part.record.facts, draft.settle(store_.next_moment_ns()));
  part.file = name + "." + make_uuid(Random::system());
  TAVOLA_TRY(const bool is_moved, draft.move_to(folder, part.file));
  if (!is_moved) return fail(no_such_upload());
  std::string old_file;
  if (Result<std::string> old = folder.read_file(name)) {
    TAVOLA_TRY(const ObjectRecord record, parse_object_record(*old));
    old_file = checksum_in(record.headers, kPartFileHeader);
  }
  part.record.key = upload.record.key;
  part.record.headers = {{std::string(kPartFileHeader), part.file}};
  TAVOLA_CHECK(folder.write_file(name, to_json(part.record)));
  if (!old_file.empty()) TAVOLA_CHECK(folder.remove_file(old_file));
  return part;
}

Result<std::vector<Part>> Uploads::parts(const Bucket& bucket, const Upload& upload) const {
  TAVOLA_TRY(const Folder folder, needed_folder(bucket, upload.id));
  TAVOLA_TRY(const std::vector<FolderEntry> entries, folder.entries());
  std::vector<Part> found;
  for (const FolderEntry& entry : entries) {
    if (entry.name.size() != 5 || !std::ranges::all_of(entry.name, is_digit)) continue;
    TAVOLA_TRY(const std::string text, folder.read_file(entry.name));
    TAVOLA_TRY(ObjectRecord record, parse_object_record(text));
    Part part{.number = std::stoull(entry.name),
              .file = std::string(checksum_in(record.headers, kPartFileHeader))};
    TAVOLA_TRY(const std::optional<Descriptor> file, folder.find_file(part.file));
    if (!file) continue;  // replaced concurrently
    record.facts = facts_of(*file).value_or(FileFacts{});
    part.record = std::move(record);
    found.push_back(std::move(part));
  }
  std::ranges::sort(found, {}, &Part::number);
  return found;
}

Result<ObjectRecord> Uploads::complete(const Bucket& bucket, const Upload& upload,
                                       const std::vector<NamedPart>& named, const Conditions& conditions) {
  TAVOLA_TRY(const Folder folder, needed_folder(bucket, upload.id));
  TAVOLA_TRY(const std::vector<Part> stored, parts(bucket, upload));
  TAVOLA_TRY(const std::vector<const Part*> chosen, chosen_parts(stored, named));
  TAVOLA_TRY(Draft draft, Draft::create(bucket));
  for (const Part* part : chosen) {
    TAVOLA_TRY(const std::optional<Descriptor> file, folder.find_file(part->file));
    if (!file) return fail(no_such_upload());
    TAVOLA_CHECK(draft.append(*file, 0, part->record.facts.size_bytes));
  }
  ObjectRecord record{.key = upload.record.key,
                      .etag = etag_of(chosen),
                      .headers = upload.record.headers,
                      .upload = upload.id};
  add_composite(record, upload.record, chosen);
  TAVOLA_TRY(ObjectRecord made, store_.put({.bucket = bucket.name,
                                            .record = std::move(record),
                                            .draft = std::move(draft),
                                            .conditions = conditions,
                                            .event = "ObjectCreated:CompleteMultipartUpload"}));
  TAVOLA_CHECK(abort(bucket, upload));
  return made;
}

Result<void> Uploads::abort(const Bucket& bucket, const Upload& upload) {
  TAVOLA_TRY(const std::optional<Folder> uploads, bucket.state.find_folder(kUploads));
  if (!uploads) return {};
  return uploads->remove_tree(upload.id);
}

Result<std::vector<Upload>> Uploads::list(const Bucket& bucket) const {
  std::vector<Upload> found;
  TAVOLA_TRY(const std::optional<Folder> uploads, bucket.state.find_folder(kUploads));
  if (!uploads) return found;
  TAVOLA_TRY(const std::vector<FolderEntry> entries, uploads->entries());
  for (const FolderEntry& entry : entries) {
    TAVOLA_TRY(const std::optional<Folder> folder, uploads->find_folder(entry.name));
    if (!folder) continue;
    const Result<std::string> text = folder->read_file(kUploadRecord);
    if (!text) continue;  // it is being created or removed
    TAVOLA_TRY(const ObjectRecord record, parse_object_record(*text));
    if (Result<Upload> upload = find(bucket, record.key, entry.name)) found.push_back(*std::move(upload));
  }
  std::ranges::sort(found, [](const Upload& a, const Upload& b) {
    return a.record.key != b.record.key ? a.record.key < b.record.key : a.id < b.id;
  });
  return found;
}

}  // namespace tavola::objects
