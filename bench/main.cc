// The benchmarks' program. bench/run starts it and prints its figures beside each other.
#include <cstdlib>

#include <benchmark/benchmark.h>

#include "bench/stage.h"
#include "bench/suites.h"

namespace tavola::bench {

benchmark::internal::Benchmark* measured(benchmark::internal::Benchmark* benchmark) {
  benchmark->MeasureProcessCPUTime()->UseRealTime();
  const char* const iterations =
      std::getenv("TAVOLA_BENCH_ITERATIONS");  // NOLINT(concurrency-mt-unsafe): never set
  return iterations == nullptr ? benchmark : benchmark->Iterations(std::atol(iterations));
}

}  // namespace tavola::bench

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
