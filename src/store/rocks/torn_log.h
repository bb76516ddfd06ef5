// Is a hole in a write-ahead log the work of a power cut, or damage?
//
// A power cut takes any pages that were written and not yet synced, in any order: a log may have holes with whole
// records behind them. Nobody was told that what is missing was written, so it is dropped, with all that followed it.
// Damage to a part that was synced looks the same, but there acknowledged writes are missing, which must be told. The
// records themselves tell which it is: each begins with a mark, "all writes up to this sequence number were on the disk
// when I was written". When a record behind the hole knows of a write in the hole, the hole is damage.
//
// Between two logs nothing stands that could be broken: there the sequence numbers tell. Every write of a log that has a
// successor, and the first of that successor, follow each other without a gap (rocks.cc sees to that), and a log that
// has a successor is not empty.
//
// Behind a hole every byte may begin a record, so what a client stored could be taken for one. Therefore a mark also has
// the store's secret: some of the digits of the random name that RocksDB gave the database (its file IDENTITY).
//
// No mark can tell of damage to the very last writes, behind which no record stands. SYNCED knows how much of each log
// was acknowledged (synced_files.h), and is compared first: what find_tear drops lies behind that.
//
// The log is RocksDB's ("Write Ahead Log File Format" in its wiki; Tavola uses neither its recycling nor its
// compression): blocks of 32 KB, each a row of fragments, of which none crosses a block's end.
//
//   fragment   [masked CRC-32C of type and bytes, u32] [length u16] [type u8] [bytes]
//   type       1 a whole record; 2 its first, 3 a middle, 4 its last fragment
//   record     [sequence number u64] [count of writes u32] [03] [10] [mark u64] [secret u64] [writes …]
//
// All numbers are little-endian. Fewer than seven bytes at the end of a block are left unused.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <tavola/error.h>

namespace tavola::store {

using LogSecret = std::uint64_t;

// The secret of a store whose IDENTITY this is. 0 when it is no such text: then no mark is known.
LogSecret log_secret(std::string_view identity);

// What a batch must begin with (WriteBatch::PutLogData).
std::string log_mark(std::uint64_t durable, LogSecret secret);

inline constexpr std::uint64_t kNothingTorn = std::numeric_limits<std::uint64_t>::max();

struct Tear {
  std::uint64_t
      sequence;  // of the first write that is missing: from it on nothing may be replayed; or kNothingTorn
  std::optional<Error> lost;  // Corrupt, naming the file: acknowledged writes are missing
};
// Reads the logs that are to be replayed, from the oldest on. A log that is not there counts as empty.
Result<Tear> look_for_tear(std::span<const std::filesystem::path> logs, LogSecret secret);
// The same, and fails when acknowledged writes are missing.
Result<std::uint64_t> find_tear(std::span<const std::filesystem::path> logs, LogSecret secret);

// How much of a log, from its beginning, is whole records.
std::size_t whole_bytes(std::string_view log);

// The whole records from the beginning of a log, or of a manifest, which has the same form.
struct WholeRecords {
  std::vector<std::string> records{};
  std::size_t end = 0;  // of the last one
};
WholeRecords whole_records(std::string_view log);

// Returns the whole records of a damaged log, those behind the damage included. Behind damage only records with the store's mark
// count: a client may have stored the bytes of others.
std::vector<std::string> readable_records(std::string_view log, LogSecret secret);

// Appends a record to the bytes of a log.
void append_record(std::string& log, std::string_view record);

// Follows the bytes that are appended to a log, in pieces of any size, and knows where the last whole record ends.
class RecordEnd {
 public:
  void append(std::string_view bytes);
  std::uint64_t bytes() const { return end_; }

 private:
  std::size_t pass(std::string_view bytes);

  std::uint64_t at_ = 0;   // how much was appended
  std::uint64_t end_ = 0;  // of the last whole record
  std::array<char, 7> header_{};
  std::size_t header_bytes_ = 0;   // how much of the fragment's header was appended
  std::size_t payload_bytes_ = 0;  // how much of the fragment is still to come
};

}  // namespace tavola::store
