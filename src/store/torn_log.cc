#include "store/torn_log.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <optional>

#include "store/crc32c.h"
#include "store/files.h"

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

// RocksDB stores checksums so that the checksum of bytes that hold a checksum is not always the same.
std::uint32_t masked(std::uint32_t crc) { return std::rotr(crc, 15) + 0xA282EAD8; }

struct Fragment {
  Type type;
  std::string_view bytes;
  std::size_t end;  // its place in the log
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

// Of the record that begins with the fragment, if one does. Where a block ends, the head goes on in the next fragment.
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

struct Record {
  Head head;
  std::size_t end;
};

// The record that begins at `at`, when it is whole.
std::optional<Record> record_at(std::string_view log, std::size_t at) {
  std::string beginning;
  for (bool is_first = true;; is_first = false) {
    const std::size_t left_in_block = kBlockBytes - at % kBlockBytes;
    if (left_in_block < kHeaderBytes) at += left_in_block;
    const std::optional<Fragment> fragment = fragment_at(log, at);
    if (!fragment) return std::nullopt;
    const bool begins = fragment->type == Type::Whole || fragment->type == Type::First;
    if (begins != is_first) return std::nullopt;
    beginning += fragment->bytes.substr(0, kHeadBytes - std::min(kHeadBytes, beginning.size()));
    at = fragment->end;
    if (fragment->type == Type::First || fragment->type == Type::Middle) continue;
    const std::optional<Head> head = head_of(beginning);
    return head ? std::optional(Record{*head, at}) : std::nullopt;
  }
}

// Invariants: (1) next_ is the sequence number that follows the last write before the tear; unknown before the first
// record. (2) end_ is where that write ends: in the log before an empty one.
class LogScan {
 public:
  explicit LogScan(LogSecret secret) : secret_(secret) {}

  Result<void> read(const fs::path& path) {
    TAVOLA_TRY(const std::string log, read_file(path));
    std::size_t at = 0;
    if (!is_torn_) {
      at = pass_records(path, log);
      // Zeros at the end are space that was never written to.
      if (log.find_first_not_of('\0', at) == std::string::npos) return {};
      is_torn_ = true;
    }
    return look_for_witness(log, at);
  }

  std::uint64_t tear() const { return is_torn_ ? next_.value_or(0) : kNothingTorn; }

 private:
  std::size_t pass_records(const fs::path& path, std::string_view log) {
    std::size_t at = 0;
    std::optional<Record> record = record_at(log, at);
    if (record && !follows(record->head)) return at;  // the log before has lost its end
    for (; record; record = record_at(log, at)) {
      next_ = record->head.sequence + record->head.count;
      at = record->end;
    }
    if (!next_ && end_.log.empty()) {  // the first record of all is torn: perhaps it still says its number
      if (const std::optional<Head> head = head_of(log, fragment_at(log, at))) next_ = head->sequence;
    }
    const bool is_empty = log.find_first_not_of('\0') == std::string_view::npos;
    if (!is_empty || end_.log.empty()) end_ = {path, at};
    return at;
  }

  // Whether nothing is missing between the log before and the first record of this one. (Inside a log nothing can be
  // missing between neighbours.)
  bool follows(const Head& head) const { return next_ ? head.sequence == *next_ : end_.log.empty(); }

  // Reads on behind the tear. Where a fragment begins is not known there: every byte may be its first.
  Result<void> look_for_witness(std::string_view log, std::size_t at) {
    while (at < log.size()) {
      const std::optional<Fragment> fragment = fragment_at(log, at);
      if (const std::optional<Head> head = head_of(log, fragment)) TAVOLA_CHECK(question(*head));
      at = fragment ? fragment->end : at + 1;
    }
    return {};
  }

  Result<void> question(const Head& head) {
    if (secret_ == 0 || head.secret != secret_) return {};  // bytes that look like a record
    if (!next_) next_ = head.sequence - 1;  // not known: at least the last write before this one is missing
    if (head.mark < *next_ || head.sequence < *next_) return {};
    return fail(file_is_damaged(
        end_.log, "from byte " + std::to_string(end_.at) + " on, writes are missing that were on the disk"));
  }

  struct Place {
    fs::path log;  // empty before the first one
    std::size_t at = 0;
  };

  const LogSecret secret_;
  std::optional<std::uint64_t> next_;
  Place end_;
  bool is_torn_ = false;
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

Result<std::uint64_t> find_tear(std::span<const fs::path> logs, LogSecret secret) {
  LogScan scan(secret);
  for (const fs::path& log : logs) TAVOLA_CHECK(scan.read(log));
  return scan.tear();
}

std::size_t whole_bytes(std::string_view log) {
  std::size_t at = 0;
  while (const std::optional<Record> record = record_at(log, at)) at = record->end;
  return at;
}

}  // namespace tavola::store
