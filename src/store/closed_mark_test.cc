// A store that was closed in order knows how long its files were.
#include "store/closed_mark.h"

#include <fstream>
#include <map>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "store/stores_under_test.h"

namespace tavola::store {
namespace {

namespace fs = std::filesystem;
using testing::StartsWith;

std::map<std::string, std::string> contents_of(const fs::path& directory) {
  std::map<std::string, std::string> contents;
  for (const auto& entry : fs::directory_iterator(directory)) {
    const std::string name = entry.path().filename().string();
    if (name == "OWNER" || name.starts_with("LOG")) continue;
    std::ostringstream text;
    text << std::ifstream(entry.path(), std::ios::binary).rdbuf();
    contents.emplace(name, text.str());
  }
  return contents;
}

void save(const fs::path& file, std::string_view text) { std::ofstream(file, std::ios::binary) << text; }

void overwrite(const fs::path& file, std::size_t at, char byte) {
  std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
  stream.seekp(static_cast<std::streamoff>(at));
  stream.put(byte);
}

class ClosedMarkTest : public testing::TestWithParam<Durability> {
 protected:
  // A store with a data file (of the checkpoint) and some writes in its log.
  void make_store() {
    const auto store = open_rocks_or_die(path_, {.durability = GetParam()});
    ASSERT_TRUE(write(*store, {Write::put("filed", "1")}).has_value());
    ASSERT_TRUE(store->checkpoint(scratch_ / "checkpoint").has_value());
    for (const char* key : {"a", "b", "c"}) ASSERT_TRUE(write(*store, {Write::put(key, "1")}).has_value());
  }
  fs::path file_of(const fs::path& directory, std::string_view part) {
    for (const auto& entry : fs::directory_iterator(directory)) {
      const std::string name = entry.path().filename().string();
      if (name.find(part) != std::string::npos && fs::file_size(entry.path()) > 0) return entry.path();
    }
    ADD_FAILURE() << "no file " << part;
    return {};
  }
  void expect_told(const fs::path& directory, const fs::path& file, const std::string& fate = "damaged") {
    const auto before = contents_of(directory);
    const auto store = open_rocks(directory, {.durability = GetParam()});
    ASSERT_FALSE(store.has_value());
    EXPECT_EQ(store.error().code(), ErrorCode::Corrupt);
    EXPECT_THAT(store.error().message(), StartsWith("the file '" + file.string() + "' is " + fate +
                                                    "; restore the directory from a backup"));
    EXPECT_EQ(contents_of(directory), before) << "nothing is touched";
  }

  ScratchDirectory scratch_;
  fs::path path_ = scratch_ / "store";
};
INSTANTIATE_TEST_SUITE_P(, ClosedMarkTest, testing::Values(Durability::Synced, Durability::Relaxed),
                         [](const auto& instance) {
                           return instance.param == Durability::Synced ? "Synced" : "Relaxed";
                         });

TEST_P(ClosedMarkTest, EveryCutOfTheManifestIsTold) {
  make_store();
  for (const fs::path& directory : {path_, scratch_ / "checkpoint"}) {
    const fs::path manifest = file_of(directory, "MANIFEST-");
    const std::string whole = contents_of(directory)[manifest.filename().string()];
    ASSERT_FALSE(whole.empty());
    for (std::size_t size = whole.size(); size-- > 0;) {
      SCOPED_TRACE(directory.filename().string() + ", " + std::to_string(size) + " bytes");
      fs::resize_file(manifest, size);
      expect_told(directory, manifest);
    }
    save(manifest, whole);
    EXPECT_EQ(*open_rocks_or_die(directory)->get("filed"), "1");
  }
}

TEST_P(ClosedMarkTest, EveryCutAndEveryFlippedBitOfTheLogIsTold) {
  make_store();
  const fs::path log = file_of(path_, ".log");
  const std::string whole = contents_of(path_)[log.filename().string()];
  for (std::size_t at = 0; at < whole.size(); ++at) {
    SCOPED_TRACE(at);
    overwrite(log, at, static_cast<char>(whole[at] ^ (1 << at % 8)));
    expect_told(path_, log);
    overwrite(log, at, whole[at]);
  }
  for (std::size_t size = whole.size(); size-- > 0;) {
    SCOPED_TRACE(size);
    fs::resize_file(log, size);
    expect_told(path_, log);
  }
  std::string zeros = whole;
  std::fill(zeros.begin() + static_cast<std::ptrdiff_t>(zeros.size() / 2), zeros.end(), '\0');
  save(log, zeros);
  expect_told(path_, log);
  fs::remove(log);
  expect_told(path_, log, "missing");
  save(log, whole);
  EXPECT_EQ(*open_rocks_or_die(path_)->get("c"), "1");
}

TEST_P(ClosedMarkTest, SaysNothingOnceTheStoreWasOpenedAgain) {
  make_store();
  const fs::path killed = scratch_ / "killed";
  {
    const auto store = open_rocks_or_die(path_, {.durability = GetParam()});
    ASSERT_TRUE(write(*store, {Write::put("d", "1")}).has_value());
    copy_while_open(path_, killed);
  }
  EXPECT_THAT(contents_of(killed)["CLOSED"], StartsWith("MANIFEST-"));
  EXPECT_EQ(*open_rocks_or_die(killed)->get("d"), "1");
}

TEST_P(ClosedMarkTest, AMarkThatNobodyCanReadSaysNothing) {
  make_store();
  const std::string manifest = file_of(path_, "MANIFEST-").filename().string();
  for (const std::string& text :
       std::vector<std::string>{"", "\n", manifest, manifest + " 99999", manifest + "\n", manifest + " \n",
                                manifest + " x\n", manifest + " 99999 \n", manifest + " 99999\n99999.log 1",
                                manifest + " -1\n", manifest + " 99999999999999999999999\n",
                                "MANIFEST-000001 99999\n", std::string(300, 'x'), std::string(20, '\0')}) {
    save(path_ / "CLOSED", text);
    const auto checked = check_closed_mark(path_);
    EXPECT_TRUE(checked.has_value()) << text << ": " << checked.error().message();
  }
  save(path_ / "CLOSED", manifest + " 99999\n");  // that one can be read
  EXPECT_FALSE(check_closed_mark(path_).has_value());
}

TEST_P(ClosedMarkTest, AMarkThatCannotBeWrittenIsNotMissed) {
  open_rocks_or_die(path_, {.durability = GetParam()}).reset();
  fs::remove(path_ / "CLOSED");
  fs::create_directory(path_ / "CLOSED.tmp");
  open_rocks_or_die(path_, {.durability = GetParam()}).reset();
  EXPECT_FALSE(fs::exists(path_ / "CLOSED"));
  open_rocks_or_die(path_, {.durability = GetParam()});
}

}  // namespace
}  // namespace tavola::store
