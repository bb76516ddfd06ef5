// Decides whether a hole in a write-ahead log comes from a power cut or from damage.
//
// A power cut drops any pages that were written and not yet synced, in any order: a log may have holes with intact
// records after them. The missing writes were never acknowledged, so they are dropped, with all that followed. Damage
// to a synced part looks the same, but there acknowledged writes are missing, which must be reported. The records show
// which it is: each begins with a mark, "all writes up to this sequence number were on disk when this was written". If
// a record after the hole covers a write in the hole, the hole is damage.
//
// Between two logs there is nothing that could be broken: there the sequence numbers decide. Every write of a log that
// has a successor, and the first of that successor, follow each other without a gap (rocks.cc ensures that), and a log
// that has a successor is not empty.
//
// After a hole any byte may begin a record, so a client's data could be taken for one. Therefore a mark also contains
// the store's secret: some digits of the random name that RocksDB gave the database (its file IDENTITY).
//
// No mark can reveal damage to the very last writes, which no record follows. SYNCED records how much of each log was
// acknowledged (synced_files.h), and is compared first: find_tear only drops what comes after that.
//
// The log is RocksDB's ("Write Ahead Log File Format" in its wiki; Tavola uses neither its recycling nor its
// compression): blocks of 32 KB, each a sequence of fragments that do not cross a block's end.
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

// Returns the secret of a store with this IDENTITY; 0 if the text is malformed: then no mark is known.
LogSecret log_secret(std::string_view identity);

// Returns the start of every batch (WriteBatch::PutLogData).
std::string log_mark(std::uint64_t durable, LogSecret secret);

inline constexpr std::uint64_t kNothingTorn = std::numeric_limits<std::uint64_t>::max();

struct Tear {
  std::uint64_t sequence;  // of the first missing write: nothing from it on may be replayed; or kNothingTorn
  std::optional<Error> lost;  // Corrupt, naming the file: acknowledged writes are missing
};
// Reads the logs to replay, oldest first. A missing log counts as empty.
Result<Tear> look_for_tear(std::span<const std::filesystem::path> logs, LogSecret secret);
// Like look_for_tear, but fails if acknowledged writes are missing.
Result<std::uint64_t> find_tear(std::span<const std::filesystem::path> logs, LogSecret secret);

// Returns the length of the prefix of a log that consists of complete records.
std::size_t whole_bytes(std::string_view log);

// The complete records at the start of a log or of a manifest, which has the same format.
struct WholeRecords {
  std::vector<std::string> records{};
  std::size_t end = 0;  // of the last one
};
WholeRecords whole_records(std::string_view log);

// Returns the complete records of a damaged log, also those after the damage. After damage only records with the
// store's mark count: a client may have stored bytes that look like others.
std::vector<std::string> readable_records(std::string_view log, LogSecret secret);

// Appends a record to the bytes of a log.
void append_record(std::string& log, std::string_view record);

// Follows the bytes that are appended to a log, in pieces of any size, and knows the end of the last complete record.
class RecordEnd {
 public:
  void append(std::string_view bytes);
  std::uint64_t bytes() const { return end_; }

 private:
  std::size_t pass(std::string_view bytes);

  std::uint64_t at_ = 0;   // bytes appended
  std::uint64_t end_ = 0;  // of the last complete record
  std::array<char, 7> header_{};
  std::size_t header_bytes_ = 0;   // bytes of the fragment's header appended
  std::size_t payload_bytes_ = 0;  // bytes of the fragment still to come
};

}  // namespace tavola::store
