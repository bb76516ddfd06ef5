// Files and readers for tests.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

#include "transfer/formats/byte_stream.h"
#include "transfer/formats/compression.h"
#include "transfer/formats/item_reader.h"

namespace tavola::transfer {

// A temporary folder, deleted at the end.
class TestFolder {
 public:
  TestFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "tavola-files-XXXXXX").string();
    if (mkdtemp(name.data()) != nullptr) path_ = name;
  }
  ~TestFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path write(const std::string& name, std::string_view text) const {
    std::filesystem::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name, std::ios::binary) << text;
    return path_ / name;
  }

 private:
  std::filesystem::path path_;
};

inline std::string compressed(std::string_view text, Compression compression) {
  if (compression == Compression::None) return std::string(text);
  std::string out;
  const auto compressor = new_compressor(compression);
  if (!compressor->add(text, out) || !compressor->end_part(out)) return {};
  return out;
}

// Reads to the end: each item as JSON, or its error, with its line.
inline std::vector<std::string> read_text(std::string_view text, const ReadOptions& options) {
  std::vector<std::string> seen;
  Result<std::unique_ptr<ItemReader>> reader = read_items(source_of(text), options);
  if (!reader) return {"file: " + reader.error().message()};
  for (;;) {
    const auto record = (*reader)->next();
    if (!record) {
      seen.push_back("file: " + record.error().message());
      return seen;
    }
    if (!*record) return seen;
    const Record& one = **record;
    seen.push_back(std::to_string(one.line) + ": " +
                   (one.item ? to_json(one.item->unpack()) : one.item.error().message()));
  }
}

}  // namespace tavola::transfer
