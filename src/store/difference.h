// The writes that turn one state of a store into another.
#pragma once

#include <cstddef>
#include <vector>

#include <tavola/error.h>

#include "store/store.h"

namespace tavola::store {

// Collects the writes that turn `now` into `wanted`.
// Fails with LimitExceeded when the writes have more bytes than one commit should have.
class Difference {
 public:
  Difference(const Snapshot& now, const Snapshot& wanted) : now_(now), wanted_(wanted) {}

  Result<void> add_key(const std::string& key);
  Result<void> add_range(const KeyRange& range);

  std::vector<Write> take_writes() { return std::move(writes_); }

  static constexpr std::size_t kBytesMax = std::size_t{1} << 30U;

 private:
  Result<void> add(Write write);

  const Snapshot& now_;
  const Snapshot& wanted_;
  std::vector<Write> writes_;
  std::size_t bytes_ = 0;
};

}  // namespace tavola::store
