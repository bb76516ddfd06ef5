// The work of the engine benchmarks by RocksDB alone: equal keys and values, equal options, equal choice of
// keys, equal copies of the data read. The difference is Tavola's further work: checks, expressions, locks,
// reading the old item of a write, statistics.
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "bench/data.h"
#include "bench/stage.h"
#include "bench/suites.h"

namespace tavola::bench {

namespace {

using benchmark::State;
using Sync = RawRocks::Sync;

void get(State& state) {
  Raw& db = raw(Use::Read);
  Random random = fresh_random();
  for (auto _ : state) {
    std::string value;
    if (!db.rocks->get(db.keys[random.below(db.keys.size())], value))
      state.SkipWithError("an item is missing");
    benchmark::DoNotOptimize(value.data());
  }
  state.SetItemsProcessed(state.iterations());
}

// Values that differ, as items do: a file of equal values would cost nothing to compress.
void put(State& state, Sync sync) {
  Raw& db = raw(Use::Write);
  const auto& items = packed_items();
  Random random = fresh_random();
  for (auto _ : state) {
    const PackedItem item = changed(items[random.below(kItems)], random);
    db.rocks->put(db.keys[random.below(db.keys.size())], item.bytes(), sync);
  }
  state.SetItemsProcessed(state.iterations());
}

// The minimum work of an update: a read and a write.
void update(State& state, Sync sync) {
  Raw& db = raw(Use::Write);
  Random random = fresh_random();
  for (auto _ : state) {
    const std::string& key = db.keys[random.below(db.keys.size())];
    std::string value;
    db.rocks->get(key, value);
    db.rocks->put(key, value, sync);
  }
  state.SetItemsProcessed(state.iterations());
}

void remove_and_put(State& state) {
  Raw& db = raw(Use::Write);
  const auto& items = packed_items();
  Random random = fresh_random();
  for (auto _ : state) {
    const std::string& key = db.keys[random.below(db.keys.size())];
    db.rocks->erase(key, Sync::No);
    db.rocks->put(key, items[random.below(kItems)].bytes(), Sync::No);
  }
  state.SetItemsProcessed(state.iterations());
}

void range(State& state, std::size_t count, std::size_t bytes) {
  Raw& db = raw(Use::Read);
  Random random = fresh_random();
  for (auto _ : state) {
    std::vector<std::string> page;
    db.rocks->read_range(db.keys[random.below(db.keys.size())], count, bytes, page);
    benchmark::DoNotOptimize(page.data());
  }
  state.SetItemsProcessed(state.iterations());
}

template <class Body>
benchmark::internal::Benchmark* add(const std::string& what, const char* where, Body body) {
  return measured(benchmark::RegisterBenchmark((what + "/" + where + "/rocksdb").c_str(), body));
}

}  // namespace

void register_raw_benchmarks() {
  constexpr std::size_t kMegabyte = 1'048'576;
  constexpr std::size_t kNoLimit = static_cast<std::size_t>(-1);
  const auto put_relaxed = [](State& state) { put(state, Sync::No); };
  const auto put_synced = [](State& state) { put(state, Sync::Yes); };
  const auto hundred = [](State& state) { range(state, kPartitionItems, kNoLimit); };
  add("get 1 KB", "relaxed", get);
  add("get 1 KB", "relaxed", get)->Threads(16);
  add("put 1 KB", "relaxed", put_relaxed);
  add("update of a counter in 1 KB", "relaxed", [](State& state) { update(state, Sync::No); });
  add("delete and put 1 KB", "relaxed", remove_and_put);
  add("query 100 x 1 KB", "relaxed", hundred);
  add("query 100 x 1 KB by an index", "relaxed", hundred);
  add("scan page of 1 MB", "relaxed", [](State& state) { range(state, kNoLimit, kMegabyte); });
  for (const int threads : {1, 16}) {
    add("put 1 KB", "synced", put_synced)->Threads(threads);
    add("update of a counter in 1 KB", "synced", [](State& state) {
      update(state, Sync::Yes);
    })->Threads(threads);
  }
}

}  // namespace tavola::bench
