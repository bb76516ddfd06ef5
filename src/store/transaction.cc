#include "store/transaction.h"

#include <iterator>

namespace tavola::store {

void TransactionKeys::extend(std::vector<std::string> further) {
  if (owned_.empty()) owned_.assign(keys_.begin(), keys_.end());
  std::ranges::move(further, std::back_inserter(owned_));
  keys_ = owned_;
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
