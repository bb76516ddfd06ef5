// Calls of a Database in this process on one store, for bench/postgres/run: requests per second with some threads, and the CPU time of this
// process for each.
//
//   store_calls DIRECTORY | URL SECONDS THREADS    prints one line of JSON
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <sys/resource.h>
#include <thread>
#include <vector>

#include "bench/data.h"
#include "engine/engine.h"
#include "store/store.h"

namespace tavola::bench {
namespace {

constexpr std::uint64_t kCount = 10'000;

std::unique_ptr<Database> open_on(const std::string& place) {
  auto store = place.starts_with("postgresql:")
                   ? store::open_postgres({.url = place, .schema = "bench"})
                   : store::open_rocks(place, {.durability = store::Durability::Synced});
  return std::make_unique<engine::Engine>(need(std::move(store), "open"));
}

double cpu_seconds() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

struct Load {
  double seconds;
  unsigned threads;
};

void measure(const char* name, const Load& load, const std::function<void(Random&)>& call) {
  std::atomic<bool> ends = false;
  std::atomic<std::uint64_t> calls = 0;
  const double cpu = cpu_seconds();
  const auto began = std::chrono::steady_clock::now();
  {
    std::vector<std::jthread> threads;
    for (unsigned t = 0; t < load.threads; ++t) {
      threads.emplace_back([&, t] {
        Random random(t + 1);
        while (!ends) {
          call(random);
          ++calls;
        }
      });
    }
    std::this_thread::sleep_for(std::chrono::duration<double>(load.seconds));
    ends = true;
  }
  const double took = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  std::printf("%s\"%s\": [%.0f, %.1f]", name == std::string("put") ? "" : ", ", name,
              static_cast<double>(calls) / took, (cpu_seconds() - cpu) / static_cast<double>(calls) * 1e6);
  std::fflush(stdout);
}

PackedItem item_of(std::uint64_t number) { return need(pack(big_item(number)), "pack"); }

void run(const std::string& place, const Load& load) {
  const auto db = open_on(place);
  need(db->create_table(table_definition("items", Indexes::ByGroup)), "create");
  CreateTableRequest streamed = table_definition("streamed", Indexes::ByGroup);
  streamed.stream = StreamView::NewAndOldImages;
  need(db->create_table(streamed), "create");
  {
    std::vector<std::jthread> threads;
    for (std::uint64_t t = 0; t < load.threads; ++t) {
      threads.emplace_back([&, t] {
        for (std::uint64_t number = t; number < kCount; number += load.threads)
          need(db->put_item({.table_name = "items", .item = item_of(number)}), "load");
      });
    }
  }
  std::printf("{");
  measure("put", load, [&](Random& random) {
    need(db->put_item({.table_name = "items", .item = item_of(random.below(kCount))}), "put");
  });
  measure("transaction of four", load, [&](Random& random) {
    TransactWriteItemsRequest request;
    const std::uint64_t first = random.below(kCount / 4);
    for (std::uint64_t i = 0; i < 4; ++i) {
      request.actions.emplace_back(
          PutItemRequest{.table_name = "items", .item = item_of((first + i * (kCount / 4)) % kCount)});
    }
    static_cast<void>(db->transact_write_items(request));  // two of them may meet
  });
  measure("get", load, [&](Random& random) {
    need(db->get_item({.table_name = "items", .key = key_of(random.below(kCount))}), "get");
  });
  measure("query of 100", load, [&](Random& random) {
    QueryRequest request{.table_name = "items", .key_condition_expression = "pk = :pk"};
    request.values = need(pack({{":pk", partition_of(random.below(kCount))}}), "pack");
    need(db->query(request), "query");
  });
  measure("put with a stream", load, [&](Random& random) {
    need(db->put_item({.table_name = "streamed", .item = item_of(random.below(kCount))}), "put");
  });
  std::printf("}\n");
}

}  // namespace
}  // namespace tavola::bench

int main(int count, char** arguments) {
  if (count != 4) return 2;
  tavola::bench::run(arguments[1], {std::atof(arguments[2]), static_cast<unsigned>(std::atoi(arguments[3]))});
}
