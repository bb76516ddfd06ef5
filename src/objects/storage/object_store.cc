#include "objects/storage/object_store.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <utility>

#include "base/ascii.h"
#include "base/files.h"
#include "base/utf8.h"
#include "objects/codec/s3_error.h"
#include "objects/storage/key_path.h"
#include "objects/storage/key_walk.h"

namespace tavola::objects {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kState = ".tavola-objects";
constexpr std::string_view kRecords = "records";
constexpr std::string_view kOdd = "odd";
// An object may be replaced between the look at its file and at its record.
constexpr int kLooksMax = 5;

// Folders whose names begin with a dot are not buckets: one of them is ours.
bool may_be_bucket(std::string_view name) {
  return !name.empty() && !name.starts_with('.') && !name.contains('/') && !name.contains('\0');
}

Error state_in_the_way() {
  return {ErrorCode::Io, "a file is where the server keeps what it knows of objects (" + std::string(kState) +
                             "); move it away"};
}

Result<Folder> needed(Result<std::optional<Folder>> made) {
  TAVOLA_TRY(std::optional<Folder> folder, std::move(made));
  if (!folder) return fail(state_in_the_way());
  return *std::move(folder);
}

Result<void> write_record(const Bucket& bucket, const ObjectRecord& record) {
  const std::string path = record_path(record.key, record.facts);
  const auto [folder_path, name] = split_path(path);
  TAVOLA_TRY(const Folder records, needed(bucket.state.make_folder(kRecords)));
  TAVOLA_TRY(const Folder folder, needed(records.make_path(folder_path)));
  return folder.write_file(name, to_json(record));
}

Result<void> remove_at(const Folder& root, const std::string& path) {
  const auto [folder_path, name] = split_path(path);
  TAVOLA_TRY(const std::optional<Folder> folder, root.find_path(folder_path));
  if (!folder) return {};
  TAVOLA_TRY(const bool is_removed, folder->remove_file(name));
  if (is_removed) TAVOLA_CHECK(folder->sync());
  return {};
}

Result<void> remove_record(const Bucket& bucket, const std::string& key, const FileFacts& facts) {
  TAVOLA_TRY(const std::optional<Folder> records, bucket.state.find_folder(kRecords));
  if (!records) return {};
  return remove_at(*records, record_path(key, facts));
}

Result<std::optional<Descriptor>> file_at(const Folder& root, std::string_view path) {
  const auto [folder_path, name] = split_path(path);
  TAVOLA_TRY(const std::optional<Folder> folder, root.find_path(folder_path));
  if (!folder) return std::optional<Descriptor>();
  return folder->find_file(name);
}

// Removes the folders of a path that have become empty. They come back when they are needed.
Result<void> remove_empty_folders(const Folder& root, std::string_view path) {
  for (std::string_view rest = split_path(path).folder; !rest.empty();) {
    const auto [parent_path, name] = split_path(rest);
    TAVOLA_TRY(const std::optional<Folder> parent, root.find_path(parent_path));
    if (!parent) return {};
    TAVOLA_TRY(const bool is_removed, parent->remove_folder(name));
    if (!is_removed) return {};
    rest = parent_path;
  }
  return {};
}

// Removes the empty folders in a folder. Returns false if there is a file.
Result<bool> remove_empty_tree(const Folder& folder) {
  TAVOLA_TRY(const std::vector<FolderEntry> entries, folder.entries());
  for (const FolderEntry& entry : entries) {
    if (!entry.is_folder) return false;
    TAVOLA_TRY(const std::optional<Folder> inner, folder.find_folder(entry.name));
    if (!inner) continue;
    TAVOLA_TRY(const bool is_empty, remove_empty_tree(*inner));
    if (!is_empty) return false;
    TAVOLA_CHECK(folder.remove_folder(entry.name));
  }
  return true;
}

Result<std::optional<Folder>> odd_objects(const Bucket& bucket) { return bucket.state.find_folder(kOdd); }

bool matches(const std::string& wanted, const ObjectRecord& record) {
  return wanted == "*" || wanted == record.etag;
}

}  // namespace

bool is_bucket_name(std::string_view name) {
  const auto is_end = [](char c) { return is_lower(c) || is_digit(c); };
  return name.size() >= 3 && name.size() <= 63 && is_end(name.front()) && is_end(name.back()) &&
         !name.contains("..") &&
         std::ranges::all_of(name, [&](char c) { return is_end(c) || c == '-' || c == '.'; });
}

Result<std::unique_ptr<ObjectStore>> ObjectStore::open(const std::string& folder, const Clock& clock) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) return fail(system_error("create", folder, error.value()));
  TAVOLA_TRY(Folder root, Folder::open(folder));
  TAVOLA_TRY(Folder state, needed(root.make_folder(kState)));
  TAVOLA_TRY(const bool is_alone, state.lock());
  if (!is_alone) {
    return fail(Error(ErrorCode::Locked, "another server answers S3's requests for " +
                                             quoted(fs::path(folder)) +
                                             "; stop it, or name another folder with --buckets"));
  }
  std::unique_ptr<ObjectStore> store(new ObjectStore(std::move(root), std::move(state), clock));
  TAVOLA_CHECK(store->sweep());
  return store;
}

Result<void> ObjectStore::sweep() const {
  TAVOLA_TRY(const std::vector<FolderEntry> buckets, state_.entries());
  for (const FolderEntry& entry : buckets) {
    TAVOLA_TRY(const std::optional<Folder> state, state_.find_folder(entry.name));
    if (state) TAVOLA_CHECK(state->remove_tree("drafts"));
  }
  return {};
}

std::int64_t ObjectStore::next_moment_ns() {
  const std::int64_t now =
      std::chrono::duration_cast<std::chrono::nanoseconds>(clock_.now().time_since_epoch()).count();
  std::int64_t last = last_moment_ns_.load();
  while (!last_moment_ns_.compare_exchange_weak(last, std::max(now, last + 1))) {
  }
  return std::max(now, last + 1);
}

// ---- Buckets ----

Result<Bucket> ObjectStore::bucket(const std::string& name) const {
  if (!may_be_bucket(name)) return fail(no_such_bucket());
  TAVOLA_TRY(std::optional<Folder> files, root_.find_folder(name));
  if (!files) return fail(no_such_bucket());
  TAVOLA_TRY(Folder state, needed(state_.make_folder(name)));
  return Bucket{.name = name, .files = *std::move(files), .state = std::move(state)};
}

Result<std::vector<BucketSummary>> ObjectStore::buckets() const {
  TAVOLA_TRY(const std::vector<FolderEntry> entries, root_.entries());
  std::vector<BucketSummary> found;
  for (const FolderEntry& entry : entries) {
    if (!entry.is_folder || !may_be_bucket(entry.name) || !is_utf8(entry.name)) continue;
    TAVOLA_TRY(const std::optional<Folder> folder, root_.find_folder(entry.name));
    if (folder) found.push_back({.name = entry.name, .created = folder->created_at()});
  }
  std::ranges::sort(found, {}, &BucketSummary::name);
  return found;
}

Result<void> ObjectStore::create_bucket(const std::string& name) {
  if (!is_bucket_name(name)) return fail(invalid_bucket_name());
  const MutexLock lock(names_mutex_);
  TAVOLA_TRY(const std::optional<Folder> found, root_.find_folder(name));
  if (found) return fail(bucket_exists());
  TAVOLA_TRY(const std::optional<Folder> made, root_.make_folder(name));
  if (!made) return fail(invalid_bucket_name());  // a file, or a link
  return {};
}

Result<void> ObjectStore::delete_bucket(const std::string& name) {
  TAVOLA_TRY(const Bucket gone, bucket(name));
  const MutexLock lock(names_mutex_);
  TAVOLA_TRY(const std::optional<Folder> odd, odd_objects(gone));
  if (odd) {
    TAVOLA_TRY(const bool has_none, remove_empty_tree(*odd));
    if (!has_none) return fail(bucket_not_empty());
  }
  TAVOLA_TRY(const bool is_empty, remove_empty_tree(gone.files));
  if (!is_empty) return fail(bucket_not_empty());
  TAVOLA_TRY(const bool is_removed, root_.remove_folder(name));
  if (!is_removed) return fail(bucket_not_empty());  // something that is neither a file nor a folder
  TAVOLA_CHECK(root_.sync());
  return state_.remove_tree(name);
}

// ---- Objects ----

Result<std::optional<ObjectStore::Place>> ObjectStore::locate(const Bucket& bucket, const std::string& key) {
  if (is_path(key)) {
    TAVOLA_TRY(std::optional<Descriptor> file, file_at(bucket.files, key));
    if (file) return Place{.file = *std::move(file), .is_odd = false};
  }
  TAVOLA_TRY(const std::optional<Folder> odd, odd_objects(bucket));
  if (!odd) return std::optional<Place>();
  TAVOLA_TRY(std::optional<Descriptor> file, file_at(*odd, odd_path(key)));
  if (!file) return std::optional<Place>();
  return Place{.file = *std::move(file), .is_odd = true};
}

Result<ObjectRecord> ObjectStore::record_of(const Bucket& bucket, const std::string& key,
                                            const FileFacts& facts) {
  TAVOLA_TRY(const std::optional<Folder> records, bucket.state.find_folder(kRecords));
  if (records) {
    const std::string path = record_path(key, facts);
    TAVOLA_TRY(const std::optional<Descriptor> file, file_at(*records, path));
    if (file) {
      const auto size = facts_of(*file).value_or(FileFacts{}).size_bytes;
      std::string text(size, '\0');
      if (read_bytes(*file, 0, text)) {
        if (Result<ObjectRecord> record = parse_object_record(text); record && record->key == key) {
          record->facts = facts;
          return record;
        }
      }
    }
  }
  return record_of_file(key, facts);
}

Result<std::optional<FoundObject>> ObjectStore::find(const Bucket& bucket, const std::string& key) {
  for (int look = 1;; ++look) {
    TAVOLA_TRY(std::optional<Place> place, locate(bucket, key));
    if (!place) return std::optional<FoundObject>();
    const FileFacts facts = facts_of(place->file).value_or(FileFacts{});
    TAVOLA_TRY(ObjectRecord record, record_of(bucket, key, facts));
    TAVOLA_TRY(const std::optional<Place> again, locate(bucket, key));
    const bool is_same = again && facts_of(again->file) == facts;
    if (is_same || look == kLooksMax)
      return FoundObject{.file = std::move(place->file), .record = std::move(record)};
  }
}

Result<FoundObject> ObjectStore::get(const std::string& bucket_name, const std::string& key) const {
  TAVOLA_TRY(const Bucket in, bucket(bucket_name));
  TAVOLA_TRY(std::optional<FoundObject> found, find(in, key));
  if (!found) return fail(no_such_key());
  return *std::move(found);
}

Result<void> ObjectStore::check(const Conditions& conditions, const std::optional<FoundObject>& found) {
  if (!conditions.if_match.empty()) {
    if (!found) return fail(no_such_key());
    if (!matches(conditions.if_match, found->record)) return fail(precondition_failed());
  }
  if (!conditions.if_none_match.empty() && found && matches(conditions.if_none_match, found->record))
    return fail(precondition_failed());
  return {};
}

Result<void> ObjectStore::check_now(const Bucket& bucket, const std::string& key,
                                    const Conditions& conditions) {
  if (conditions.if_match.empty() && conditions.if_none_match.empty()) return {};
  TAVOLA_TRY(const std::optional<FoundObject> found, find(bucket, key));
  return check(conditions, found);
}

// Puts the draft in the place of the object. A key that lies among the odd ones stays there; a new one goes there if its
// path is not free.
Result<void> ObjectStore::replace(const Bucket& bucket, NewObject& object) {
  const std::string& key = object.record.key;
  const MutexLock lock(names_mutex_);
  TAVOLA_TRY(const std::optional<Place> place, locate(bucket, key));
  std::optional<FileFacts> old_facts;
  if (place) old_facts = facts_of(place->file);
  TAVOLA_CHECK(check_now(bucket, key, object.conditions));
  bool is_stored = false;
  if (is_path(key) && !(place && place->is_odd)) {
    TAVOLA_TRY(is_stored, object.draft.move_to(bucket.files, key));
  }
  if (!is_stored) {
    TAVOLA_TRY(const Folder odd, needed(bucket.state.make_folder(kOdd)));
    TAVOLA_TRY(is_stored, object.draft.move_to(odd, odd_path(key)));
    if (!is_stored) return fail(state_in_the_way());
  }
  // The object is replaced: nothing may fail the request from here on. An old record that stays fits no file.
  if (old_facts) static_cast<void>(remove_record(bucket, key, *old_facts));
  return {};
}

Result<ObjectRecord> ObjectStore::put(NewObject object) {
  if (object.record.key.size() > kKeyBytesMax) return fail(key_too_long());
  TAVOLA_TRY(const Bucket in, bucket(object.bucket));
  TAVOLA_TRY(object.record.facts, object.draft.settle(next_moment_ns()));
  TAVOLA_CHECK(write_record(in, object.record));
  if (Result<void> replaced = replace(in, object); !replaced) {
    // An object that is in place keeps its record, also if the folder could not be synced.
    if (!object.draft.is_in_place()) TAVOLA_CHECK(remove_record(in, object.record.key, object.record.facts));
    return fail(replaced.error());
  }
  for (const Listener& listener : listeners_)
    listener({.bucket = object.bucket, .event = std::string(object.event), .record = object.record});
  return std::move(object.record);
}

Result<void> ObjectStore::remove_from(const Bucket& bucket, const Folder& root, const ObjectPath& path) {
  TAVOLA_TRY(const std::optional<Descriptor> file, file_at(root, path.path));
  if (!file) return {};
  TAVOLA_CHECK(remove_at(root, path.path));
  TAVOLA_CHECK(remove_empty_folders(root, path.path));
  const std::optional<FileFacts> facts = facts_of(*file);
  return facts ? remove_record(bucket, path.key, *facts) : Result<void>();
}

// Removes the file under the path of hexadecimal digits first: a crash in between must not bring an older object back.
Result<void> ObjectStore::remove(const std::string& bucket_name, const std::string& key,
                                 const Conditions& conditions) {
  TAVOLA_TRY(const Bucket in, bucket(bucket_name));
  const MutexLock lock(names_mutex_);
  TAVOLA_CHECK(check_now(in, key, conditions));
  TAVOLA_TRY(const std::optional<Folder> odd, odd_objects(in));
  if (odd) TAVOLA_CHECK(remove_from(in, *odd, {.key = key, .path = odd_path(key)}));
  if (is_path(key)) TAVOLA_CHECK(remove_from(in, in.files, {.key = key, .path = key}));
  return {};
}

}  // namespace tavola::objects
