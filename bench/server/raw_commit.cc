// The throughput of the disk and RocksDB alone: synced puts of a kilobyte by many writers, who share RocksDB's group
// commit, with the options of Tavola's store. bench/server compares the server's synced puts with it.
//
//   server_raw_commit DIRECTORY WRITERS SECONDS      prints {"rate": puts per second, "p50_us": ..., "p99_us": ...}
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "bench/data.h"
#include "bench/raw_rocks.h"

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kKeys = 10'000;  // as many as the server's table has items
constexpr std::size_t kKeyBytes = 32;
constexpr std::size_t kValueBytes = 1000;
constexpr std::size_t kCacheBytes = std::size_t{64} * 1024 * 1024;

// Puts until the time is up; returns the duration of each in microseconds.
std::vector<double> write(tavola::bench::RawRocks& rocks, std::uint64_t seed, Clock::time_point until) {
  tavola::bench::Random random(seed);
  std::vector<double> took;
  std::string value(kValueBytes, '\0');
  while (Clock::now() < until) {
    for (char& byte : value) byte = static_cast<char>('0' + random.below(64));
    std::string key = "item" + std::to_string(random.below(kKeys));
    key.resize(kKeyBytes, '.');
    const auto started = Clock::now();
    rocks.put(key, value, tavola::bench::RawRocks::Sync::Yes);
    took.push_back(std::chrono::duration<double, std::micro>(Clock::now() - started).count());
  }
  return took;
}

double percentile(const std::vector<double>& sorted, double part) {
  return sorted.empty() ? 0 : sorted[static_cast<std::size_t>(static_cast<double>(sorted.size() - 1) * part)];
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: server_raw_commit DIRECTORY WRITERS SECONDS\n");
    return 2;
  }
  const auto writers = static_cast<std::size_t>(std::atoi(argv[2]));
  const double seconds = std::atof(argv[3]);
  tavola::bench::RawRocks rocks(argv[1], kCacheBytes);
  std::vector<std::vector<double>> took(writers);
  const auto until =
      Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  std::vector<std::thread> threads;
  threads.reserve(writers);
  for (std::size_t i = 0; i < writers; ++i) {
    threads.emplace_back([&, i] { took[i] = write(rocks, i + 1, until); });
  }
  for (std::thread& thread : threads) thread.join();
  std::vector<double> all;
  for (const auto& one : took) all.insert(all.end(), one.begin(), one.end());
  std::ranges::sort(all);
  std::printf("{\"rate\": %.1f, \"p50_us\": %.1f, \"p99_us\": %.1f}\n",
              static_cast<double>(all.size()) / seconds, percentile(all, 0.5), percentile(all, 0.99));
}
