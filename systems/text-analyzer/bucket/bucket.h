// The bucket that texts are uploaded to and that workers read: a folder of this program (own_bucket.h), or a server with S3's protocol
// (s3_bucket.h).
//
//   uploads/<fileId>/<ULID>            an uploaded text, removed when it is analysed: what is there is still to be done
//   announced/<milliseconds>-<fileId>  an empty object for each announced file, so that those that are never uploaded are found in the order of
//                                      time, without a scan of the table
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <tavola/error.h>

namespace tavola::text_analyzer {

inline constexpr std::chrono::seconds kUploadLifetime{300};  // of the URL of an upload
inline constexpr std::size_t kKeysOfPage = 1000;

// Detail of an error: the object was replaced or removed while it was read.
struct UploadChanged final : ErrorDetail {};

// Reads an object from its start to its end, in memory that does not depend on its size. Thread safety: none.
class UploadReader {
 public:
  virtual ~UploadReader() = default;
  virtual std::uint64_t size_bytes() const = 0;
  // Returns the next piece, which is valid until the next call; an empty one at the end. Fails with Io, with the detail UploadChanged if
  // the object is another one by now.
  virtual Result<std::string_view> next() = 0;
};

struct ExpectedUpload {
  std::string key;
  std::uint64_t size_bytes = 0;
  std::string origin;  // of the page, as its browser knows it: "http://127.0.0.1:8012"
};

// Thread safety: all methods. They fail with Io and a message for people.
class Bucket {
 public:
  virtual ~Bucket() = default;
  virtual const std::string& name() const = 0;

  // Returns the URL to which the client may PUT an object of exactly this size, within kUploadLifetime.
  virtual Result<std::string> upload_url(const ExpectedUpload& upload) = 0;
  // Returns up to kKeysOfPage keys that begin with `prefix` and come behind `after`, in their order.
  virtual Result<std::vector<std::string>> list(const std::string& prefix, const std::string& after) = 0;
  // Returns null if there is no such object.
  virtual Result<std::unique_ptr<UploadReader>> open(const std::string& key) = 0;
  virtual Result<void> write_empty(const std::string& key) = 0;
  // Does nothing if there is no such object.
  virtual Result<void> remove(const std::string& key) = 0;
};

}  // namespace tavola::text_analyzer
