// Hand-made logs with holes: those of a power cut are dropped, damage is reported.
#include "store/rocks/torn_log.h"

#include <cstring>
#include <fstream>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/files.h"
#include "store/crc32c.h"
#include "store/test_stores.h"

namespace tavola::store {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

constexpr std::size_t kBlockBytes = 32'768;
constexpr std::size_t kHeaderBytes = 7;
constexpr std::size_t kPageBytes = 4096;
constexpr LogSecret kSecret = 0x0123'4567'89AB'CDEF;

template <class Number>
void append_number(std::string& out, Number number) {
  out.append(reinterpret_cast<const char*>(&number), sizeof(number));
}

// Writes records as RocksDB's log writer does, one write each.
class LogMaker {
 public:
  explicit LogMaker(std::uint64_t first = 1, LogSecret secret = kSecret) : next_(first), secret_(secret) {}

  // Returns the start of the record.
  std::size_t add(std::uint64_t mark, std::size_t payload_bytes = 100) {
    std::string record;
    append_number<std::uint64_t>(record, next_++);
    append_number<std::uint32_t>(record, 1);
    record += "\x03\x10" + log_mark(mark, secret_);
    while (record.size() < payload_bytes) record += static_cast<char>('a' + next_ % 26);
    const std::size_t begin = bytes_.size();
    add_fragments(record);
    return begin;
  }
  // A record that is added when everything before it is synced.
  std::size_t add_synced(std::size_t payload_bytes = 100) { return add(next_ - 1, payload_bytes); }
  void skip_number() { ++next_; }

  std::string& bytes() { return bytes_; }
  std::uint64_t next() const { return next_; }

 private:
  void add_fragments(std::string_view record) {
    for (bool is_first = true; is_first || !record.empty(); is_first = false) {
      std::size_t left = kBlockBytes - bytes_.size() % kBlockBytes;
      if (left < kHeaderBytes) {
        bytes_.append(left, '\0');
        left = kBlockBytes;
      }
      const std::string_view part = record.substr(0, left - kHeaderBytes);
      record.remove_prefix(part.size());
      add_fragment(is_first ? (record.empty() ? 1 : 2) : (record.empty() ? 4 : 3), part);
    }
  }
  void add_fragment(int type, std::string_view part) {
    const std::string checked = static_cast<char>(type) + std::string(part);
    const std::uint32_t crc = crc32c(checked);
    append_number<std::uint32_t>(bytes_, ((crc >> 15) | (crc << 17)) + 0xA282EAD8U);
    append_number<std::uint16_t>(bytes_, static_cast<std::uint16_t>(part.size()));
    bytes_ += checked;
  }

  std::uint64_t next_;
  LogSecret secret_;
  std::string bytes_;
};

class TornLogTest : public testing::Test {
 protected:
  Result<std::uint64_t> tear_of(const std::vector<std::string>& logs, LogSecret secret = kSecret) {
    std::vector<fs::path> paths;
    for (const std::string& log : logs) {
      paths.push_back(scratch_ / (std::to_string(paths.size()) + ".log"));
      fs::remove(paths.back());  // a file system may sync one that is overwritten
      std::ofstream(paths.back(), std::ios::binary) << log;
    }
    return find_tear(paths, secret);
  }
  void expect_damage(const std::vector<std::string>& logs, std::size_t damaged_log = 0) {
    const auto tear = tear_of(logs);
    ASSERT_FALSE(tear.has_value()) << "taken for a tear at " << *tear;
    EXPECT_EQ(tear.error().code(), ErrorCode::Corrupt);
    EXPECT_THAT(tear.error().message(), HasSubstr(std::to_string(damaged_log) + ".log' is damaged; restore"));
  }
  void expect_tear(const std::vector<std::string>& logs, std::uint64_t at) {
    const auto tear = tear_of(logs);
    ASSERT_TRUE(tear.has_value()) << tear.error().message();
    EXPECT_EQ(*tear, at);
  }

  ScratchDirectory scratch_;
};

TEST(Crc32c, IsCastagnolis) {
  EXPECT_EQ(crc32c(""), 0U);
  EXPECT_EQ(crc32c("123456789"), 0xE3069283U);            // the check value of every catalogue
  EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8A9136AAU);  // RFC 3720, B.4
}

TEST_F(TornLogTest, WholeLogsOfAllShapes) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    LogMaker log;
    for (int i = 0; i < 8; ++i) log.add_synced(random() % 4 == 0 ? random() % 100'000 : 100);
    // A record that leaves 0 to 12 bytes in its block.
    log.add_synced(kBlockBytes - log.bytes().size() % kBlockBytes - static_cast<std::size_t>(round % 13));
    log.add_synced();
    expect_tear({log.bytes()}, kNothingTorn);
    EXPECT_EQ(whole_bytes(log.bytes()), log.bytes().size());
  }
}

// The format is also RocksDB's.
TEST_F(TornLogTest, RocksDbWritesSuchLogs) {
  const fs::path path = scratch_ / "store";
  const auto store = open_rocks_or_die(path, {.durability = Durability::Synced});
  for (std::size_t i = 0; i < 40; ++i) {
    ASSERT_TRUE(write(*store, {Write::put("key" + std::to_string(i), std::string(i * 97, 'v'))}).has_value());
  }
  ASSERT_TRUE(write(*store, {Write::put("large", std::string(100'000, 'v'))}).has_value());
  fs::path log;
  for (const auto& entry : fs::directory_iterator(path)) {
    if (entry.path().extension() == ".log") log = entry.path();
  }
  std::string bytes(fs::file_size(log), '\0');
  std::ifstream(log, std::ios::binary).read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  EXPECT_EQ(whole_bytes(bytes), bytes.size());
  expect_tear({bytes}, kNothingTorn);
  bytes[20] = static_cast<char>(bytes[20] ^ 1);  // in the first record: the others know of it
  const auto identity = read_small_file(path / "IDENTITY");
  const auto tear = tear_of({bytes}, log_secret(identity.value()));
  ASSERT_FALSE(tear.has_value());
  EXPECT_EQ(tear.error().code(), ErrorCode::Corrupt);
}

TEST_F(TornLogTest, ATornLastRecordIsATear) {
  LogMaker log;
  log.add_synced();
  log.add_synced();
  const std::size_t last = log.add_synced(100'000);
  for (std::size_t end = last + 1; end < log.bytes().size(); end += 1009) {
    expect_tear({log.bytes().substr(0, end)}, 3);
  }
  for (std::size_t page = last / kPageBytes + 1; page < log.bytes().size() / kPageBytes; ++page) {
    std::string torn = log.bytes();
    torn.replace(page * kPageBytes, kPageBytes, kPageBytes, '\0');
    expect_tear({torn}, 3);
  }
}

// Its own beginning is not a witness.
TEST_F(TornLogTest, ATornFirstRecordIsATear) {
  LogMaker log(50);
  log.add_synced(100'000);
  expect_tear({log.bytes().substr(0, 90'000)}, 50);
  for (std::size_t page = 0; page < log.bytes().size() / kPageBytes; ++page) {
    SCOPED_TRACE(page);
    std::string torn = log.bytes();
    torn.replace(page * kPageBytes, kPageBytes, kPageBytes, '\0');
    expect_tear({torn}, page * kPageBytes < kBlockBytes ? 0 : 50);
  }
}

TEST_F(TornLogTest, EveryFlippedBitBeforeTheLastRecordIsDamage) {
  LogMaker log;
  for (int i = 0; i < 5; ++i) log.add_synced();
  const std::size_t last = log.add_synced();
  for (std::size_t at = 0; at < log.bytes().size(); ++at) {
    SCOPED_TRACE(at);
    std::string damaged = log.bytes();
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << at % 8));
    at < last ? expect_damage({damaged}) : expect_tear({damaged}, 6);
  }
}

TEST_F(TornLogTest, EveryLostPageOfASyncedPartIsDamage) {
  LogMaker log;
  std::mt19937 random(11);
  while (log.bytes().size() < 300'000) log.add_synced(random() % 10 == 0 ? 50'000 : random() % 3000);
  const std::size_t last = log.add_synced();
  for (std::size_t page = 0; (page + 1) * kPageBytes < last; ++page) {
    SCOPED_TRACE(page);
    std::string damaged = log.bytes();
    damaged.replace(page * kPageBytes, kPageBytes, kPageBytes, '\0');
    expect_damage({damaged});
  }
}

// With few bytes left in a block, the mark of the witness is in two fragments.
TEST_F(TornLogTest, AWitnessMayBeginAtTheEndOfABlock) {
  for (std::size_t left = 0; left < 50; ++left) {
    SCOPED_TRACE(left);
    LogMaker log;
    log.add_synced();
    log.add_synced(kBlockBytes - log.bytes().size() - kHeaderBytes - left);
    ASSERT_EQ(log.bytes().size(), kBlockBytes - left);
    log.add_synced();
    log.bytes()[1000] = static_cast<char>(log.bytes()[1000] ^ 1);  // in the record before the last
    expect_damage({log.bytes()});
  }
}

// Unacknowledged writes may be lost in any order.
TEST_F(TornLogTest, EveryLostPageOfAnUnsyncedPartIsATear) {
  LogMaker log;
  for (int i = 0; i < 20; ++i) log.add_synced(3000);
  std::vector<std::size_t> begins;
  while (log.bytes().size() < 300'000) begins.push_back(log.add(20, log.next() % 7 == 0 ? 50'000 : 2000));
  for (std::size_t page = begins.front() / kPageBytes + 1; (page + 1) * kPageBytes < log.bytes().size();
       ++page) {
    SCOPED_TRACE(page);
    std::string torn = log.bytes();
    torn.replace(page * kPageBytes, kPageBytes, kPageBytes, '\0');
    const auto behind = std::ranges::upper_bound(begins, page * kPageBytes);
    const auto first_lost = static_cast<std::uint64_t>(behind - begins.begin()) + 20;
    expect_tear({torn}, first_lost);
  }
}

TEST_F(TornLogTest, ALogThatIsTornFromItsBeginning) {
  LogMaker synced;
  const std::size_t second = (synced.add_synced(), synced.add_synced());
  synced.bytes().replace(0, second, second, '\0');
  expect_damage({synced.bytes()});
  LogMaker unsynced(100);
  unsynced.add(99);
  unsynced.add(99);
  unsynced.bytes().replace(0, second, second, '\0');
  expect_tear({unsynced.bytes()}, 100);
  expect_tear({"nothing that is a log"}, 0);
}

TEST_F(TornLogTest, AnEndThatWasNeverWrittenIsNoTear) {
  LogMaker log;
  log.add_synced();
  expect_tear({log.bytes() + std::string(10'000, '\0')}, kNothingTorn);
  expect_tear({""}, kNothingTorn);
  expect_tear({}, kNothingTorn);
}

TEST_F(TornLogTest, ATearReachesIntoTheLogsBehindIt) {
  LogMaker older;
  for (int i = 0; i < 3; ++i) older.add_synced();
  const std::string cut = older.bytes().substr(0, older.bytes().size() - 1);
  LogMaker newer(older.next());
  newer.add(0);
  expect_tear({older.bytes(), newer.bytes()}, kNothingTorn);
  expect_tear({cut, newer.bytes()}, 3);
  newer.add(3);
  expect_damage({cut, newer.bytes()});
}

TEST_F(TornLogTest, TheEndOfAnOlderLogIsMissed) {
  LogMaker older;
  older.add(0);
  const std::size_t last = older.add(0);
  LogMaker newer(older.next());
  newer.add(0);
  expect_tear({older.bytes().substr(0, last), newer.bytes()}, 2);
}

// The newer log knows that it was on disk.
TEST_F(TornLogTest, TheSyncedEndOfAnOlderLogIsDamage) {
  LogMaker older;
  older.add_synced();
  const std::size_t last = older.add_synced();
  LogMaker newer(older.next());
  newer.add_synced();
  expect_tear({older.bytes(), newer.bytes()}, kNothingTorn);
  expect_tear({older.bytes(), "", newer.bytes()}, kNothingTorn);
  for (const std::size_t end : {last, std::size_t{0}}) {
    const std::string rest = older.bytes().substr(0, end);
    expect_damage({rest, newer.bytes()});
    expect_damage({rest + std::string(older.bytes().size() - end, '\0'), newer.bytes()});
    expect_damage({rest, "", newer.bytes()});
  }
}

TEST_F(TornLogTest, AnOlderLogThatIsEmptyIsATear) {
  LogMaker newer(100);
  newer.add(50);
  newer.add(50);
  expect_tear({newer.bytes()}, kNothingTorn);
  expect_tear({"", newer.bytes()}, 99);
}

// Writes that bypass the log take numbers.
TEST_F(TornLogTest, ANumberThatIsMissingInsideALogIsNotMissed) {
  LogMaker log;
  log.add_synced();
  log.skip_number();
  log.add_synced();
  expect_tear({log.bytes()}, kNothingTorn);
}

// After a tear, a record inside a value looks like any other.
TEST_F(TornLogTest, ARecordWithAnotherSecretIsNoWitness) {
  for (const LogSecret guessed : {LogSecret{0}, kSecret ^ 1, kSecret}) {
    LogMaker forged(1000, guessed);
    forged.add_synced();
    LogMaker log;
    log.add_synced();
    const std::string torn = log.bytes() + "torn" + forged.bytes();
    guessed == kSecret ? expect_damage({torn}) : expect_tear({torn}, 2);
    if (guessed != kSecret) expect_tear({"torn" + forged.bytes()}, 0);
    EXPECT_EQ(tear_of({torn}, 0).value_or(0), 2U) << "without a secret there are no witnesses";
  }
}

TEST(LogSecret, IsPartOfTheIdentity) {
  EXPECT_EQ(log_secret("01234567-89ab-cdef-8f97-1ac686733947"), kSecret);
  EXPECT_EQ(log_secret("01234567-89AB-CDEF-8f97-1ac686733947\n"), kSecret);
  for (const char* text : {"", "0123456789abcde", "no identity, but long"}) EXPECT_EQ(log_secret(text), 0U);
}

TEST(RecordEndTest, FollowsPiecesOfAnySize) {
  std::mt19937 random(7);  // NOLINT(cert-msc51-cpp): the same at every run
  LogMaker maker;
  std::vector<std::size_t> ends;
  for (int i = 0; i < 60; ++i) {
    maker.add_synced(30 + random() % 20'000);
    ends.push_back(maker.bytes().size());
  }
  RecordEnd end;
  const std::string_view log = maker.bytes();
  for (std::size_t at = 0; at < log.size();) {
    const std::size_t piece = std::min(log.size() - at, std::size_t{1} + random() % 5000);
    end.append(log.substr(at, piece));
    at += piece;
    const auto last = std::ranges::upper_bound(ends, at);
    EXPECT_EQ(end.bytes(), last == ends.begin() ? 0 : *(last - 1)) << "after " << at;
  }
}

}  // namespace
}  // namespace tavola::store
