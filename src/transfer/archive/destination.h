// The destinations of archives: a folder, or a bucket of S3 or of a server with its protocol. An object has a name
// like "InventorySystem/Transaction/20240101T000000Z-5f2c….jsonl.gz", and bytes.
//
// Thread safety: all methods.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tavola/error.h>

namespace tavola::transfer {

class Destination {
 public:
  virtual ~Destination() = default;

  // Writes an object durably and atomically: after a crash, the object is the old or the new one. Replaces an object of
  // the same name.
  virtual Result<void> write(const std::string& name, std::string_view bytes) = 0;
  // Returns nullopt if there is no such object.
  virtual Result<std::optional<std::string>> read(const std::string& name) = 0;
  // Returns the names that begin with `folder`, which ends with '/', or all for "". Sorted.
  virtual Result<std::vector<std::string>> list(const std::string& folder) = 0;
  // Returns the name for messages: "s3://bucket/prefix", "/var/archive".
  virtual std::string described() const = 0;
};

struct Where {
  std::string to{};           // "s3://bucket/prefix", or the path of a folder
  std::string s3_endpoint{};  // a URL; empty: Amazon's own, in the region of the environment
};

// Fails with Validation if `to` is not a destination. Does not access it yet.
Result<std::unique_ptr<Destination>> open_destination(const Where& where);

std::unique_ptr<Destination> open_folder(std::string path);
Result<std::unique_ptr<Destination>> open_s3(const Where& where);

}  // namespace tavola::transfer
