// Where archives lie: a folder, or a bucket of S3 or of a server that speaks its protocol. An object has a name like
// "InventorySystem/Transaction/20240101T000000Z-5f2c….jsonl.gz", and bytes.
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

  // The object is there whole, and stays, when this returns; killed meanwhile, it is as it was before or whole. One of the
  // same name is replaced.
  virtual Result<void> write(const std::string& name, std::string_view bytes) = 0;
  // Nothing when there is no such object.
  virtual Result<std::optional<std::string>> read(const std::string& name) = 0;
  // The names that begin with `folder`, which ends with '/', or all for "". Sorted.
  virtual Result<std::vector<std::string>> list(const std::string& folder) = 0;
  // For messages: "s3://bucket/prefix", "/var/archive".
  virtual std::string described() const = 0;
};

struct Where {
  std::string to{};           // "s3://bucket/prefix", or the path of a folder
  std::string s3_endpoint{};  // a URL; empty: Amazon's own, in the region of the environment
};

// Fails with Validation when `to` names no place. Looks at nothing yet.
Result<std::unique_ptr<Destination>> open_destination(const Where& where);

std::unique_ptr<Destination> open_folder(std::string path);
Result<std::unique_ptr<Destination>> open_s3(const Where& where);

}  // namespace tavola::transfer
