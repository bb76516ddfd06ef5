#include "store/transaction.h"

#include <iterator>

namespace tavola::store {

void TransactionReads::extend(Decision incomplete) {
  if (owned_keys_.empty()) owned_keys_.assign(keys_.begin(), keys_.end());
  std::ranges::move(incomplete.further_keys, std::back_inserter(owned_keys_));
  std::ranges::move(incomplete.further_ranges, std::back_inserter(ranges_));
  keys_ = owned_keys_;
}

Result<RangeEntries> first_entries(Cursor& cursor, const RangeRead& read) {
  RangeEntries entries;
  std::size_t bytes = 0;
  for (; cursor.valid() && entries.size() < read.entries_max && bytes < read.bytes_max; cursor.next()) {
    bytes += cursor.value().size();
    entries.push_back({std::string(cursor.key()), std::string(cursor.value())});
  }
  TAVOLA_CHECK(cursor.status());
  return entries;
}

Result<std::vector<RangeEntries>> read_ranges(const Snapshot& snapshot, std::span<const RangeRead> ranges) {
  std::vector<RangeEntries> all;
  all.reserve(ranges.size());
  for (const RangeRead& read : ranges) {
    TAVOLA_TRY(all.emplace_back(), first_entries(*snapshot.range(read.range, read.direction), read));
  }
  return all;
}

Result<void> check_writes(std::span<const Write> writes) {
  for (const Write& write : writes) {
    const bool ends_with_key = write.kind == Write::Kind::EraseRange;
    const std::size_t longest = std::max(write.key.size(), ends_with_key ? write.value.size() : 0);
    if (longest > kKeyBytesMax) {
      return fail(
          Error::internal("a key of " + std::to_string(longest) + " bytes is too long for the store"));
    }
    if (write.key.starts_with(kReservedPrefix) && !ends_with_key) {
      return fail(Error::internal("a write names a key that is reserved for the store"));
    }
    if (write.kind == Write::Kind::Append && write.key.size() <= sizeof(std::uint64_t)) {
      return fail(Error::internal("an append needs a prefix"));
    }
    if (write.kind == Write::Kind::Add && write.value.size() % sizeof(std::int64_t) != 0) {
      return fail(Error::internal("counters to add take a multiple of 8 bytes"));
    }
  }
  return {};
}

Error guard_is_stale() { return {ErrorCode::Stale, "a guarded value changed concurrently"}; }

Error rule_is_never_done() {
  return {ErrorCode::TransactionConflict,
          "Too many concurrent writes to related items; the write was abandoned. Try again."};
}

}  // namespace tavola::store
