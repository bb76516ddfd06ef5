// The checker against real damage: it detects the loss of any item or index entry.
#include <filesystem>
#include <string>
#include <unistd.h>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/test_scratch_directory.h"
#include "store/store.h"
#include "tests/crash/agreement.h"
#include "tests/crash/consumer.h"
#include "tests/crash/history.h"

namespace tavola::crash {
namespace {

namespace fs = std::filesystem;

class Damage : public testing::Test {
 protected:
  void SetUp() override {
    const auto database = open(healthy(), {.durability = Durability::Relaxed});
    ASSERT_TRUE(database) << database.error().message();
    run(**database, {.kind = Operation::Kind::CreateTable, .table = kMainTable});
    for (int sort = 0; sort < 4; ++sort) run(**database, {.table = kMainTable, .key = owned_key(0, sort)});
  }

  fs::path healthy() const { return root_ / "healthy"; }

  void run(Database& database, Operation operation) {
    operation.id = ++last_id_;
    history_.record(Attempt{operation});
    const auto outcome = perform(database, operation);
    ASSERT_TRUE(outcome) << outcome.error().message();
    history_.record(Acknowledged{.id = operation.id, .outcome = *outcome});
  }

  // Returns the checker's report of a database, as one text.
  std::string complaint(const fs::path& directory) const {
    const auto database = open(directory);
    if (!database) return database.error().message();
    const auto stored = read_stored(**database);
    if (!stored) return stored.error().message();
    std::string text;
    StreamConsumer consumer;
    for (const Violations& violations :
         {history_.violations(*stored), disagreements(*stored), consumer.follow(**database, *stored)}) {
      for (const std::string& violation : violations) text += violation + "\n";
    }
    return text;
  }

  ScratchDirectory root_;
  History history_;
  std::uint64_t last_id_ = 1'000;
};

// Returns the keys of the store that contain the items' partition key, those of the items and their index entries; and
// the records of their changes.
std::vector<std::string> entries_of_items(const fs::path& directory) {
  std::vector<std::string> keys;
  const auto opened = store::open_rocks(directory, {});
  EXPECT_TRUE(opened) << opened.error().message();
  const auto snapshot = (*opened)->snapshot();
  const auto cursor = snapshot->range({}, store::Direction::Forward);
  for (; cursor->valid(); cursor->next()) {
    const bool is_entry = cursor->key().starts_with('\x02');  // docs/FORMAT.md
    const bool is_change = cursor->key().starts_with('\x0a');
    if (is_change || (is_entry && cursor->key().find(owned_key(0, 0).partition) != std::string_view::npos)) {
      keys.emplace_back(cursor->key());
    }
  }
  return keys;
}

TEST_F(Damage, EveryEntryThatIsTakenOutIsNoticed) {
  ASSERT_EQ(complaint(healthy()), "");
  const std::vector<std::string> keys = entries_of_items(healthy());
  ASSERT_GE(keys.size(), 4U * 4U) << "four items, each with at least two index entries and a record";
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const fs::path copy = root_ / ("damaged-" + std::to_string(i));
    fs::copy(healthy(), copy, fs::copy_options::recursive);
    {
      const auto opened = store::open_rocks(copy, {});
      ASSERT_TRUE(opened) << opened.error().message();
      ASSERT_TRUE((*opened)->transact({}, {}, [&](const store::View&) -> Result<store::Decision> {
        return store::Decision{.writes = {store::Write::erase(keys[i])}, .further_keys = {}};
      }));
    }
    EXPECT_NE(complaint(copy), "") << "entry " << i << " of " << keys.size();
    fs::remove_all(copy);
  }
}

}  // namespace
}  // namespace tavola::crash
