#include "store/rocks/torn_log.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <optional>
#include <utility>

#include "base/files.h"
#include "store/crc32c.h"
#include "store/data_files.h"

namespace tavola::store {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kBlockBytes = std::size_t{32} * 1024;
constexpr std::size_t kHeaderBytes = 7;
constexpr std::size_t kBatchHeaderBytes = 12;
constexpr std::string_view kMarkTag = "\x03\x10";  // RocksDB's tag of PutLogData, and the length
constexpr std::size_t kMarkAt = kBatchHeaderBytes + kMarkTag.size();
constexpr std::size_t kSecretAt = kMarkAt + sizeof(std::uint64_t);
constexpr std::size_t kHeadBytes = kSecretAt + sizeof(LogSecret);

enum class Type : std::uint8_t { Whole = 1, First = 2, Middle = 3, Last = 4 };

static_assert(std::endian::native == std::endian::little);

template <class Number>
Number number_at(std::string_view bytes, std::size_t at) {
  Number number{};
  std::memcpy(&number, bytes.data() + at, sizeof(Number));
  return number;
}

// RocksDB masks checksums, so that the checksum of bytes with an embedded checksum is not constant.
std::uint32_t masked(std::uint32_t crc) { return std::rotr(crc, 15) + 0xA282EAD8; }

struct Fragment {
  Type type;
  std::string_view bytes;
  std::size_t end;  // its position in the log
};

std::optional<Fragment> fragment_at(std::string_view log, std::size_t at) {
  const std::size_t block_end = std::min(log.size(), (at / kBlockBytes + 1) * kBlockBytes);
  if (at + kHeaderBytes > block_end) return std::nullopt;
  const auto type = number_at<std::uint8_t>(log, at + 6);
  const std::size_t end = at + kHeaderBytes + number_at<std::uint16_t>(log, at + 4);
  if (type < 1 || type > 4 || end > block_end) return std::nullopt;
  if (masked(crc32c(log.substr(at + 6, end - at - 6))) != number_at<std::uint32_t>(log, at))
    return std::nullopt;
  return Fragment{static_cast<Type>(type), log.substr(at + kHeaderBytes, end - at - kHeaderBytes), end};
}

struct Head {
  std::uint64_t sequence;  // of the first write
  std::uint32_t count;
  std::uint64_t mark;
  LogSecret secret;  // 0: the record has no mark
};

std::optional<Head> head_of(std::string_view record) {
  if (record.size() < kBatchHeaderBytes) return std::nullopt;
  Head head{number_at<std::uint64_t>(record, 0), number_at<std::uint32_t>(record, 8), 0, 0};
  if (record.size() >= kHeadBytes && record.substr(kBatchHeaderBytes).starts_with(kMarkTag)) {
    head.mark = number_at<std::uint64_t>(record, kMarkAt);
    head.secret = number_at<LogSecret>(record, kSecretAt);
  }
  return head;
}

// Returns the head of the record that begins with the fragment, if one does. At a block's end it continues in the next
// one.
std::optional<Head> head_of(std::string_view log, const std::optional<Fragment>& fragment) {
  if (!fragment || (fragment->type != Type::Whole && fragment->type != Type::First)) return std::nullopt;
  std::string beginning(fragment->bytes.substr(0, kHeadBytes));
  if (fragment->type == Type::First && beginning.size() < kHeadBytes) {
    const std::optional<Fragment> next = fragment_at(log, fragment->end);
    const bool goes_on = next && (next->type == Type::Middle || next->type == Type::Last);
    if (goes_on) beginning += next->bytes.substr(0, kHeadBytes - beginning.size());
  }
  return head_of(beginning);
}

// Returns the bytes of a log; empty if missing.
Result<std::string> read_if_there(const fs::path& path) {
  std::error_code error;
  if (!fs::exists(path, error) && !error) return std::string();
  return read_file(path);
}

struct Record {
  Head head;
  std::size_t end;
};

// Returns the end of the record at `at`, if it is complete. Appends its bytes to `record`, up to `bytes_max`.
std::optional<std::size_t> pass_record(std::string_view log, std::size_t at, std::string& record,
                                       std::size_t bytes_max) {
  for (bool is_first = true;; is_first = false) {
    const std::size_t left_in_block = kBlockBytes - at % kBlockBytes;
    if (left_in_block < kHeaderBytes) at += left_in_block;
    const std::optional<Fragment> fragment = fragment_at(log, at);
    if (!fragment) return std::nullopt;
    const bool begins = fragment->type == Type::Whole || fragment->type == Type::First;
    if (begins != is_first) return std::nullopt;
    record += fragment->bytes.substr(0, bytes_max - std::min(bytes_max, record.size()));
    at = fragment->end;
    if (fragment->type == Type::Whole || fragment->type == Type::Last) return at;
  }
}

// Returns the record at `at`, if it is complete.
std::optional<Record> record_at(std::string_view log, std::size_t at) {
  std::string beginning;
  const std::optional<std::size_t> end = pass_record(log, at, beginning, kHeadBytes);
  const std::optional<Head> head = end ? head_of(beginning) : std::nullopt;
  return head ? std::optional(Record{*head, *end}) : std::nullopt;
}

// Invariants: (1) next_ is the sequence number after the last write before the tear; unknown before the first record.
// (2) end_ is the end of that write: in the previous log if this one is empty.
class LogScan {
 public:
  explicit LogScan(LogSecret secret) : secret_(secret) {}

  Result<void> read(const fs::path& path) {
    TAVOLA_TRY(const std::string log, read_if_there(path));
    std::size_t at = 0;
    if (!is_torn_) {
      at = pass_records(path, log);
      // Zeros at the end are unused space.
      if (log.find_first_not_of('\0', at) == std::string::npos) return {};
      is_torn_ = true;
    }
    look_for_witness(log, at);
    return {};
  }

  Tear tear() const { return {is_torn_ ? next_.value_or(0) : kNothingTorn, lost_}; }

 private:
  std::size_t pass_records(const fs::path& path, std::string_view log) {
    std::size_t at = 0;
    std::optional<Record> record = record_at(log, at);
    if (record && !follows(record->head)) return at;  // the previous log has lost its end
    for (; record; record = record_at(log, at)) {
      next_ = record->head.sequence + record->head.count;
      at = record->end;
    }
    if (!next_ && end_.log.empty()) {  // the very first record is torn: its number may still be readable
      if (const std::optional<Head> head = head_of(log, fragment_at(log, at))) next_ = head->sequence;
    }
    const bool is_empty = log.find_first_not_of('\0') == std::string_view::npos;
    if (!is_empty || end_.log.empty()) end_ = {path, at};
    return at;
  }

  // Returns whether nothing is missing between the previous log and the first record of this one. (Inside a log there
  // are no gaps.)
  bool follows(const Head& head) const { return next_ ? head.sequence == *next_ : end_.log.empty(); }

  // Continues after the tear. The start of a fragment is unknown there: any byte may be its first.
  void look_for_witness(std::string_view log, std::size_t at) {
    while (at < log.size() && !lost_) {
      const std::optional<Fragment> fragment = fragment_at(log, at);
      if (const std::optional<Head> head = head_of(log, fragment)) question(*head);
      at = fragment ? fragment->end : at + 1;
    }
  }

  void question(const Head& head) {
    if (secret_ == 0 || head.secret != secret_) return;  // bytes that look like a record
    if (!next_) next_ = head.sequence - 1;  // unknown: at least the last write before this one is missing
    if (head.mark < *next_ || head.sequence < *next_) return;
    lost_ = log_is_damaged(
        end_.log, "from byte " + std::to_string(end_.at) + " on, writes are missing that were on the disk");
  }

  struct Place {
    fs::path log;  // empty before the first one
    std::size_t at = 0;
  };

  const LogSecret secret_;
  std::optional<std::uint64_t> next_;
  Place end_;
  bool is_torn_ = false;
  std::optional<Error> lost_;
};

}  // namespace

LogSecret log_secret(std::string_view identity) {
  constexpr std::size_t kDigits = 2 * sizeof(LogSecret);
  std::string digits(identity);
  std::erase(digits, '-');
  LogSecret secret = 0;
  if (digits.size() >= kDigits) std::from_chars(digits.data(), digits.data() + kDigits, secret, 16);
  return secret;
}

std::string log_mark(std::uint64_t durable, LogSecret secret) {
  std::string mark(sizeof(durable) + sizeof(secret), '\0');
  std::memcpy(mark.data(), &durable, sizeof(durable));
  std::memcpy(mark.data() + sizeof(durable), &secret, sizeof(secret));
  return mark;
}

Result<Tear> look_for_tear(std::span<const fs::path> logs, LogSecret secret) {
  LogScan scan(secret);
  for (const fs::path& log : logs) TAVOLA_CHECK(scan.read(log));
  return scan.tear();
}

Result<std::uint64_t> find_tear(std::span<const fs::path> logs, LogSecret secret) {
  TAVOLA_TRY(const Tear tear, look_for_tear(logs, secret));
  if (tear.lost) return fail(*tear.lost);
  return tear.sequence;
}

std::size_t whole_bytes(std::string_view log) {
  std::size_t at = 0;
  while (const std::optional<Record> record = record_at(log, at)) at = record->end;
  return at;
}

WholeRecords whole_records(std::string_view log) {
  WholeRecords whole;
  std::string record;
  while (const std::optional<std::size_t> end = pass_record(log, whole.end, record, log.size())) {
    whole.records.push_back(std::exchange(record, {}));
    whole.end = *end;
  }
  return whole;
}

std::vector<std::string> readable_records(std::string_view log, LogSecret secret) {
  std::vector<std::string> records;
  bool is_behind_damage = false;
  for (std::size_t at = 0; at < log.size();) {
    std::string record;
    const std::optional<std::size_t> end = pass_record(log, at, record, log.size());
    const std::optional<Head> head = end ? head_of(record) : std::nullopt;
    if (head && (!is_behind_damage || (secret != 0 && head->secret == secret))) {
      records.push_back(std::move(record));
      at = *end;
      is_behind_damage = false;
    } else {
      ++at;
      is_behind_damage = true;
    }
  }
  return records;
}

namespace {

Type type_of_fragment(bool is_first, bool is_last) {
  if (is_first) return is_last ? Type::Whole : Type::First;
  return is_last ? Type::Last : Type::Middle;
}

template <class Number>
void append_number(std::string& to, Number number) {
  to.append(reinterpret_cast<const char*>(&number), sizeof(number));
}

}  // namespace

void append_record(std::string& log, std::string_view record) {
  for (bool is_first = true; is_first || !record.empty(); is_first = false) {
    std::size_t left_in_block = kBlockBytes - log.size() % kBlockBytes;
    if (left_in_block < kHeaderBytes) {
      log.append(left_in_block, '\0');
      left_in_block = kBlockBytes;
    }
    const std::string_view part = record.substr(0, left_in_block - kHeaderBytes);
    std::string typed(1, static_cast<char>(type_of_fragment(is_first, part.size() == record.size())));
    typed += part;
    append_number(log, masked(crc32c(typed)));
    append_number(log, static_cast<std::uint16_t>(part.size()));
    log += typed;
    record.remove_prefix(part.size());
  }
}

void RecordEnd::append(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::size_t passed = pass(bytes);
    at_ += passed;
    bytes.remove_prefix(passed);
    if (header_bytes_ < kHeaderBytes || payload_bytes_ > 0) continue;
    header_bytes_ = 0;
    const auto type = static_cast<Type>(header_[6]);
    if (type == Type::Whole || type == Type::Last) end_ = at_;
  }
}

// Passes the unused end of a block, one byte of a header, or bytes of a fragment. Returns the number of bytes.
std::size_t RecordEnd::pass(std::string_view bytes) {
  if (header_bytes_ == kHeaderBytes) {
    const std::size_t taken = std::min(payload_bytes_, bytes.size());
    payload_bytes_ -= taken;
    return taken;
  }
  const std::size_t left_in_block = kBlockBytes - at_ % kBlockBytes;
  if (header_bytes_ == 0 && left_in_block < kHeaderBytes) return std::min(left_in_block, bytes.size());
  header_[header_bytes_++] = bytes.front();
  if (header_bytes_ == kHeaderBytes)
    payload_bytes_ = number_at<std::uint16_t>({header_.data(), kHeaderBytes}, 4);
  return 1;
}

}  // namespace tavola::store
