// The operations of tavola::Database, on a disk (synced and relaxed) and in memory. Requests are made per
// operation, as a caller makes them; the items and keys in them are prepared.
#include <string>

#include <benchmark/benchmark.h>

#include "bench/data.h"
#include "bench/stage.h"
#include "bench/suites.h"

namespace tavola::bench {

namespace {

using benchmark::State;

void get(State& state, Where where) {
  Database& db = database(where, Use::Read);
  const auto& keys = item_keys();
  Random random = fresh_random();
  for (auto _ : state) {
    const auto response =
        need(db.get_item({.table_name = "items", .key = keys[random.below(kItems)]}), "get");
    if (!response.item) state.SkipWithError("an item is missing");
  }
  state.SetItemsProcessed(state.iterations());
}

void put(State& state, Where where, Use use, const char* condition) {
  Database& db = database(where, use);
  const auto& items = packed_items();
  Random random = fresh_random();
  const std::uint64_t count = use == Use::WriteIndexed ? kIndexedItems : kItems;
  for (auto _ : state) {
    need(db.put_item({.table_name = "items",
                      .item = changed(items[random.below(count)], random),
                      .condition_expression = condition}),
         "put");
  }
  state.SetItemsProcessed(state.iterations());
}

void update(State& state, Where where) {
  Database& db = database(where, Use::Write);
  const auto& keys = item_keys();
  Random random = fresh_random();
  const PackedItem one = need(pack({{":one", 1}}), "values");
  const AttributeNames names{{"#c", "count"}};
  for (auto _ : state) {
    need(db.update_item({.table_name = "items",
                         .key = keys[random.below(kItems)],
                         .update_expression = "ADD #c :one",
                         .names = names,
                         .values = one}),
         "update");
  }
  state.SetItemsProcessed(state.iterations());
}

// A pair, so that the table stays unchanged.
void remove_and_put(State& state, Where where) {
  Database& db = database(where, Use::Write);
  const auto& keys = item_keys();
  const auto& items = packed_items();
  Random random = fresh_random();
  for (auto _ : state) {
    const std::uint64_t number = random.below(kItems);
    need(db.delete_item({.table_name = "items", .key = keys[number]}), "delete");
    need(db.put_item({.table_name = "items", .item = items[number]}), "put");
  }
  state.SetItemsProcessed(state.iterations());
}

void query(State& state, Where where) {
  Database& db = database(where, Use::Read);
  Random random = fresh_random();
  for (auto _ : state) {
    QueryRequest request{.table_name = "items", .key_condition_expression = "pk = :pk"};
    ItemWriter values;
    values.name(":pk");
    values.string(partition_of(random.below(kItems)));
    request.values = std::move(values).finish();
    if (need(db.query(request), "query").items.size() != kPartitionItems)
      state.SkipWithError("items are missing");
  }
  state.SetItemsProcessed(state.iterations());
}

void query_index(State& state, Where where) {
  Database& db = database(where, Use::ReadIndexed);
  const auto& items = packed_items();
  Random random = fresh_random();
  const AttributeNames names{{"#g", "group"}};
  for (auto _ : state) {
    QueryRequest request{.table_name = "items",
                         .index_name = "by-group",
                         .key_condition_expression = "#g = :g",
                         .names = names};
    ItemWriter values;
    values.name(":g");
    values.value(attribute(items[random.below(kIndexedItems)], "group"));
    request.values = std::move(values).finish();
    if (need(db.query(request), "query").items.size() != kPartitionItems)
      state.SkipWithError("items are missing");
  }
  state.SetItemsProcessed(state.iterations());
}

// Reads a page from a random position: one megabyte.
void scan(State& state, Where where) {
  Database& db = database(where, Use::Read);
  const auto& keys = item_keys();
  Random random = fresh_random();
  for (auto _ : state) {
    const ScanRequest request{.table_name = "items", .exclusive_start_key = keys[random.below(kItems)]};
    benchmark::DoNotOptimize(need(db.scan(request), "scan").items.data());
  }
  state.SetItemsProcessed(state.iterations());
}

template <class Body>
benchmark::internal::Benchmark* add(const char* what, Where where, Body body) {
  constexpr std::array kNames{"synced", "relaxed", "memory"};
  const std::string name = std::string(what) + "/" + kNames[std::to_underlying(where)] + "/tavola";
  return measured(benchmark::RegisterBenchmark(name.c_str(), [=](State& state) { body(state, where); }));
}

}  // namespace

void register_engine_benchmarks() {
  const auto put_plain = [](State& state, Where where) { put(state, where, Use::Write, ""); };
  const auto put_if = [](State& state, Where where) {
    put(state, where, Use::Write, "attribute_exists(pk)");
  };
  const auto put_indexed = [](State& state, Where where) { put(state, where, Use::WriteIndexed, ""); };
  const auto put_streamed = [](State& state, Where where) { put(state, where, Use::WriteStreamed, ""); };
  const auto put_recoverable = [](State& state, Where where) {
    put(state, where, Use::WriteRecoverable, "");
  };
  for (const Where where : {Where::Relaxed, Where::Memory}) {
    add("get 1 KB", where, get);
    add("put 1 KB", where, put_plain);
    add("put 1 KB with a condition", where, put_if);
    add("put 1 KB with an index", where, put_indexed);
    add("put 1 KB with a stream", where, put_streamed);
    add("put 1 KB with point-in-time recovery", where, put_recoverable);
    add("update of a counter in 1 KB", where, update);
    add("delete and put 1 KB", where, remove_and_put);
    add("query 100 x 1 KB", where, query);
    add("query 100 x 1 KB by an index", where, query_index);
    add("scan page of 1 MB", where, scan);
  }
  add("get 1 KB", Where::Relaxed, get)->Threads(16);
  for (const int threads : {1, 16}) {
    add("put 1 KB", Where::Synced, put_plain)->Threads(threads);
    add("put 1 KB with a stream", Where::Synced, put_streamed)->Threads(threads);
    add("put 1 KB with point-in-time recovery", Where::Synced, put_recoverable)->Threads(threads);
    add("update of a counter in 1 KB", Where::Synced, update)->Threads(threads);
  }
}

}  // namespace tavola::bench
