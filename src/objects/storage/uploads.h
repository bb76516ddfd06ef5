// Multipart uploads: parts of an object that arrive in any order, and become the object at the end.
//
//   …/uploads/<id>/upload          what the upload was created with, as the record of an object
//   …/uploads/<id>/00001           the record of part 1, which names its file
//   …/uploads/<id>/00001.<id>      its bytes
//
// The record of a part is replaced by a rename, when the bytes are on the disk.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <tavola/error.h>

#include "objects/storage/object_store.h"

namespace tavola::objects {

inline constexpr std::uint64_t kPartNumberMax = 10'000;
inline constexpr std::uint64_t kPartBytesMin = std::uint64_t{5} << 20U;  // of all but the last
inline constexpr std::uint64_t kAssembledBytesMax = std::uint64_t{5} << 40U;

struct Part {
  std::uint64_t number = 0;
  std::string file{};  // its name in the folder of the upload
  ObjectRecord record{};
};

// A part that the client names when it completes an upload.
struct NamedPart {
  std::uint64_t number = 0;
  std::string etag{};
  Pairs checksums{};  // by algorithm
};

struct Upload {
  std::string id;
  ObjectRecord record;  // of the object: key, headers; the wanted algorithm is its only checksum
  FileFacts facts{};
};

// Thread safety: all methods.
class Uploads {
 public:
  explicit Uploads(ObjectStore& store) : store_(store) {}

  // Returns the id of a new upload.
  Result<std::string> create(const std::string& bucket_name, const ObjectRecord& record);
  // The others fail with NoSuchUpload if there is no such upload of this key.
  Result<Upload> find(const Bucket& bucket, const std::string& key, const std::string& id) const;
  Result<Part> put_part(const Bucket& bucket, const Upload& upload, Part part, Draft draft);
  // Returns the parts in their order.
  Result<std::vector<Part>> parts(const Bucket& bucket, const Upload& upload) const;
  // Makes the object of these parts. Fails with InvalidPart, InvalidPartOrder, EntityTooSmall.
  Result<ObjectRecord> complete(const Bucket& bucket, const Upload& upload,
                                const std::vector<NamedPart>& named, const Conditions& conditions);
  Result<void> abort(const Bucket& bucket, const Upload& upload);
  // Returns the uploads of a bucket by key and id.
  Result<std::vector<Upload>> list(const Bucket& bucket) const;

 private:
  ObjectStore& store_;
};

}  // namespace tavola::objects
