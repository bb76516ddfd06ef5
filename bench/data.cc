#include "bench/data.h"

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <string_view>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

namespace tavola::bench {

namespace {

// Returns words in random order, which compress to about half, like prose.
std::string prose(std::uint64_t seed, std::size_t bytes) {
  constexpr std::array<std::string_view, 32> kWords{
      "table",  "river",  "morning", "orange", "quiet",  "engine", "winter", "paper",
      "signal", "garden", "copper",  "velvet", "ladder", "mirror", "harbor", "lantern",
      "pepper", "saddle", "thunder", "willow", "yellow", "anchor", "basket", "candle",
      "dragon", "falcon", "glacier", "hollow", "island", "jacket", "kettle", "lemon"};
  Random random(seed);
  std::string text;
  while (text.size() < bytes) {
    text += kWords[random.below(kWords.size())];
    text += std::to_string(random.below(1000));
    text += ' ';
  }
  text.resize(bytes);
  return text;
}

// Removed at the end of the program.
struct Directories {
  ~Directories() {
    for (const auto& path : paths) {
      std::error_code ignored;
      std::filesystem::remove_all(path, ignored);
    }
  }
  std::vector<std::filesystem::path> paths;
};

}  // namespace

std::string partition_of(std::uint64_t number) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "customer#%08llu",
                static_cast<unsigned long long>(number / kPartitionItems));
  return text.data();
}

PackedItem key_of(std::uint64_t number) {
  ItemWriter writer;
  writer.name(kPartition);
  writer.string(partition_of(number));
  writer.name(kSort);
  writer.number(number % kPartitionItems);
  return std::move(writer).finish();
}

Item big_item(std::uint64_t number) {
  Random random(number + 1);
  return {{kPartition, partition_of(number)},
          {kSort, number % kPartitionItems},
          {"active", true},
          {"address", Map{{"city", "Trieste"}, {"street", prose(number, 30)}, {"zip", "34121"}}},
          {"count", 0},
          {"created", 1'700'000'000 + random.below(100'000'000)},
          {"group", "group#" + std::to_string(number / kPartitionItems * 7 % 1000)},
          {"notes", prose(number + 2, 850)},
          {"price", Number::from_parts(false, random.below(100'000) + 1, -2)},
          {"state", "shipped"},
          {"tags", need(StringSet::of({"blue", "fragile", "gift"}), "a set")}};
}

PackedItem small_item(const std::string& partition, std::uint64_t sort, std::uint64_t variant) {
  constexpr std::size_t kNotesBytes = 80;
  static const std::string text = prose(1, 65'536);
  Random random(variant ^ sort ^ std::hash<std::string>{}(partition));
  ItemWriter writer;
  writer.name("count");
  writer.number(0);
  writer.name("notes");
  writer.string(std::string_view(text).substr(random.below(text.size() - kNotesBytes), kNotesBytes));
  writer.name(kPartition);
  writer.string(partition);
  writer.name(kSort);
  writer.number(sort);
  writer.name("state");
  writer.string("shipped");
  return std::move(writer).finish();
}

void give_up(const char* what, const std::string& why) {
  std::fprintf(stderr, "bench: %s: %s\n", what, why.c_str());
  std::_Exit(1);
}

ValueView attribute(const PackedItem& item, std::string_view name) {
  const auto found = item.find(name);
  if (!found) give_up("attribute", "an item lacks " + std::string(name));
  return *found;
}

CreateTableRequest table_definition(const std::string& name, Indexes indexes) {
  CreateTableRequest request{.table_name = name,
                             .attribute_definitions = {{kPartition, Type::String}, {kSort, Type::Number}},
                             .key_schema = {{kPartition, KeyType::Hash}, {kSort, KeyType::Range}}};
  if (indexes == Indexes::ByGroup) {
    request.attribute_definitions.push_back({"group", Type::String});
    request.global_indexes = {
        {.name = "by-group", .key_schema = {{"group", KeyType::Hash}, {kSort, KeyType::Range}}}};
  }
  return request;
}

std::filesystem::path fresh_directory(const std::string& name) {
  static Directories directories;
  const char* chosen = std::getenv("TAVOLA_BENCH_DIR");  // NOLINT(concurrency-mt-unsafe): never set
  const std::filesystem::path root = chosen != nullptr ? chosen : std::filesystem::temp_directory_path();
  const auto path = root / ("tavola-" + name + "-" + std::to_string(getpid()));
  std::filesystem::remove_all(path);
  std::filesystem::create_directories(root);
  directories.paths.push_back(path);
  return path;
}

std::int64_t process_cpu_ns() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return time.tv_sec * 1'000'000'000 + time.tv_nsec;
}

void wait_until_idle() {
  using namespace std::chrono_literals;
  constexpr std::int64_t kIdleNs = 10'000'000;  // per look: under 5 % of a core
  for (int looks = 0; looks < 600; ++looks) {
    const std::int64_t before = process_cpu_ns();
    std::this_thread::sleep_for(200ms);
    if (process_cpu_ns() - before < kIdleNs) return;
  }
}

}  // namespace tavola::bench
