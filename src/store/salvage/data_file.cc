#include "store/salvage/data_file.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <fstream>
#include <utility>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "store/salvage/lz4.h"

namespace tavola::store {
namespace {

constexpr std::size_t kTrailerBytes = 5;
constexpr std::size_t kKeyTrailerBytes = 8;
constexpr std::size_t kRestartBytes = sizeof(std::uint32_t);
// An item has at most 400 KB, and a block ends with the entry that makes it larger than 8 KB.
constexpr std::uint64_t kBlockBytesMax = std::uint64_t{64} * 1024 * 1024;
constexpr std::uint64_t kKeyBytesMax = std::uint64_t{64} * 1024;  // DynamoDB's keys have at most 3 KB

enum class Compression : std::uint8_t { None = 0, Lz4 = 4 };

static_assert(std::endian::native == std::endian::little);

template <class Number>
Number number_at(std::string_view bytes, std::size_t at) {
  Number number{};
  std::memcpy(&number, bytes.data() + at, sizeof(Number));
  return number;
}

// Reads a varint and moves `at` behind it. Returns nullopt if there is none.
std::optional<std::uint64_t> read_varint(std::string_view bytes, std::size_t& at) {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 64 && at < bytes.size(); shift += 7) {
    const auto byte = static_cast<std::uint8_t>(bytes[at++]);
    value |= std::uint64_t{byte & 0x7FU} << shift;
    if (byte < 0x80) return value;
  }
  return std::nullopt;
}

enum class Form : std::uint8_t { Entries, Index };

// Keys end with type and sequence number, and the names in properties and the metaindex are longer. Keys of an index
// can be short.
std::size_t shortest_key(Form form) { return form == Form::Entries ? kKeyTrailerBytes : 1; }

// Reads the entries of a block from the left. The end of the block need not be known.
class Entries {
 public:
  Entries(std::string_view block, Form form) : block_(block), form_(form) {}

  // Returns whether an entry begins here; if not, end() is the end of the last one.
  bool next() {
    at_ = end_;
    const std::optional<std::uint64_t> shared = read_varint(block_, at_);
    const std::optional<std::uint64_t> others = read_varint(block_, at_);
    std::optional<std::uint64_t> value_bytes = 0;
    if (form_ == Form::Entries) value_bytes = read_varint(block_, at_);
    if (!shared || !others || !value_bytes || *shared > key_.size()) return false;
    if (*others > kKeyBytesMax || *others > block_.size() - at_) return false;
    if (*shared + *others < shortest_key(form_)) return false;
    const std::string_view rest_of_key = block_.substr(at_, *others);
    at_ += *others;
    if (form_ == Form::Index) value_bytes = index_value_bytes(*shared != 0);
    if (!value_bytes || *value_bytes > block_.size() - at_) return false;
    key_.resize(*shared);
    key_ += rest_of_key;
    value_ = block_.substr(at_, *value_bytes);
    shares_key_ = *shared != 0;
    end_ = at_ + *value_bytes;
    return true;
  }

  const std::string& key() const { return key_; }
  std::string_view value() const { return value_; }
  bool shares_key() const { return shares_key_; }
  std::size_t end() const { return end_; }

 private:
  std::optional<std::uint64_t> index_value_bytes(bool is_change) const {
    std::size_t end = at_;
    if (!read_varint(block_, end)) return std::nullopt;
    if (!is_change && !read_varint(block_, end)) return std::nullopt;
    return end - at_;
  }

  const std::string_view block_;
  const Form form_;
  std::size_t at_ = 0;
  std::size_t end_ = 0;
  std::string key_;
  std::string_view value_;
  bool shares_key_ = false;
};

// Returns the size of the block at the start of `bytes`; nullopt if there is none.
std::optional<std::size_t> block_bytes(std::string_view bytes, Form form) {
  Entries entries(bytes.substr(0, kBlockBytesMax), form);
  while (entries.next()) {
  }
  const std::size_t restarts = entries.end();
  std::uint32_t last = 0;
  for (std::uint32_t count = 0; restarts > 0; ++count) {
    const std::size_t at = restarts + count * kRestartBytes;
    if (at + kRestartBytes > bytes.size()) break;
    const auto number = number_at<std::uint32_t>(bytes, at);
    if (count > 0 && number == count) return at + kRestartBytes;
    const bool is_restart = count == 0 ? number == 0 : number > last && number < restarts;
    if (!is_restart) break;
    last = number;
  }
  return std::nullopt;
}

// Returns RocksDB's checksum of a block and of the byte after it.
std::uint32_t checksum(std::string_view block, Compression compression) {
  constexpr std::uint32_t kPrime = 0x6B9083D9;
  return static_cast<std::uint32_t>(XXH3_64bits(block.data(), block.size())) ^
         static_cast<std::uint8_t>(compression) * kPrime;
}

bool is_whole(std::string_view file, std::size_t bytes, Compression compression) {
  if (file.size() < kTrailerBytes || bytes > file.size() - kTrailerBytes) return false;
  if (Compression{static_cast<std::uint8_t>(file[bytes])} != compression) return false;
  return checksum(file.substr(0, bytes), compression) == number_at<std::uint32_t>(file, bytes + 1);
}

struct Block {
  std::string contents;
  std::size_t bytes;  // in the file
};

// Returns whether the first decompressed byte is 0, as in every block, because its first entry shares nothing. Most
// other bytes then need not be decompressed.
bool begins_with_zero(std::string_view lz4) {
  constexpr std::uint8_t kLengthGoesOn = 15;
  const auto literals = static_cast<std::uint8_t>(lz4.empty() ? 0 : static_cast<std::uint8_t>(lz4[0]) >> 4U);
  std::size_t at = 1;
  if (literals == kLengthGoesOn) at = lz4.find_first_not_of('\xff', at);
  if (literals == kLengthGoesOn && at != std::string_view::npos) ++at;
  return literals > 0 && at < lz4.size() && lz4[at] == 0;
}

std::optional<Block> compressed_block(std::string_view file) {
  std::size_t at = 0;
  const std::optional<std::uint64_t> bytes = read_varint(file, at);
  if (!bytes || *bytes == 0 || *bytes > kBlockBytesMax || !begins_with_zero(file.substr(at)))
    return std::nullopt;
  std::optional<Decompressed> decompressed = decompress_lz4(file.substr(at), *bytes);
  if (!decompressed || !is_whole(file, at + decompressed->read, Compression::Lz4)) return std::nullopt;
  return Block{std::move(decompressed->bytes), at + decompressed->read};
}

// Returns the complete block at the start of `file`, if any.
std::optional<Block> block_of(std::string_view file) {
  if (file.starts_with('\0')) {
    for (const Form form : {Form::Entries, Form::Index}) {
      const std::optional<std::size_t> bytes = block_bytes(file, form);
      if (bytes && is_whole(file, *bytes, Compression::None))
        return Block{std::string(file.substr(0, *bytes)), *bytes};
    }
  }
  return compressed_block(file);
}

bool has_form(std::string_view block, Form form) { return block_bytes(block, form) == block.size(); }

std::optional<EntryType> type_of(std::string_view key) {
  constexpr EntryType kTypes[] = {EntryType::Deletion, EntryType::Value, EntryType::Merge,
                                  EntryType::SingleDeletion, EntryType::RangeDeletion};
  if (key.size() < kKeyTrailerBytes) return std::nullopt;
  const EntryType type{number_at<std::uint8_t>(key, key.size() - kKeyTrailerBytes)};
  return std::ranges::find(kTypes, type) == std::end(kTypes) ? std::nullopt : std::optional(type);
}

FileEntry entry_of(const Entries& entries) {
  const std::string& key = entries.key();
  const std::size_t user_bytes = key.size() - kKeyTrailerBytes;
  const auto number = number_at<std::uint64_t>(key, user_bytes);
  return {number >> 8U, EntryType{static_cast<std::uint8_t>(number)}, key.substr(0, user_bytes),
          std::string(entries.value())};
}

// The contents of a block in the form of entries.
enum class Kind : std::uint8_t { Data, RangeDeletions, Other };

Kind kind_of(std::string_view block) {
  if (!has_form(block, Form::Entries)) return Kind::Other;
  std::optional<Kind> kind;
  for (Entries entries(block, Form::Entries); entries.next();) {
    const std::optional<EntryType> type = type_of(entries.key());
    if (!type) return Kind::Other;
    const Kind its = *type == EntryType::RangeDeletion ? Kind::RangeDeletions : Kind::Data;
    if (kind.value_or(its) != its) return Kind::Other;
    kind = its;
  }
  return kind.value_or(Kind::Other);
}

std::optional<std::string> value_in(std::string_view block, std::string_view key) {
  for (Entries entries(block, Form::Entries); entries.next();) {
    if (entries.key() == key) return std::string(entries.value());
  }
  return std::nullopt;
}

std::optional<std::uint64_t> number_in(std::string_view block, std::string_view key) {
  std::size_t at = 0;
  const std::optional<std::string> value = value_in(block, key);
  return value ? read_varint(*value, at) : std::nullopt;
}

}  // namespace

bool has_known_footer(const std::filesystem::path& file) {
  constexpr std::streamoff kFooterBytes = 53;
  constexpr std::size_t kVersionAt = 41;
  constexpr std::uint8_t kXxh3 = 4;
  constexpr std::uint32_t kVersion = 5;
  std::string footer(kFooterBytes, '\0');
  std::ifstream stream(file, std::ios::binary);
  stream.seekg(-kFooterBytes, std::ios::end);
  stream.read(footer.data(), kFooterBytes);
  return stream.good() && number_at<std::uint8_t>(footer, 0) == kXxh3 &&
         number_at<std::uint32_t>(footer, kVersionAt) == kVersion;
}

DamagedDataFile::DamagedDataFile(std::string_view file) : file_(file) {
  for (std::size_t at = 0; at < file.size();) {
    const std::optional<Block> block = block_of(file.substr(at));
    if (block) look_at({at, block->bytes}, block->contents);
    at += block ? block->bytes + kTrailerBytes : 1;
  }
  drop_data_outside_index();
}

void DamagedDataFile::look_at(const Place& place, std::string_view block) {
  if (!index_) {
    index_ = index_in(place, block);
    if (index_) return;
  }
  const Kind kind = kind_of(block);
  if (kind == Kind::RangeDeletions) range_deletions_.push_back(place);
  if (kind == Kind::Data) data_.push_back(place);
  if (const auto blocks = number_in(block, "rocksdb.num.data.blocks")) {
    properties_ = {*blocks, number_in(block, "rocksdb.data.size").value_or(0)};
    has_range_deletions_ = number_in(block, "rocksdb.num.range-deletions").value_or(0) > 0;
  } else if (value_in(block, "rocksdb.properties")) {
    has_range_deletions_ = value_in(block, "rocksdb.range_del").has_value();
  }
}

// Returns the positions in an index; nullopt if the block is not one. An index names all data blocks without a gap.
std::optional<std::vector<DamagedDataFile::Place>> DamagedDataFile::index_in(const Place& place,
                                                                             std::string_view block) const {
  if (!has_form(block, Form::Index)) return std::nullopt;
  std::vector<Place> places;
  std::uint64_t end = 0;
  for (Entries entries(block, Form::Index); entries.next();) {
    std::size_t at = 0;
    const std::uint64_t number = read_varint(entries.value(), at).value_or(0);
    Place named{end, 0};
    if (entries.shares_key()) {
      const std::uint64_t change = number >> 1U ^ (~(number & 1U) + 1);  // even numbers are positive changes
      named.bytes = places.empty() ? 0 : places.back().bytes + change;
    } else {
      named = {number, read_varint(entries.value(), at).value_or(0)};
    }
    const bool fits = named.bytes <= place.offset && named.offset == end;
    if (!fits) return std::nullopt;
    end = named.offset + named.bytes + kTrailerBytes;
    places.push_back(named);
  }
  const bool has_all_data = data_.empty() || data_.back().offset + data_.back().bytes + kTrailerBytes <= end;
  if (places.empty() || end > place.offset || !has_all_data) return std::nullopt;
  return places;
}

// A client's bytes may look like a block. A readable index decides.
void DamagedDataFile::drop_data_outside_index() {
  if (!index_) return;
  std::erase_if(data_, [this](const Place& place) {
    const auto found = std::ranges::lower_bound(*index_, place.offset, {}, &Place::offset);
    return found == index_->end() || *found != place;
  });
}

DataFileDamage DamagedDataFile::damage() const {
  DataFileDamage damage{.whole_blocks = data_.size()};
  damage.may_lack_range_deletions = range_deletions_.empty() && has_range_deletions_.value_or(true);
  std::optional<Properties> all = properties_;
  if (index_) all = {index_->size(), index_->back().offset + index_->back().bytes + kTrailerBytes};
  if (!all) return damage;
  std::uint64_t whole_bytes = 0;
  for (const Place& place : data_) whole_bytes += place.bytes + kTrailerBytes;
  damage.damaged_blocks = all->data_blocks - std::min<std::uint64_t>(all->data_blocks, data_.size());
  damage.damaged_bytes = all->data_bytes - std::min(all->data_bytes, whole_bytes);
  return damage;
}

Result<void> DamagedDataFile::for_each(const std::function<Result<void>(FileEntry)>& take) const {
  for (const auto* places : {&data_, &range_deletions_}) {
    for (const Place& place : *places) {
      const std::optional<Block> block = block_of(file_.substr(place.offset));
      if (!block) continue;  // never: it was complete before
      for (Entries entries(block->contents, Form::Entries); entries.next();)
        TAVOLA_CHECK(take(entry_of(entries)));
    }
  }
  return {};
}

}  // namespace tavola::store
