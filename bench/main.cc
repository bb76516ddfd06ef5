// The benchmarks' program. bench/run starts it and prints its figures beside each other.
#include <benchmark/benchmark.h>

#include "bench/stage.h"
#include "bench/suites.h"

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  tavola::bench::register_value_benchmarks();
  tavola::bench::register_expr_benchmarks();
  tavola::bench::register_engine_benchmarks();
  tavola::bench::register_raw_benchmarks();
  tavola::bench::register_governed_benchmarks();
  tavola::bench::register_pages_benchmarks();
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  tavola::bench::close_stage();
  return 0;
}
