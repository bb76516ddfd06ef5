// Counters: the values that Write::add stores under a key.
//
//   [int64, little endian] ...     one after the other; counters past the end count as zero
//
// Addition wraps around instead of overflowing: it is associative and commutative, so that RocksDB may merge
// the deltas of many writers in any grouping.
#pragma once

#include <string>
#include <string_view>

namespace tavola::store {

// Adds `deltas` to `total`, element by element, and extends `total` if it is shorter. Returns false and leaves `total`
// unchanged if either is not a list of counters.
[[nodiscard]] bool add_counters(std::string& total, std::string_view deltas);

}  // namespace tavola::store
