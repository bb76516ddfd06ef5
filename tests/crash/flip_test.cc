// Flips one bit in any file of a store: the store is refused with the name of a file, or is complete.
//
//   FLIPS=280 crash_test --gtest_filter='Flips*'      as many flips of each directory
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/test_scratch_directory.h"
#include "store/store.h"

namespace tavola::crash {
namespace {

namespace fs = std::filesystem;

constexpr int kEntries = 1500;
constexpr int kEntriesPerWrite = 10;

using Image = std::map<std::string, std::string>;  // the bytes of each file of a directory

std::string bytes_of(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

Image image_of(const fs::path& directory) {
  Image image;
  for (const auto& entry : fs::directory_iterator(directory)) {
    image.emplace(entry.path().filename().string(), bytes_of(entry.path()));
  }
  return image;
}

// Returns the files of an open store as of one moment, as a kill leaves them: reads them until two readings are equal, because RocksDB
// writes data files in the background.
Image image_of_open(const fs::path& directory) {
  for (Image image = image_of(directory);;) {
    Image again = image_of(directory);
    if (again == image) return image;
    image = std::move(again);
  }
}

// Restores the files and not the directory itself, by which a copy would be recognized.
void restore(const Image& image, const fs::path& directory) {
  for (const auto& entry : fs::directory_iterator(directory)) fs::remove_all(entry.path());
  for (const auto& [name, bytes] : image) std::ofstream(directory / name, std::ios::binary) << bytes;
}

std::string key_of(int number) { return "key" + std::to_string(number); }
std::string value_of(int number) { return "value" + std::to_string(number * 7919) + std::string(60, 'v'); }

Result<void> fill(store::Store& store) {
  for (int first = 0; first < kEntries; first += kEntriesPerWrite) {
    std::vector<store::Write> writes;
    for (int i = first; i < first + kEntriesPerWrite; ++i) {
      writes.push_back(store::Write::put(key_of(i), value_of(i)));
    }
    TAVOLA_CHECK(store.transact(
        {}, {}, [&](const store::View&) -> Result<store::Decision> { return store::Decision{writes, {}}; }));
  }
  return store.sync();
}

// Fails if the store does not open, or cannot be read; otherwise it must be complete.
Result<void> read_all(const fs::path& directory) {
  TAVOLA_TRY(const auto store, store::open_rocks(directory, {}));
  const auto snapshot = store->snapshot();
  const auto cursor = snapshot->range({}, store::Direction::Forward);
  int count = 0;
  for (; cursor->valid(); cursor->next()) {
    EXPECT_EQ(cursor->value(), value_of(std::stoi(std::string(cursor->key().substr(3)))));
    ++count;
  }
  TAVOLA_CHECK(cursor->status());
  EXPECT_EQ(count, kEntries) << "opened without a word, and not complete";
  return {};
}

struct Flip {
  std::string file;
  std::size_t byte;
  int bit;
};

// Spread evenly over each file.
std::vector<Flip> flips_of(const Image& image, std::size_t count) {
  std::vector<std::pair<std::string, std::size_t>> sizes;
  for (const auto& [name, bytes] : image) {
    if (!bytes.empty()) sizes.emplace_back(name, bytes.size());
  }
  std::vector<Flip> flips;
  for (std::size_t i = 0; i < count; ++i) {
    const auto& [name, size] = sizes[i % sizes.size()];
    const std::size_t of_file = count / sizes.size() + 1;
    flips.push_back({name, size * (i / sizes.size()) / of_file, static_cast<int>(i % 8)});
  }
  return flips;
}

// Returns flips that enlarge the length of each record of the manifest, so that the rest looks truncated.
std::vector<Flip> longer_records(const std::string& name, const std::string& manifest) {
  constexpr std::size_t kHeaderBytes = 7;  // checksum u32, length u16, type
  std::vector<Flip> flips;
  for (std::size_t at = 0; at + kHeaderBytes <= manifest.size();) {
    flips.push_back({name, at + 5, 6});
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(manifest[at + i]); };
    at += kHeaderBytes + byte(4) + (std::size_t{byte(5)} << 8);
  }
  return flips;
}

class Flips : public testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    auto store = store::open_rocks(directory(), {.write_buffer_bytes = 65'536});
    ASSERT_TRUE(store) << store.error().message();
    ASSERT_TRUE(fill(**store));
    if (GetParam()) image_ = image_of_open(directory());  // the state after a kill
    store->reset();
    if (!GetParam()) image_ = image_of(directory());
  }

  fs::path directory() const { return root_ / "store"; }

  void try_flip(const Flip& flip) {
    SCOPED_TRACE(flip.file + " byte " + std::to_string(flip.byte) + " bit " + std::to_string(flip.bit));
    Image damaged = image_;
    char& byte = damaged.at(flip.file).at(flip.byte);
    byte = static_cast<char>(byte ^ (1 << flip.bit));
    restore(damaged, directory());
    const auto read = read_all(directory());
    if (read) return;
    ++refused_;
    EXPECT_THAT(read.error().message(), testing::HasSubstr(root_.path().string())) << "names no file";
  }

  ScratchDirectory root_;
  Image image_;
  int refused_ = 0;
};

INSTANTIATE_TEST_SUITE_P(, Flips, testing::Bool(),
                         [](const auto& kind) { return kind.param ? "AfterAKill" : "OfAClosedStore"; });

TEST_P(Flips, AreRefusedOrHarmless) {
  const char* text = std::getenv("FLIPS");  // NOLINT(concurrency-mt-unsafe): no thread runs yet
  std::vector<Flip> flips = flips_of(image_, text == nullptr ? 28 : std::stoull(text));
  for (const auto& [name, bytes] : image_) {
    if (!name.starts_with("MANIFEST-")) continue;
    const std::vector<Flip> more = longer_records(name, bytes);
    flips.insert(flips.end(), more.begin(), more.end());
  }
  restore(image_, directory());
  const auto whole = read_all(directory());
  ASSERT_TRUE(whole) << "without a flip: " << whole.error().message();
  for (const Flip& flip : flips) try_flip(flip);
  std::cout << flips.size() << " flips, " << refused_ << " refused\n";
  EXPECT_GT(refused_, 0);
}

// The end of the acknowledged writes: an unsynced file could look so after a power cut.
TEST_P(Flips, OfTheLastLogAreRefused) {
  const auto log = std::ranges::find_if(image_.rbegin(), image_.rend(), [](const auto& file) {
    return file.first.ends_with(".log") && !file.second.empty();
  });
  if (log == image_.rend()) GTEST_SKIP() << "all is in data files";
  const std::size_t size = log->second.size();
  for (const std::size_t from_end : {1U, 20U, 200U, 900U}) {
    if (from_end > size) continue;
    const int refused_before = refused_;
    try_flip({log->first, size - from_end, 3});
    EXPECT_EQ(refused_, refused_before + 1) << from_end << " bytes before the end";
  }
}

}  // namespace
}  // namespace tavola::crash
