// The groups of benchmarks. A benchmark is called "what/where/who", for example "get 1 KB/synced/tavola":
// bench/run puts the ones that differ only in who (tavola, rocksdb) on one line.
#pragma once

#include <benchmark/benchmark.h>

namespace tavola::bench {

// Measures the CPU of the whole process. If TAVOLA_BENCH_ITERATIONS is set, the benchmark runs so often: then instructions can be counted
// (bench/run --instructions).
benchmark::internal::Benchmark* measured(benchmark::internal::Benchmark* benchmark);

void register_value_benchmarks();     // value_bench.cc: numbers, keys, items
void register_expr_benchmarks();      // expr_bench.cc: compiling and evaluating
void register_engine_benchmarks();    // engine_bench.cc: operations through tavola::Database
void register_raw_benchmarks();       // raw_bench.cc: RocksDB alone
void register_governed_benchmarks();  // governed_bench.cc: tables with and without a design
void register_pages_benchmarks();     // pages_bench.cc: pages at the start and deep inside

}  // namespace tavola::bench
