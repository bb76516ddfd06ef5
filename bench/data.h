// The data of the benchmarks: equal items for every database, made from their number alone.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <tavola/database.h>

namespace tavola::bench {

inline constexpr const char* kPartition = "pk";
inline constexpr const char* kSort = "sk";
inline constexpr std::uint64_t kPartitionItems = 100;  // items per partition: number / 100 is the partition

// A xorshift generator: a few cycles, so that it does not affect the measurement.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15U + 0x2545F4914F6CDD1DU) {}
  std::uint64_t next() {
    state_ ^= state_ << 13U;
    state_ ^= state_ >> 7U;
    state_ ^= state_ << 17U;
    return state_;
  }
  std::uint64_t below(std::uint64_t count) { return next() % count; }

 private:
  std::uint64_t state_;
};

std::string partition_of(std::uint64_t number);
PackedItem key_of(std::uint64_t number);
// Returns an item of about 1 KB: eleven attributes of several types, 850 bytes of them text that compresses
// like prose.
Item big_item(std::uint64_t number);
// Returns an item of about 150 bytes: five attributes. Cheap to make, so that it does not affect the
// measurement. Items of one key with different variants differ.
PackedItem small_item(const std::string& partition, std::uint64_t sort, std::uint64_t variant = 0);

// Prints the failure and ends the program.
[[noreturn]] void give_up(const char* what, const std::string& why);

// Returns the value of a result, or ends the program.
template <class T>
T need(Result<T> result, const char* what) {
  if (!result) [[unlikely]]
    give_up(what, result.error().message());
  if constexpr (!std::is_void_v<T>) return *std::move(result);
}

// Returns an attribute that must exist.
ValueView attribute(const PackedItem& item, std::string_view name);

// Table "items": pk (S), sk (N). With `indexed`, also the global index "by-group" on `group` (S) and sk,
// everything projected; one hundred items share a group.
enum class Indexes : std::uint8_t { None, ByGroup };
CreateTableRequest table_definition(const std::string& name, Indexes indexes);

// Returns a fresh directory below $TAVOLA_BENCH_DIR (or the system's temporary directory), removed when the
// program ends.
std::filesystem::path fresh_directory(const std::string& name);

// Returns the CPU time of this process in nanoseconds, all threads.
std::int64_t process_cpu_ns();
// Waits until the store's background work has ended: the process uses (almost) no CPU, for at most two
// minutes.
void wait_until_idle();

}  // namespace tavola::bench
