// tavola_scale curve ITEMS CACHE_MEGABYTES | footprint
#include "bench/scale.h"

#include <cstdio>
#include <string>
#include <vector>

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments.size() == 3 && arguments[0] == "curve") {
    tavola::bench::run_curve(std::stoull(arguments[1]), std::stoull(arguments[2]) * 1024 * 1024);
    return 0;
  }
  if (!arguments.empty() && arguments[0] == "footprint") {
    tavola::bench::run_footprint();
    return 0;
  }
  std::fputs("usage: tavola_scale curve ITEMS CACHE_MEGABYTES | footprint\n", stderr);
  return 2;
}
