// Files and readers for tests.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "base/test_scratch_directory.h"
#include "transfer/formats/byte_stream.h"
#include "transfer/formats/compression.h"
#include "transfer/formats/item_reader.h"

namespace tavola::transfer {

// A scratch directory in which tests write files.
class TestFolder : public ScratchDirectory {
 public:
  std::filesystem::path write(const std::string& name, std::string_view text) const {
    std::filesystem::create_directories((path() / name).parent_path());
    std::ofstream(path() / name, std::ios::binary) << text;
    return path() / name;
  }
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
