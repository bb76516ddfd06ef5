// Long random histories on a database in memory and on one in a directory, compared with the model at every
// step. A failure prints its seed; `model_test --seed N --steps M --gtest_filter=…` runs it again.
#include "tests/model/history.h"

#include <iostream>

#include <gtest/gtest.h>

#include "base/test_scratch_directory.h"
#include "tests/model/options.h"

namespace tavola::model {
namespace {

// The kinds of history: the store of the database, and the layout of its items.
struct Kind {
  std::string name;
  bool on_disk = false;
  std::size_t steps = 0;
  Generator::Options generator{};
  std::size_t tables = 2;
};

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> all_kinds{
      {.name = "InMemory", .steps = 4000, .generator = {.hash_keys = 5, .range_keys = 12}, .tables = 2},
      {.name = "OnDisk",
       .on_disk = true,
       .steps = 3000,
       .generator = {.hash_keys = 5, .range_keys = 12},
       .tables = 2},
      {.name = "FewKeys", .steps = 3000, .generator = {.hash_keys = 2, .range_keys = 4}, .tables = 1},
      {.name = "ManyKeys", .steps = 2500, .generator = {.hash_keys = 20, .range_keys = 45}, .tables = 1},
      {.name = "LargeItems",
       .steps = 400,
       .generator = {.hash_keys = 2, .range_keys = 12, .blob_bytes = 409'600, .long_texts = 80},
       .tables = 1},
      {.name = "LargeItemsOnDisk",
       .on_disk = true,
       .steps = 250,
       .generator = {.hash_keys = 2, .range_keys = 12, .blob_bytes = 409'600, .long_texts = 80},
       .tables = 1},
  };
  return all_kinds;
}

struct Trial {
  Kind kind;
  std::uint64_t seed;
};

std::vector<Trial> runs() {
  const TestOptions& options = test_options();
  std::vector<std::uint64_t> seeds{11, 12, 13, 14};
  if (options.seed) {
    seeds.clear();
    for (std::size_t i = 0; i < options.histories; ++i) seeds.push_back(*options.seed + i);
  }
  std::vector<Trial> all;
  for (const Kind& kind : kinds()) {
    for (const std::uint64_t seed : seeds) all.push_back({kind, seed});
  }
  return all;
}

std::string name_of(const testing::TestParamInfo<Trial>& info) {
  return info.param.kind.name + "_" + std::to_string(info.param.seed);
}

void print_report(const Trial& trial, std::size_t steps, const HistoryReport& report) {
  static const char* const all_names[kSteps] = {"puts",
                                                "updates",
                                                "deletes",
                                                "gets",
                                                "queries",
                                                "scans",
                                                "describes",
                                                "refusals",
                                                "reopens",
                                                "replacements",
                                                "transacted writes",
                                                "transacted reads",
                                                "batches written",
                                                "batches read"};
  std::cout << trial.kind.name << " seed " << trial.seed << ", " << steps << " steps:";
  for (std::size_t i = 0; i < kSteps; ++i) std::cout << " " << report.done[i] << " " << all_names[i];
  std::cout << "; " << report.pages << " pages, " << report.full_pages << " of them full, " << report.refusals
            << " writes refused\n";
}

class HistoryTest : public testing::TestWithParam<Trial> {};

TEST_P(HistoryTest, AgreesWithModel) {
  const Trial& trial = GetParam();
  const ScratchDirectory directory;
  HistoryOptions options{.seed = trial.seed,
                         .steps = test_options().steps.value_or(trial.kind.steps),
                         .generator = trial.kind.generator,
                         .tables = trial.kind.tables,
                         .survives_reopening = trial.kind.on_disk};
  std::cout << trial.kind.name << " seed " << trial.seed << "\n";
  if (trial.kind.on_disk) {
    options.open = [&directory]() -> std::unique_ptr<Database> {
      auto opened = tavola::open(directory.path(), {.durability = Durability::Relaxed});
      if (opened) return *std::move(opened);
      std::cout << "open: " << describe(opened.error()) << "\n";
      return nullptr;
    };
  } else {
    options.open = [] { return open_in_memory(); };
  }
  const HistoryReport report = History(options).run();
  print_report(trial, options.steps, report);
  EXPECT_FALSE(report.wrong) << report.wrong.value_or("") << "\n  run again: model_test --gtest_filter='*/"
                             << trial.kind.name << "_*' --seed " << trial.seed << " --steps "
                             << options.steps;
}

INSTANTIATE_TEST_SUITE_P(Histories, HistoryTest, testing::ValuesIn(runs()), name_of);

}  // namespace
}  // namespace tavola::model
