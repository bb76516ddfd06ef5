#include "store/append_order.h"

#include <algorithm>
#include <vector>

namespace tavola::store {
namespace {

constexpr std::size_t kNumberBytes = sizeof(std::uint64_t);

bool appends(const Write& write) { return write.kind == Write::Kind::Append; }

std::string_view prefix_of(std::string_view key) { return key.substr(0, key.size() - kNumberBytes); }

// Big-endian, so that keys sort by their numbers.
std::uint64_t number_in(std::string_view key) {
  std::uint64_t number = 0;
  for (const char byte : key.substr(key.size() - kNumberBytes))
    number = number << 8U | static_cast<unsigned char>(byte);
  return number;
}

void put_number(std::string& key, std::uint64_t number) {
  for (std::size_t i = 0; i < kNumberBytes; ++i)
    key[key.size() - 1 - i] = static_cast<char>(number >> (8U * i));
}

}  // namespace

Write Write::append(std::string prefix, std::uint64_t least, std::string value) {
  prefix.append(kNumberBytes, '\0');
  put_number(prefix, least);
  return {Kind::Append, std::move(prefix), std::move(value)};
}

std::uint64_t appended_number(std::string_view key) { return number_in(key); }

Result<AppendOrder::Ticket> AppendOrder::number(std::span<Write> writes) {
  if (std::ranges::none_of(writes, appends)) return Ticket();
  std::uint64_t least = 0;
  std::uint64_t count = 0;
  for (const Write& write : writes) {
    if (!appends(write)) continue;
    TAVOLA_CHECK(know(prefix_of(write.key)));
    least = std::max(least, number_in(write.key));
    ++count;
  }
  std::uint64_t first = 0;
  {
    const MutexLock lock(mutex_);
    first = std::max(next_, least);
    next_ = first + count;
    running_.insert(running_.end(), first);
  }
  Ticket ticket(*this, first);
  for (Write& write : writes) {
    if (!appends(write)) continue;
    put_number(write.key, first++);
    write.kind = Write::Kind::Put;
  }
  return ticket;
}

Result<std::uint64_t> AppendOrder::settled(std::string_view prefix) {
  TAVOLA_CHECK(know(prefix));
  const MutexLock lock(mutex_);
  return running_.empty() ? next_ : *running_.begin();
}

// No append is running under an unknown prefix.
Result<void> AppendOrder::know(std::string_view prefix) {
  {
    const MutexLock lock(mutex_);
    if (known_.contains(prefix)) return {};
  }
  TAVOLA_TRY(const std::uint64_t first_free, first_free_(prefix));
  const MutexLock lock(mutex_);
  next_ = std::max(next_, first_free);
  known_.emplace(prefix);
  return {};
}

void AppendOrder::end(std::uint64_t first) {
  const MutexLock lock(mutex_);
  running_.erase(first);
}

Result<std::uint64_t> first_free_number(const Store& store, std::string_view prefix) {
  const std::string from(prefix);
  const std::string to = from + std::string(kNumberBytes + 1, '\xff');
  const auto snapshot = store.snapshot();
  const auto cursor = snapshot->range({from, to}, Direction::Backward);
  const std::uint64_t number = cursor->valid() ? number_in(cursor->key()) + 1 : 0;
  TAVOLA_CHECK(cursor->status());
  return number;
}

}  // namespace tavola::store
