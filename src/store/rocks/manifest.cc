#include "store/rocks/manifest.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string>

#include "store/rocks/synced_facts.h"
#include "store/rocks/torn_log.h"

namespace tavola::store {
namespace {

// Reads fields from the left. After an incomplete field, is_whole() is false and everything after it is 0 or empty.
class Fields {
 public:
  explicit Fields(std::string_view bytes) : left_(bytes) {}

  std::uint64_t number() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64 && !left_.empty(); shift += 7) {
      const auto byte = static_cast<unsigned char>(left_.front());
      left_.remove_prefix(1);
      value |= std::uint64_t{byte & 0x7FU} << shift;
      if (byte < 0x80) return value;
    }
    fail();
    return 0;
  }
  void skip_numbers(int count) {
    while (count-- > 0) number();
  }
  void skip_text() {
    const std::uint64_t size = number();
    size <= left_.size() ? left_.remove_prefix(size) : fail();
  }
  bool is_whole() const { return is_whole_; }
  bool is_at_end() const { return left_.empty(); }

 private:
  void fail() {
    is_whole_ = false;
    left_ = {};
  }

  std::string_view left_;
  bool is_whole_ = true;
};

// Tags written by RocksDB.
namespace tag {
constexpr std::uint64_t kComparator = 1;
constexpr std::uint64_t kCompactCursor = 5;
constexpr std::uint64_t kDeletedFile = 6;
constexpr std::uint64_t kNewFile = 103;
constexpr std::uint64_t kColumnFamilyAdd = 201;
constexpr std::uint64_t kColumnFamilyDrop = 202;
constexpr std::uint64_t kMayBeIgnored = 1U << 13U;  // a bit: the field is preceded by its size
}  // namespace tag
constexpr std::array<std::uint64_t, 8> kOneNumber{2, 3, 4, 9, 10, 200, 203, 300};

void read_new_file(Fields& fields, DataFiles& files) {
  fields.number();  // the level
  const std::uint64_t number = fields.number();
  files[number] = fields.number();
  fields.skip_text();
  fields.skip_text();
  fields.skip_numbers(2);
  constexpr std::uint64_t kEnd = 1;
  while (fields.is_whole() && fields.number() != kEnd) fields.skip_text();
}

// Returns whether the whole change could be read.
bool take_change(std::string_view change, DataFiles& files) {
  Fields fields(change);
  while (fields.is_whole() && !fields.is_at_end()) {
    const std::uint64_t kind = fields.number();
    if (kind == tag::kNewFile) {
      read_new_file(fields, files);
    } else if (kind == tag::kDeletedFile) {
      fields.number();  // the level
      files.erase(fields.number());
    } else if (kind == tag::kCompactCursor) {
      fields.number();
      fields.skip_text();
    } else if (kind == tag::kComparator || kind == tag::kColumnFamilyAdd ||
               (kind & tag::kMayBeIgnored) != 0) {
      fields.skip_text();
    } else if (std::ranges::find(kOneNumber, kind) != kOneNumber.end()) {
      fields.number();
    } else if (kind != tag::kColumnFamilyDrop) {
      return false;
    }
  }
  return fields.is_whole();
}

}  // namespace

std::optional<DataFiles> data_files_of(std::string_view manifest) {
  DataFiles files;
  const WholeRecords whole = whole_records(manifest);
  if (manifest.empty() || whole.end != manifest.size()) return std::nullopt;
  for (const std::string& change : whole.records) {
    if (!take_change(change, files)) return std::nullopt;
  }
  return files;
}

std::string data_file_name(std::uint64_t number) {
  return std::filesystem::path(log_name(number)).stem().string() + ".sst";
}

}  // namespace tavola::store
