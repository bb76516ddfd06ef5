// The cost of a page depends on its content, not on its position: pages of 100 items at the start, in the
// middle and at the end of a table of 200,000 items in one partition.
#include <string>

#include <benchmark/benchmark.h>

#include "bench/data.h"
#include "bench/stage.h"
#include "bench/suites.h"

namespace tavola::bench {

namespace {

using benchmark::State;

constexpr std::int64_t kPage = 100;

// Returns the key of the item before the page; nullopt for the first page.
std::optional<PackedItem> start_key(std::uint64_t after) {
  if (after == 0) return std::nullopt;
  return need(pack({{kPartition, partition_of(0)}, {kSort, after - 1}}), "key");
}

void scan_page(State& state, Where where, std::uint64_t after) {
  Database& db = database(where, Use::ReadWide);
  const ScanRequest request{.table_name = "items", .limit = kPage, .exclusive_start_key = start_key(after)};
  for (auto _ : state) {
    if (need(db.scan(request), "scan").count != kPage) state.SkipWithError("items are missing");
  }
}

void query_page(State& state, Where where, std::uint64_t after) {
  Database& db = database(where, Use::ReadWide);
  const QueryRequest request{.table_name = "items",
                             .key_condition_expression = "pk = :pk",
                             .values = need(pack({{":pk", partition_of(0)}}), "values"),
                             .limit = kPage,
                             .exclusive_start_key = start_key(after)};
  for (auto _ : state) {
    if (need(db.query(request), "query").count != kPage) state.SkipWithError("items are missing");
  }
}

}  // namespace

void register_pages_benchmarks() {
  struct Place {
    const char* name;
    std::uint64_t after;
  };
  constexpr Place kPlaces[] = {{"start", 0}, {"middle", kWideItems / 2}, {"end", kWideItems - kPage - 1}};
  for (const Where where : {Where::Relaxed, Where::Memory}) {
    for (const Place& place : kPlaces) {
      const std::string suffix = std::string(" page of 100 at the ") + place.name +
                                 (where == Where::Relaxed ? "/relaxed/tavola" : "/memory/tavola");
      const std::uint64_t after = place.after;
      measured(benchmark::RegisterBenchmark(("scan" + suffix).c_str(),
                                            [=](State& state) { scan_page(state, where, after); }));
      measured(benchmark::RegisterBenchmark(("query" + suffix).c_str(),
                                            [=](State& state) { query_page(state, where, after); }));
    }
  }
}

}  // namespace tavola::bench
