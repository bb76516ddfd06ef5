// A directory for one test, removed at its end unless the test keeps it. For tests only.
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
    path_ = std::filesystem::canonical(name);
  }
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;
  ~ScratchDirectory() {
    if (is_kept_) return;
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  // Leaves the directory in place, for people who look into a failure.
  void keep() { is_kept_ = true; }

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
  bool is_kept_ = false;
};

}  // namespace tavola
