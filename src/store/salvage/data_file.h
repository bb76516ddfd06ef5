// Reads a damaged data file of RocksDB (an SST) without the parts by which RocksDB finds the others.
//
// The file is a sequence of blocks, each followed by [compression u8] [checksum u32]: data blocks, the filter, the
// index, range deletions, properties and the metaindex; then comes the footer ("Rocksdb BlockBasedTable Format" in
// RocksDB's wiki). RocksDB reads the footer, the index and the properties first, so that one flipped bit in them costs
// the whole file. But every block except the filter shows where it ends:
//
//   compressed   [bytes when decompressed, varint] [LZ4], which decompresses to exactly that many bytes
//   block        [entries …] [offset of each restart u32 …] [number of restarts u32]
//   entry        [key bytes shared with the entry before, varint] [other key bytes, varint] [value bytes, varint] [key] [value]
//   restarts     begin with the offset 0, which is not an entry, because no key is empty
//   key          of data: [key] [type u8] [sequence number, 7 bytes]
//
// So the file is read from its first byte on, and where no complete block begins, the next byte is tried. An index
// entry has no value bytes; its value is [offset varint] [bytes varint] if it shares nothing, and otherwise only the
// change of the bytes. All numbers are little-endian.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tavola/error.h>

namespace tavola::store {

// Types written by RocksDB.
enum class EntryType : std::uint8_t {
  Deletion = 0,
  Value = 1,
  Merge = 2,
  SingleDeletion = 7,
  RangeDeletion = 15
};

struct FileEntry {
  std::uint64_t sequence;
  EntryType type;
  std::string key;
  std::string value;  // range deletion: the first key after the range
};

struct DataFileDamage {
  std::uint64_t whole_blocks = 0;  // with data
  std::optional<std::uint64_t>
      damaged_blocks{};             // with data; nullopt if the number of blocks in the file is unknown
  std::uint64_t damaged_bytes = 0;  // of those
  bool may_lack_range_deletions = false;
};

// Returns whether the footer has the version and the checksum type of Tavola's files. RocksDB accepts any other.
bool has_known_footer(const std::filesystem::path& file);

// Thread safety: const functions can be called concurrently.
class DamagedDataFile {
 public:
  // The bytes must outlive it.
  explicit DamagedDataFile(std::string_view file);

  DataFileDamage damage() const;
  // Calls `take` for every entry of the complete blocks. Fails if it fails.
  Result<void> for_each(const std::function<Result<void>(FileEntry)>& take) const;

 private:
  struct Place {
    std::uint64_t offset;
    std::uint64_t bytes;  // without the trailer of the block
    bool operator==(const Place&) const = default;
  };
  struct Properties {
    std::uint64_t data_blocks = 0;
    std::uint64_t data_bytes = 0;  // with the trailers of the blocks
  };

  void look_at(const Place& place, std::string_view block);
  std::optional<std::vector<Place>> index_in(const Place& place, std::string_view block) const;
  void drop_data_outside_index();

  const std::string_view file_;
  std::vector<Place> data_{};
  std::vector<Place> range_deletions_{};
  std::optional<std::vector<Place>> index_{};  // the positions of all data blocks
  std::optional<Properties> properties_{};
  std::optional<bool> has_range_deletions_{};  // according to the properties or the metaindex
};

}  // namespace tavola::store
