// What cannot be a loop of Google Benchmark: how cost grows with the number of items, and what a database
// weighs. Each prints for people on stderr while it works, and one JSON object on stdout at the end.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tavola::bench {

// Fills a database with up to `items` small items, and raw RocksDB with as many entries of their size; at 10
// thousand, 100 thousand, ... measures CPU and wall time per operation.
void run_curve(std::uint64_t items, std::size_t cache_bytes);

// Bytes on the disk per item of 1 KB, time to open, memory of an open and idle database.
void run_footprint();

}  // namespace tavola::bench
