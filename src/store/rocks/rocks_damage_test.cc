// Damaged and missing files are reported by name, when opening or reading; a failed opening leaves nothing open.
#include <algorithm>
#include <cerrno>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/files.h"
#include "store/data_files.h"
#include "store/test_stores.h"

namespace tavola::store {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::StartsWith;

constexpr int kEntries = 2000;
constexpr int kEntriesPerWrite = 10;

// A store with data files (RocksDB writes them for a checkpoint) and one whose data is all in the log.
class DamageTest : public testing::Test {
 protected:
  DamageTest() {
    const auto store = open_rocks_or_die(scratch_ / "logged", {.durability = Durability::Synced});
    for (int i = 0; i < kEntries; i += kEntriesPerWrite) {
      std::vector<Write> writes;
      for (int j = i; j < i + kEntriesPerWrite; ++j) {
        writes.push_back(Write::put("key" + std::to_string(j), "value" + std::to_string(j * 7919)));
      }
      TAVOLA_ASSERT(write(*store, writes));
    }
    copy_while_open(scratch_ / "logged", logged_);
    TAVOLA_ASSERT(store->checkpoint(filed_).has_value());
  }

  // A fresh copy of `original` to damage.
  fs::path copy_of(const fs::path& original) {
    fs::remove_all(scratch_ / "copy");
    fs::copy(original, scratch_ / "copy");
    return scratch_ / "copy";
  }

  ScratchDirectory scratch_;
  fs::path logged_ = scratch_ / "logged-copy";
  fs::path filed_ = scratch_ / "filed";
};

// Returns the newest file of its kind that is not empty: RocksDB may not have deleted its first manifest yet, which CURRENT names no more.
fs::path file_of(const fs::path& directory, std::string_view ending) {
  fs::path newest;
  for (const auto& entry : fs::directory_iterator(directory)) {
    const std::string name = entry.path().filename().string();
    if ((name.ends_with(ending) || name.starts_with(ending)) && fs::file_size(entry.path()) > 0)
      newest = std::max(newest, entry.path());
  }
  TAVOLA_ASSERT(!newest.empty());
  return newest;
}

void flip_byte(const fs::path& file, std::uintmax_t at) {
  std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
  stream.seekg(static_cast<std::streamoff>(at));
  const char before = static_cast<char>(stream.get());
  stream.seekp(static_cast<std::streamoff>(at));
  stream.put(static_cast<char>(before ^ 0x55));
  TAVOLA_ASSERT(stream.good());
}

// Opens and reads everything.
Result<void> read_all(const fs::path& directory) {
  TAVOLA_TRY(const auto store, open_rocks(directory, {}));
  const auto snapshot = store->snapshot();
  const auto cursor = snapshot->range({}, Direction::Forward);
  int count = 0;
  for (; cursor->valid(); cursor->next()) ++count;
  TAVOLA_CHECK(cursor->status());
  EXPECT_EQ(count, kEntries);
  return {};
}

void expect_damage_told(const fs::path& directory, const fs::path& file, std::string_view fate = "damaged") {
  const auto read = read_all(directory);
  ASSERT_FALSE(read.has_value());
  EXPECT_EQ(read.error().code(), ErrorCode::Corrupt) << read.error().message();
  EXPECT_THAT(read.error().message(), StartsWith("the file '" + file.string() + "' is " + std::string(fate) +
                                                 "; restore the directory from a backup"));
  // The store is not half-open: the lock is free and a second attempt gives the same error.
  EXPECT_EQ(read_all(directory).error().code(), ErrorCode::Corrupt);
}

struct DamageCase {
  const char* name;
  std::string_view file;
  bool in_log;
  double end = 1;
};

TEST_F(DamageTest, TheOriginalsAreWhole) {
  for (const fs::path& original : {logged_, filed_}) {
    const auto read = read_all(copy_of(original));
    EXPECT_TRUE(read.has_value()) << read.error().message();
  }
}

TEST_F(DamageTest, AFlippedByteIsToldWithItsFile) {
  const DamageCase cases[] = {
      {"the log, but for its last record", ".log", true, 0.99},
      {"the manifest of a store with a log", "MANIFEST-", true},
      {"CURRENT", "CURRENT", true},
      {"a data file", ".sst", false},
      {"the manifest", "MANIFEST-", false},
  };
  for (const DamageCase& damage : cases) {
    // Not near the end of a data file: its filter is there, and a damaged filter costs time but no correctness.
    for (const double place : {0.0, 0.1, 0.35, 0.5, 0.75, 1.0}) {
      const fs::path directory = copy_of(damage.in_log ? logged_ : filed_);
      const fs::path file = file_of(directory, damage.file);
      const auto at =
          static_cast<std::uintmax_t>(static_cast<double>(fs::file_size(file) - 1) * place * damage.end);
      SCOPED_TRACE(std::string(damage.name) + " at byte " + std::to_string(at));
      flip_byte(file, at);
      expect_damage_told(directory, file);
    }
  }
}

TEST_F(DamageTest, AMissingFileIsToldByName) {
  for (const std::string_view name : {".sst", "MANIFEST-", "CURRENT"}) {
    const fs::path directory = copy_of(filed_);
    const fs::path file = file_of(directory, name);
    SCOPED_TRACE(file.string());
    fs::remove(file);
    expect_damage_told(directory, file, "missing");
  }
}

TEST_F(DamageTest, AShortDataFileIsTold) {
  const fs::path directory = copy_of(filed_);
  const fs::path file = file_of(directory, ".sst");
  fs::resize_file(file, fs::file_size(file) / 2);
  expect_damage_told(directory, file);
}

TEST_F(DamageTest, PointReadsTellDamageToo) {
  const fs::path directory = copy_of(filed_);
  flip_byte(file_of(directory, ".sst"), 0);
  const auto store = open_rocks_or_die(directory);
  const auto value = store->get("key0");
  ASSERT_FALSE(value.has_value());
  EXPECT_EQ(value.error().code(), ErrorCode::Corrupt);
  const std::vector<std::string> keys{"key0"};
  const auto done = store->transact(keys, {}, [](const View&) -> Result<Decision> {
    ADD_FAILURE() << "a rule must not see what could not be read";
    return Decision{};
  });
  ASSERT_FALSE(done.has_value());
  EXPECT_EQ(done.error().code(), ErrorCode::Corrupt);
  EXPECT_THAT(done.error().message(), HasSubstr(".sst' is damaged"));
}

TEST(FileFaultTest, IsCarriedByWhatIsSaidOfAFile) {
  const fs::path file = "/it' is (old); data/000004.log";
  const auto reason_of = [&](const Error& error) {
    const auto* fault = error.detail<FileFault>();
    EXPECT_EQ(fault == nullptr ? fs::path() : fault->file, file) << error.message();
    return fault == nullptr ? std::string() : fault->reason;
  };
  EXPECT_EQ(reason_of(file_is_damaged(file, "line (1); 2")), "it is damaged (line (1); 2)");
  EXPECT_EQ(reason_of(file_is_missing(file)), "it is missing");
  EXPECT_EQ(reason_of(log_is_damaged(file, "torn")), "it is damaged (torn)");
  EXPECT_EQ(reason_of(log_is_missing(file, "5 bytes")), "it is missing (5 bytes)");
  EXPECT_EQ(reason_of(system_error("read", file, EIO)), "cannot read it: Input/output error");
}

}  // namespace
}  // namespace tavola::store
