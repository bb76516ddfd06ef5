// Measurements that cannot be a loop of Google Benchmark: the growth of cost with the number of items, and
// the footprint of a database. Each prints progress on stderr, and one JSON object on stdout at the end.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tavola::bench {

// Fills a database with up to `items` small items, and raw RocksDB with as many entries of their size; at 10
// thousand, 100 thousand, ... measures CPU and wall time per operation.
void run_curve(std::uint64_t items, std::size_t cache_bytes);

// Measures bytes on the disk per item of 1 KB, time to open, memory of an open and idle database.
void run_footprint();

}  // namespace tavola::bench
