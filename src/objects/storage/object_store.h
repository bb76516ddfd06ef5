// Buckets and objects as folders and files (key_path.h, object_record.h).
//
//   DIR/<bucket>/<key>                            an object, as anybody may read and write it
//   DIR/.tavola-objects/<bucket>/records/…        the records of objects (object_record.h)
//   DIR/.tavola-objects/<bucket>/odd/…            objects whose keys are not paths, or are in the way of others
//   DIR/.tavola-objects/<bucket>/uploads/…        multipart uploads (uploads.h)
//   DIR/.tavola-objects/<bucket>/drafts/…         objects that are being written; removed at the next start
//
// An object is replaced by renaming its file, when its bytes and its record are on the disk: readers see the old or
// the new one, also after a crash, and an acknowledged object is durable.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tavola/error.h>

#include "base/clock.h"
#include "base/locks.h"
#include "objects/storage/folder.h"
#include "objects/storage/object_record.h"

namespace tavola::objects {

// The folders of one bucket.
struct Bucket {
  std::string name;
  Folder files;
  Folder state;
};

// The bytes of an object, or of a part of one, before it has a name. Removed at the end unless it was stored.
// Thread safety: none.
class Draft {
 public:
  static Result<Draft> create(const Bucket& bucket);
  Draft(Draft&&) noexcept = default;
  Draft& operator=(Draft&&) = delete;
  Draft(const Draft&) = delete;
  Draft& operator=(const Draft&) = delete;
  ~Draft();

  Result<void> write(std::string_view piece);
  // Appends all bytes of an open file, or a range of them, without reading them into memory.
  Result<void> append(const Descriptor& file, std::uint64_t offset, std::uint64_t size_bytes);
  // Makes the bytes durable, with this time of modification. Returns what identifies the file then.
  Result<FileFacts> settle(std::int64_t modified_ns);
  // Moves the file there. Returns false, and keeps it, if a folder has the name or is missing on the way.
  Result<bool> move_to(const Folder& root, std::string_view path);
  // Returns whether the file was moved, also if move_to() failed afterwards.
  bool is_in_place() const { return name_.empty(); }

 private:
  Draft(Folder folder, std::string name, Descriptor file);
  Folder folder_;
  std::string name_;  // empty: stored
  Descriptor file_;
};

// Conditions on the object that is there; if one does not hold, the request fails with PreconditionFailed.
struct Conditions {
  std::string if_match{};       // an ETag without quotes, or "*"; empty: no condition
  std::string if_none_match{};  // the same
};

struct NewObject {
  std::string bucket;
  ObjectRecord record;  // without facts
  Draft draft;
  Conditions conditions{};
  std::string_view event = "ObjectCreated:Put";  // a literal
};

struct FoundObject {
  Descriptor file;
  ObjectRecord record;
};

// Reports an object that was created, after it is durable.
struct ObjectCreated {
  std::string bucket;
  std::string event;  // "ObjectCreated:Put"
  ObjectRecord record;
};

struct BucketSummary {
  std::string name;
  WallTime created;
};

struct ListQuery {
  std::string prefix{};
  std::string delimiter{};
  std::string after{};                // only what comes behind this key
  bool skips_group_of_after = false;  // and behind all keys that begin with it
  std::size_t entries_max = 1000;
};

// Keys, and groups of keys with the same beginning up to the delimiter, in one order.
struct ListPage {
  struct Entry {
    std::string key{};  // or what a group begins with
    bool is_group = false;
    ObjectRecord record{};
  };
  std::vector<Entry> entries{};
  bool is_truncated = false;
};

// Thread safety: all methods.
class ObjectStore {
 public:
  using Listener = std::function<void(const ObjectCreated&)>;

  // Creates the folder if missing, and removes what a crash left behind. Fails with Locked if another process has opened
  // it so.
  static Result<std::unique_ptr<ObjectStore>> open(const std::string& folder, const Clock& clock);

  // Calls the listener for every object that is created from now on, on the thread that created it. Must be called before
  // the store is used.
  void on_created(Listener listener) { listeners_.push_back(std::move(listener)); }

  Result<std::vector<BucketSummary>> buckets() const;
  // Fails with BucketAlreadyOwnedByYou, InvalidBucketName.
  Result<void> create_bucket(const std::string& name);
  // Fails with NoSuchBucket, BucketNotEmpty.
  Result<void> delete_bucket(const std::string& name);
  // Fails with NoSuchBucket.
  Result<Bucket> bucket(const std::string& name) const;

  // Stores an object in place of the one that was there. Returns its record. Fails with NoSuchBucket, PreconditionFailed,
  // KeyTooLongError.
  Result<ObjectRecord> put(NewObject object);
  // Fails with NoSuchBucket, NoSuchKey.
  Result<FoundObject> get(const std::string& bucket_name, const std::string& key) const;
  // Does nothing if there is no such object and no condition. Fails with NoSuchBucket, PreconditionFailed, and with NoSuchKey if the
  // object of a condition is missing.
  Result<void> remove(const std::string& bucket_name, const std::string& key,
                      const Conditions& conditions = {});
  // Fails with NoSuchBucket.
  Result<ListPage> list(const std::string& bucket_name, const ListQuery& query) const;

  // A time for a file: now, and later than all that were returned before.
  std::int64_t next_moment_ns();
  const Clock& clock() const { return clock_; }

 private:
  ObjectStore(Folder root, Folder state, const Clock& clock)
      : root_(std::move(root)), state_(std::move(state)), clock_(clock) {}
  struct Place {
    Descriptor file;
    bool is_odd = false;
  };
  static Result<std::optional<Place>> locate(const Bucket& bucket, const std::string& key);
  static Result<ObjectRecord> record_of(const Bucket& bucket, const std::string& key, const FileFacts& facts);
  static Result<std::optional<FoundObject>> find(const Bucket& bucket, const std::string& key);
  static Result<void> check(const Conditions& conditions, const std::optional<FoundObject>& found);
  // Checks the conditions on the object that is there now.
  static Result<void> check_now(const Bucket& bucket, const std::string& key, const Conditions& conditions);
  struct ObjectPath {
    const std::string& key;
    std::string path;
  };
  static Result<void> remove_from(const Bucket& bucket, const Folder& root, const ObjectPath& path);
  Result<void> replace(const Bucket& bucket, NewObject& object);
  Result<void> sweep() const;

  Folder root_;
  Folder state_;
  const Clock& clock_;
  std::vector<Listener> listeners_;
  std::atomic<std::int64_t> last_moment_ns_ = 0;
  // Held while names change, so that what a change depends on stays true.
  Mutex names_mutex_;
};

// Returns whether S3 lets a bucket be created with this name.
bool is_bucket_name(std::string_view name);

}  // namespace tavola::objects
