#include "tests/crash/writer.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <thread>
#include <unistd.h>

#include "tests/crash/deferred.h"
#include "tests/crash/journal.h"
#include "tests/crash/power_cut.h"
#include "tests/crash/workload.h"

namespace tavola::crash {

namespace {

constexpr int kThreads = 4;
constexpr std::int64_t kOwnedKeys = 40;  // per thread
constexpr std::int64_t kSharedKeys = 4;
constexpr std::int64_t kCounters = 2;
constexpr int kScratchItems = 12;

// Thread safety: every method; a line is one write(2).
class Writer {
 public:
  Writer(Database& database, const WriterOptions& options)
      : database_(database),
        journal_fd_(options.journal_fd),
        seed_(options.seed),
        next_id_(options.first_id) {}

  // Announces the operation, performs it, and reports its end. A failure ends the process: the parent reports
  // it.
  void run(Operation operation) {
    operation.id = next_id_++;
    say(Attempt{operation});
    const auto outcome = perform(database_, operation);
    if (!outcome) {
      say(Failed{.id = operation.id, .message = outcome.error().message()});
      _exit(1);
    }
    say(Acknowledged{.id = operation.id, .outcome = *outcome});
  }

  void write_main(int thread) {
    std::mt19937_64 random(seed_ * 31 + static_cast<std::uint64_t>(thread));
    while (true) run(next_operation(thread, random));
  }

  // Repeatedly creates the scratch table, fills it and deletes it.
  void write_scratch() {
    std::mt19937_64 random(seed_ * 31 + kThreads);
    while (true) {
      run({.kind = Operation::Kind::CreateTable, .table = kScratchTable});
      for (int i = 0; i < kScratchItems; ++i) {
        Operation operation{.table = kScratchTable, .key = owned_key(kThreads, i)};
        operation.kind = random() % 4 == 0 ? Operation::Kind::Update : Operation::Kind::Put;
        run(operation);
      }
      run({.kind = Operation::Kind::DeleteTable, .table = kScratchTable});
    }
  }

 private:
  static std::int64_t pick(std::mt19937_64& random, std::int64_t count) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(count));
  }

  static Operation next_operation(int thread, std::mt19937_64& random) {
    using Kind = Operation::Kind;
    Operation operation{.table = kMainTable};
    const auto dice = random() % 20;
    if (dice < 2) {
      operation.kind = Kind::Count;
      operation.key = counter_key(pick(random, kCounters));
    } else if (dice < 6) {
      operation.kind = random() % 4 == 0 ? Kind::Delete : Kind::Put;
      operation.key = shared_key(pick(random, kSharedKeys));
    } else {
      constexpr std::array kKinds{Kind::Put, Kind::Update, Kind::Update, Kind::PutNew, Kind::Delete};
      operation.kind = kKinds[random() % kKinds.size()];
      operation.key = owned_key(thread, pick(random, kOwnedKeys));
    }
    return operation;
  }

  void say(const JournalRecord& record) const {
    const std::string line = to_line(record);
    if (write(journal_fd_, line.data(), line.size()) != static_cast<ssize_t>(line.size())) _exit(98);
  }

  Database& database_;
  int journal_fd_;
  std::uint64_t seed_;
  std::atomic<std::uint64_t> next_id_;
};

}  // namespace

std::vector<std::string> to_arguments(const WriterOptions& options) {
  return {std::string(kCommand),
          std::to_string(static_cast<int>(options.role)),
          options.directory.string(),
          options.sync_notes.string(),
          options.durability == Durability::Synced ? "synced" : "relaxed",
          std::to_string(options.seed),
          std::to_string(options.first_id),
          std::to_string(options.journal_fd)};
}

WriterOptions from_arguments(const std::vector<std::string>& arguments) {
  return {.directory = arguments.at(2),
          .sync_notes = arguments.at(3),
          .durability = arguments.at(4) == "synced" ? Durability::Synced : Durability::Relaxed,
          .seed = std::stoull(arguments.at(5)),
          .first_id = std::stoull(arguments.at(6)),
          .journal_fd = std::stoi(arguments.at(7)),
          .role = static_cast<Role>(std::stoi(arguments.at(1)))};
}

int run_writer(const WriterOptions& options) {
  if (auto noted = note_syncs_in(options.sync_notes); !noted) {
    std::fprintf(stderr, "crash_test: %s\n", noted.error().message().c_str());
    return 1;
  }
  if (options.role == Role::WritesDeferred) return write_deferred(options);
  const auto database = open(options.directory, {.durability = options.durability});
  if (!database) {
    std::fprintf(stderr, "crash_test: cannot open: %s\n", database.error().message().c_str());
    return 1;
  }
  while (options.role == Role::Waits) pause();
  Writer writer(**database, options);
  writer.run({.kind = Operation::Kind::CreateTable, .table = kMainTable});
  std::vector<std::jthread> threads;
  threads.reserve(kThreads);
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&writer, thread] { writer.write_main(thread); });
  }
  writer.write_scratch();
  return 0;
}

}  // namespace tavola::crash
