// Kills a writing process repeatedly, and checks after each kill that the database holds all acknowledged writes.
//
//   crash_test                       20 kills
//   KILLS=200 SEED=7 crash_test      as many kills, with other random choices
//
// A seed repeats the writers' operations and the times of the kills, but not the exact instruction that a kill
// meets.
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <random>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/test_scratch_directory.h"
#include "store/store.h"
#include "tests/crash/agreement.h"
#include "tests/crash/consumer.h"
#include "tests/crash/deferred.h"
#include "tests/crash/history.h"
#include "tests/crash/power_cut.h"
#include "tests/crash/victim.h"
#include "tests/crash/writer.h"

namespace tavola::crash {
namespace {

namespace fs = std::filesystem;
using std::chrono::microseconds;

std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): no thread runs yet
  return text == nullptr ? otherwise : std::stoull(text);
}

// A directory with a database and the notes of its syncs; removed with the object, unless the test failed.
class Crash : public testing::Test {
 protected:
  void SetUp() override {
    // This process writes to the database too (recovery, and the write after each check): its syncs count as
    // well.
    ASSERT_TRUE(note_syncs_in(notes()));
  }

  void TearDown() override {
    if (!HasFailure()) return;
    root_.keep();
    std::cout << "the database is kept in " << root_.path() << ", SEED=" << seed_ << "\n";
  }

  fs::path directory() const { return root_ / "data"; }
  fs::path notes() const { return root_ / "synced"; }

  WriterOptions writer(Durability durability) {
    WriterOptions options{.directory = directory(), .sync_notes = notes(), .durability = durability};
    options.seed = random_();
    options.first_id = ++writers_ * 1'000'000;
    return options;
  }

  // Uniform between 0 and `longest`.
  microseconds delay(microseconds longest) {
    return microseconds(static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(longest.count())));
  }

  void kill_writer(const WriterOptions& options, const Moment& moment) {
    const End end = run_and_kill(options, moment, [this](std::string_view line) {
      const auto record = parse_line(line);
      ASSERT_TRUE(record) << "not a line of a journal: " << line;
      history_.record(*record);
    });
    ++kills_;
    EXPECT_TRUE(end.killed) << "the writer " << end.problem;
  }

  void cut() { cut(directory()); }
  void cut(const fs::path& store) {
    const auto done = cut_power(store, notes(), random_());
    ASSERT_TRUE(done) << done.error().message();
    torn_logs_ += done->torn_logs;
    lost_names_ += done->lost_names;
  }

  // Opens the database and compares it with the history, which continues from the result.
  Violations check() {
    const auto database = open(directory());
    if (!database) return {"the database does not open: " + database.error().message()};
    const auto stored = read_stored(**database);
    if (!stored) return {"the database cannot be read: " + stored.error().message()};
    Violations found = history_.violations(*stored);
    for (const Violations& more : {disagreements(*stored), disagreements_of_reads(**database, *stored),
                                   consumer_.follow(**database, *stored)}) {
      found.insert(found.end(), more.begin(), more.end());
    }
    history_.settle(*stored);
    if (stored->contains(kMainTable)) write_once_more(**database, found);
    return found;
  }

  // Puts and deletes an item, so that the content stays unchanged.
  void write_once_more(Database& database, Violations& found) {
    constexpr int kNobody = 99;
    for (const auto kind : {Operation::Kind::Put, Operation::Kind::Delete}) {
      const auto outcome =
          perform(database, {.id = 1, .kind = kind, .table = kMainTable, .key = owned_key(kNobody, 0)});
      if (!outcome) found.push_back("the database does not take writes: " + outcome.error().message());
    }
  }

  std::uint64_t seed_ = from_environment("SEED", 1);
  std::mt19937_64 random_{seed_};
  ScratchDirectory root_;
  History history_;
  StreamConsumer consumer_;
  std::uint64_t writers_ = 0;
  std::uint64_t kills_ = 0;
  std::uint64_t torn_logs_ = 0;
  std::uint64_t lost_names_ = 0;
};

// Every third writer dies while it opens or just after, the others while they write; some databases are
// opened and killed again before they are checked, so that recovery is interrupted too; every second time the
// power goes as well.
TEST_F(Crash, AcknowledgedWritesSurvive) {
  const std::uint64_t kills = from_environment("KILLS", 20);
  std::cout << "SEED=" << seed_ << " KILLS=" << kills << "\n" << std::flush;
  for (std::uint64_t round = 0; kills_ < kills && !HasFailure(); ++round) {
    const bool power_goes = round % 2 == 1;
    const Moment moment = round % 3 == 2 ? Moment{Moment::Since::Start, delay(microseconds(40'000))}
                                         : Moment{Moment::Since::FirstLine, delay(microseconds(600'000))};
    kill_writer(writer(Durability::Synced), moment);
    while (kills_ < kills && random_() % 3 == 0) {
      if (power_goes) cut();
      WriterOptions opener = writer(Durability::Synced);
      opener.role = Role::Waits;
      kill_writer(opener, {Moment::Since::Start, delay(microseconds(40'000))});
    }
    if (power_goes) cut();
    EXPECT_THAT(check(), testing::IsEmpty())
        << "after " << kills_ << " kills" << (power_goes ? " and a power cut" : "");
  }
  std::cout << kills_ << " kills, " << history_.attempted() << " operations attempted, "
            << history_.acknowledged() << " acknowledged, " << consumer_.records() << " stream records, "
            << torn_logs_ << " logs torn, " << lost_names_ << " names lost\n"
            << std::flush;
  EXPECT_GT(history_.acknowledged(), 0U);
  EXPECT_GT(consumer_.records(), 0U);
}

TEST_F(Crash, RelaxedWritesSurviveTheEndOfTheProcess) {
  for (int round = 0; round < 2; ++round) {
    kill_writer(writer(Durability::Relaxed), {Moment::Since::FirstLine, delay(microseconds(300'000))});
    EXPECT_THAT(check(), testing::IsEmpty());
  }
}

// Also shows that the cut takes effect: otherwise a cut without losses would look like a database without losses.
TEST_F(Crash, APowerCutTakesOnlyTheEndOfRelaxedWrites) {
  std::cout << "SEED=" << seed_ << "\n" << std::flush;
  int losses = 0;
  for (int round = 0; round < 3 && !HasFailure(); ++round) {
    kill_writer(writer(Durability::Relaxed), {Moment::Since::FirstLine, microseconds(200'000)});
    cut();
    const auto database = open(directory());
    ASSERT_TRUE(database) << database.error().message();
    const auto stored = read_stored(**database);
    ASSERT_TRUE(stored) << stored.error().message();
    losses += history_.violations(*stored).empty() ? 0 : 1;  // none if only unacknowledged writes were cut
    history_.allow_lost_end(*stored);
    EXPECT_THAT(history_.violations(*stored), testing::IsEmpty());
    EXPECT_THAT(disagreements(*stored), testing::IsEmpty());
    history_.settle(*stored);
  }
  EXPECT_GT(losses, 0) << "nothing was lost";
}

Result<void> put(store::Store& store, const std::string& value) {
  return store.transact({}, {}, [&](const store::View&) -> Result<store::Decision> {
    return store::Decision{{store::Write::put("key", value)}, {}};
  });
}

std::string value_in(const fs::path& directory) {
  if (!fs::exists(directory)) return "no directory";
  const auto store = store::open_rocks(directory, {});
  return store ? (*store)->get("key").value().value_or("nothing") : store.error().message();
}

constexpr int kCuts = 8;  // each removes new names, or keeps them

// Covers its name, too: it is built under another one.
TEST_F(Crash, ACheckpointSurvivesThePowerCut) {
  const auto store = store::open_rocks(directory(), {});
  ASSERT_TRUE(store) << store.error().message();
  for (int round = 0; round < kCuts; ++round) {
    ASSERT_TRUE(put(**store, std::to_string(round)));
    const fs::path copy = root_ / ("copy-" + std::to_string(round));
    ASSERT_TRUE((*store)->checkpoint(copy));
    cut(copy);
    EXPECT_EQ(value_in(copy), std::to_string(round));
  }
}

// As left by an open that was killed early.
TEST_F(Crash, ADirectoryThatWasThereSurvivesThePowerCut) {
  for (int round = 0; round < kCuts; ++round) {
    const fs::path made = root_ / ("made-" + std::to_string(round));
    fs::create_directory(made);
    {
      const auto store = store::open_rocks(made, {});
      ASSERT_TRUE(store) << store.error().message();
      ASSERT_TRUE(put(**store, "value"));
    }
    cut(made);
    EXPECT_EQ(value_in(made), "value");
  }
}

// The store's own promise, which the database relies on: durable writes survive, and the remaining state is an earlier
// one.
TEST_F(Crash, DurableWritesOfADeferredStoreSurviveThePowerCut) {
  const std::uint64_t kills = from_environment("KILLS", 20) / 2;
  std::cout << "SEED=" << seed_ << "\n" << std::flush;
  std::uint64_t durable = 0;
  std::uint64_t durable_before = 0;
  fs::path store = root_ / "store-0";
  while (kills_ < kills && !HasFailure()) {
    if (kills_ % 10 == 9) {  // a new one: the checked content must not grow forever
      store = root_ / ("store-" + std::to_string(kills_));
      durable_before += std::exchange(durable, 0);
    }
    WriterOptions options = writer(Durability::Synced);
    options.directory = store;
    options.role = Role::WritesDeferred;
    const Moment moment = kills_ % 5 == 4 ? Moment{Moment::Since::Start, delay(microseconds(40'000))}
                                          : Moment{Moment::Since::FirstLine, delay(microseconds(300'000))};
    const End end = run_and_kill(options, moment, [&](std::string_view line) {
      const auto number = durable_number(line);
      ASSERT_TRUE(number) << "not a line of a journal: " << line;
      durable = std::max(durable, *number);
    });
    ++kills_;
    EXPECT_TRUE(end.killed) << "the writer " << end.problem;
    if (kills_ % 4 != 0) cut(store);
    EXPECT_THAT(check_deferred(store, durable), testing::IsEmpty()) << "after " << kills_ << " kills";
  }
  std::cout << kills_ << " kills, " << durable_before + durable << " writes durable, " << torn_logs_
            << " logs torn, " << lost_names_ << " names lost\n"
            << std::flush;
  EXPECT_GT(durable_before + durable, 0U);
}

}  // namespace
}  // namespace tavola::crash

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (!arguments.empty() && arguments[0] == tavola::crash::kCommand) {
    return tavola::crash::run_writer(tavola::crash::from_arguments(arguments));
  }
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
