#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>

#include "bench/data.h"
#include "bench/scale.h"

namespace tavola::bench {

namespace {

constexpr std::uint64_t kItems = 50'000;

std::uintmax_t bytes_below(const std::filesystem::path& directory) {
  std::uintmax_t bytes = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(directory)) {
    if (entry.is_regular_file()) bytes += entry.file_size();
  }
  return bytes;
}

// Returns the resident memory of this process, including program and libraries, by the kernel's account.
std::int64_t resident_kilobytes() {
  std::ifstream in("/proc/self/status");
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("VmRSS:")) return std::stoll(line.substr(sizeof("VmRSS:")));
  }
  return -1;
}

// Opens, reads one item, closes. Returns the milliseconds until the response to the read: the best of
// several.
double open_milliseconds(const std::filesystem::path& directory, const GetItemRequest& request) {
  double best = 1e9;
  for (int i = 0; i < 5; ++i) {
    const auto start = std::chrono::steady_clock::now();
    const auto db = need(open(directory), "open");
    need(db->get_item(request), "get");
    best = std::min(
        best, std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
  }
  return best;
}

}  // namespace

void run_footprint() {
  const auto empty_directory = fresh_directory("empty");
  auto empty = need(open(empty_directory), "open");
  need(empty->create_table(table_definition("items", Indexes::None)), "create");
  const std::int64_t idle_kilobytes = resident_kilobytes();
  empty.reset();
  const double empty_ms = open_milliseconds(empty_directory, {.table_name = "items", .key = key_of(0)});

  // The default durability would take a minute for nothing: the bytes are the same.
  const auto directory = fresh_directory("footprint");
  auto db = need(open(directory, {.durability = Durability::Relaxed}), "open");
  need(db->create_table(table_definition("items", Indexes::None)), "create");
  std::uint64_t item_bytes = 0;
  for (std::uint64_t number = 0; number < kItems; ++number) {
    PackedItem item = need(pack(big_item(number)), "pack");
    item_bytes += item_size(item.view());
    need(db->put_item({.table_name = "items", .item = std::move(item)}), "put");
  }
  wait_until_idle();
  const std::uintmax_t disk_bytes = bytes_below(directory);
  db.reset();
  const double full_ms = open_milliseconds(directory, {.table_name = "items", .key = key_of(1)});
  std::printf(
      "{\"items\": %llu, \"item_bytes\": %.1f, \"disk_bytes_per_item\": %.1f, \"open_empty_ms\": %.2f, "
      "\"open_full_ms\": %.2f, \"idle_kilobytes\": %lld}\n",
      static_cast<unsigned long long>(kItems), static_cast<double>(item_bytes) / static_cast<double>(kItems),
      static_cast<double>(disk_bytes) / static_cast<double>(kItems), empty_ms, full_ms,
      static_cast<long long>(idle_kilobytes));
}

}  // namespace tavola::bench
