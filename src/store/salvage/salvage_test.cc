// A damaged data file costs only its damaged data blocks, and no damage stops the process.
#include "store/salvage/salvage.h"

#include <algorithm>
#include <fstream>
#include <map>
#include <memory>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/db.h>
#include <rocksdb/sst_file_reader.h>

#include "base/files.h"
#include "store/rocks/rocks_options.h"
#include "store/salvage/data_file.h"
#include "store/salvage/lz4.h"
#include "store/test_stores.h"

namespace tavola::store {
namespace {

namespace fs = std::filesystem;
using testing::IsEmpty;
using testing::SizeIs;

using State = std::map<std::string, std::string>;

std::string key_of(int number) { return "key" + std::to_string(10'000 + number); }

// Every third value is incompressible: the files have blocks of both kinds.
std::string value_of(int number, int version) {
  std::minstd_rand random(static_cast<unsigned>(number * 31 + version + 1));
  std::string value = "value " + std::to_string(number) + " of version " + std::to_string(version) + " ";
  for (std::size_t i = 0; i < 300; ++i)
    value += number / 100 % 3 == 0 ? static_cast<char>(random()) : value[i % 20];
  return value;
}

void expect_ok(const rocksdb::Status& status) { ASSERT_TRUE(status.ok()) << status.ToString(); }

// Writes a store of two data files: the older one is compacted, so that its sequence numbers are 0; the newer one has values,
// deletions, merges and a range deletion over it.
State write_store(const fs::path& directory) {
  rocksdb::Options options = rocks_options({}, rocksdb::Env::Default());
  options.create_if_missing = true;
  options.disable_auto_compactions = true;
  rocksdb::DB* opened = nullptr;
  expect_ok(rocksdb::DB::Open(options, directory, &opened));
  const std::unique_ptr<rocksdb::DB> db(opened);
  const std::string one("\x01\0\0\0\0\0\0\0", 8);
  for (int i = 0; i < 400; ++i) expect_ok(db->Put({}, key_of(i), value_of(i, 1)));
  expect_ok(db->Merge({}, "counter", one));
  rocksdb::CompactRangeOptions all;
  all.bottommost_level_compaction = rocksdb::BottommostLevelCompaction::kForce;
  expect_ok(db->CompactRange(all, nullptr, nullptr));
  for (int i = 0; i < 400; i += 3) expect_ok(db->Put({}, key_of(i), value_of(i, 2)));
  for (int i = 0; i < 400; i += 10) expect_ok(db->Delete({}, key_of(i)));
  expect_ok(db->DeleteRange({}, db->DefaultColumnFamily(), key_of(200), key_of(220)));
  expect_ok(db->Put({}, key_of(210), value_of(210, 3)));
  expect_ok(db->Merge({}, "counter", one));
  expect_ok(db->Flush({}));
  State state;
  const std::unique_ptr<rocksdb::Iterator> cursor(db->NewIterator({}));
  for (cursor->SeekToFirst(); cursor->Valid(); cursor->Next()) {
    state[cursor->key().ToString()] = cursor->value().ToString();
  }
  return state;
}

std::string flipped(std::string bytes, std::size_t at) {
  bytes[at] = static_cast<char>(bytes[at] ^ 0x10);
  return bytes;
}

// Returns the start of the index, by the footer: [checksum u8] [metaindex: offset, bytes] [index: offset, bytes], all
// varints.
std::size_t index_of(const std::string& file) {
  constexpr std::size_t kFooterBytes = 53;
  std::size_t at = file.size() - kFooterBytes + 1;
  std::size_t number = 0;
  for (int field = 0; field < 3; ++field) {
    number = 0;
    for (unsigned shift = 0;; shift += 7) {
      const auto byte = static_cast<unsigned char>(file[at++]);
      number |= std::size_t{byte & 0x7FU} << shift;
      if (byte < 0x80) break;
    }
  }
  return number;
}

using Keys = std::vector<std::pair<std::string, std::uint64_t>>;  // with sequence numbers

Keys keys_of(const DamagedDataFile& file) {
  Keys keys;
  TAVOLA_ASSERT(file.for_each([&](const FileEntry& entry) -> Result<void> {
    keys.emplace_back(entry.key, entry.sequence);
    return {};
  }));
  return keys;
}

class SalvageTest : public testing::Test {
 protected:
  SalvageTest() {
    state_ = write_store(from_);
    for (const auto& entry : fs::directory_iterator(from_)) {
      if (entry.path().extension() == ".sst") files_.push_back(entry.path());
    }
    std::ranges::sort(files_);
    TAVOLA_ASSERT(files_.size() == 2);
  }

  static std::size_t data_bytes_of(const fs::path& file) {
    rocksdb::SstFileReader reader(rocks_options({}, rocksdb::Env::Default()));
    expect_ok(reader.Open(file));
    return reader.GetTableProperties()->data_size;
  }

  // Salvages the store with this file instead of its own.
  std::vector<FileProblem> salvage_with(const fs::path& file, const std::string& bytes, State& found) {
    const std::string whole = read_file(file).value();
    TAVOLA_ASSERT(replace_file(file, bytes));
    const fs::path work = scratch_ / "work";
    fs::remove_all(work);
    const Result<std::vector<FileProblem>> problems = salvage({.from = from_, .work = work});
    EXPECT_EQ(read_file(file).value(), bytes);
    TAVOLA_ASSERT(replace_file(file, whole));
    if (!problems) ADD_FAILURE() << problems.error().message();
    TAVOLA_ASSERT(problems.has_value());
    const auto store = open_rocks_or_die(work, {.durability = Durability::Relaxed, .is_only_read = true});
    found.clear();
    for (const auto& [key, value] : entries_of(*store->snapshot(), {})) found[key] = value;
    return *problems;
  }

  ScratchDirectory scratch_;
  fs::path from_ = scratch_ / "from";
  State state_;
  std::vector<fs::path> files_;
};

TEST_F(SalvageTest, WholeFilesHaveNoProblems) {
  State found;
  EXPECT_THAT(salvage_with(files_[0], read_file(files_[0]).value(), found), IsEmpty());
  EXPECT_EQ(found, state_);
}

// The index, the filter, the range deletions, the properties, the metaindex and the footer.
TEST_F(SalvageTest, DamageBehindTheDataLosesNothing) {
  constexpr std::size_t kStep = 61;
  for (const fs::path& file : files_) {
    const std::string whole = read_file(file).value();
    for (std::size_t at = data_bytes_of(file); at < whole.size(); at += at + 60 < whole.size() ? kStep : 3) {
      SCOPED_TRACE(file.filename().string() + " byte " + std::to_string(at) + " of " +
                   std::to_string(whole.size()));
      State found;
      const std::vector<FileProblem> problems = salvage_with(file, flipped(whole, at), found);
      const FileProblem problem = problems.empty() ? FileProblem{"", "", false} : problems.front();
      // Without range deletions, deleted items reappear.
      EXPECT_EQ(problem.is_loss, found != state_) << problem.what;
      EXPECT_TRUE(std::ranges::includes(found, state_));
    }
  }
}

TEST_F(SalvageTest, EveryFlipBehindTheDataLeavesEveryEntry) {
  for (const fs::path& file : files_) {
    const std::string whole = read_file(file).value();
    const Keys keys = keys_of(DamagedDataFile(whole));
    int without_range_deletions = 0;
    for (std::size_t at = data_bytes_of(file); at < whole.size(); ++at) {
      const std::string damaged = flipped(whole, at);
      const DamagedDataFile read(damaged);
      const DataFileDamage damage = read.damage();
      EXPECT_EQ(damage.damaged_blocks, 0U) << at;
      if (!damage.may_lack_range_deletions) {
        EXPECT_EQ(keys_of(read), keys) << at;
      }
      without_range_deletions += damage.may_lack_range_deletions ? 1 : 0;
    }
    EXPECT_LT(without_range_deletions, 60);
  }
}

TEST_F(SalvageTest, AFlipInTheDataCostsItsBlock) {
  const std::string whole = read_file(files_[0]).value();
  const Keys keys = keys_of(DamagedDataFile(whole));
  const std::size_t data_bytes = data_bytes_of(files_[0]);
  const std::size_t index = index_of(whole);
  for (std::size_t at = 0; at < data_bytes; at += 101) {
    const std::string damaged = flipped(whole, at);
    const std::string without_index = flipped(damaged, index);
    for (const std::string& bytes : {damaged, without_index}) {
      const DamagedDataFile read(bytes);
      const DataFileDamage damage = read.damage();
      EXPECT_EQ(damage.damaged_blocks, 1U) << at;
      EXPECT_LE(damage.damaged_bytes, 9000U);
      const Keys left = keys_of(read);
      EXPECT_GE(left.size() + 90, keys.size()) << at;
      EXPECT_LT(left.size(), keys.size()) << at;
      EXPECT_TRUE(std::ranges::includes(keys, left)) << at;
    }
  }
}

TEST_F(SalvageTest, AFlipInTheDataAndOneBehindIt) {
  const std::string whole = read_file(files_[0]).value();
  State found;
  const std::vector<FileProblem> problems =
      salvage_with(files_[0], flipped(flipped(whole, data_bytes_of(files_[0]) / 2), whole.size() - 1), found);
  ASSERT_THAT(problems, SizeIs(1));
  EXPECT_TRUE(problems[0].is_loss);
  EXPECT_THAT(problems[0].what, testing::MatchesRegex("1 block of it is damaged \\([0-9]+ KB\\)"));
  EXPECT_LT(found.size(), state_.size());
  EXPECT_GE(found.size() + 90, state_.size());
}

TEST_F(SalvageTest, WhatIsLeftOfAFileThatWasCutOff) {
  const std::string whole = read_file(files_[0]).value();
  State found;
  std::vector<FileProblem> problems = salvage_with(files_[0], whole.substr(0, whole.size() / 2), found);
  ASSERT_THAT(problems, SizeIs(1));
  EXPECT_THAT(
      problems[0].what,
      testing::MatchesRegex("its index is damaged; [0-9]+ blocks of it could be read, and more may be "
                            "missing; items that were deleted may be back"));
  EXPECT_GT(found.size(), 100U);
  for (const std::string& bytes :
       {std::string(), std::string(5000, '\0'), std::string(5000, '\xff'), whole.substr(0, 100)}) {
    problems = salvage_with(files_[0], bytes, found);
    ASSERT_THAT(problems, SizeIs(1));
    EXPECT_TRUE(problems[0].is_loss);
    EXPECT_THAT(problems[0].what, testing::StartsWith("nothing of it can be read ("));
  }
}

TEST(Lz4Test, DecompressesUntilAllIsThere) {
  const std::string block(
      "\x32"
      "abc\x03\0"
      "\x20"
      "de"
      "behind it",
      18);
  const auto decompressed = decompress_lz4(block, 11);
  TAVOLA_ASSERT(decompressed.has_value());
  EXPECT_EQ(decompressed->bytes, "abcabcabcde");
  EXPECT_EQ(decompressed->read, 9U);
}

TEST(Lz4Test, BytesThatAreNoBlock) {
  EXPECT_FALSE(decompress_lz4("", 1));
  EXPECT_FALSE(
      decompress_lz4("\x30"
                     "ab",
                     3));  // literals beyond the end
  EXPECT_FALSE(
      decompress_lz4("\x30"
                     "abc",
                     2));  // too many
  EXPECT_FALSE(decompress_lz4(std::string("\x30"
                                          "abc\x04\0\0",
                                          7),
                              100));  // a distance beyond the beginning
  EXPECT_FALSE(decompress_lz4(std::string("\x30"
                                          "abc\0\0\0",
                                          7),
                              100));  // no distance
  EXPECT_FALSE(decompress_lz4(std::string("\x3f"
                                          "abc\x01\0\xff",
                                          7),
                              400));  // a length without an end
  EXPECT_FALSE(decompress_lz4(std::string(100, '\xff'), 1000));
}

}  // namespace
}  // namespace tavola::store
