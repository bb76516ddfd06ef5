// The keys of a bucket's files in the order of S3, that of their bytes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <tavola/error.h>

#include "objects/storage/folder.h"

namespace tavola::objects {

// Reads a folder when it is reached, and holds the names of the folders on the way to the current key. Thread safety:
// none.
class KeyWalk {
 public:
  explicit KeyWalk(const Folder& bucket) : bucket_(bucket) {}  // borrowed

  // Moves to the first key that is not less than `target`. Cheap if the target lies behind the current key.
  Result<void> seek(std::string_view target);
  bool is_valid() const { return !levels_.empty(); }
  const std::string& key() const { return key_; }

 private:
  struct Level {
    std::string prefix;                // "a/b/"; empty for the bucket
    std::vector<FolderEntry> entries;  // in the order of their keys
    std::size_t position = 0;
  };
  Result<void> enter(const std::string& prefix);
  static void move_to(Level& level, std::string_view target);
  Result<void> settle(std::string_view target);

  const Folder& bucket_;
  std::vector<Level> levels_;
  std::string key_;
  bool has_begun_ = false;
};

}  // namespace tavola::objects
