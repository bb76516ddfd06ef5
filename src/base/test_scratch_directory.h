// A directory for one test, removed at its end. For tests only.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

#include "base/assert.h"

namespace tavola {

class ScratchDirectory {
 public:
  ScratchDirectory() {
    std::string name = (std::filesystem::temp_directory_path() / "tavola-test-XXXXXX").string();
    TAVOLA_ASSERT(::mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;
  ~ScratchDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

}  // namespace tavola
