#include "store/rocks/guard_mirror.h"

namespace tavola::store {

std::optional<bool> GuardMirror::holds(const Guard& guard) const {
  const Shard& shard = shards_[Hash{}(guard.key) % kShards];
  const SharedLock lock(shard.mutex);
  const auto found = shard.values.find(guard.key);
  if (found == shard.values.end()) return std::nullopt;
  return guard.expected.empty() ? !found->second : found->second == guard.expected;
}

GuardMirror::Ticket GuardMirror::expect(std::string_view key) {
  const Ticket ticket = forgotten_.load();
  marks_[Hash{}(key) % kMarks].store(true);
  return ticket;
}

void GuardMirror::remember(std::string_view key, std::optional<std::string_view> value, Ticket ticket) {
  if (value && value->size() > kValueBytesMax) return;
  Shard& shard = shards_[Hash{}(key) % kShards];
  const ExclusiveLock lock(shard.mutex);
  if (forgotten_.load() != ticket) return;
  if (shard.values.size() >= kValuesPerShardMax) shard.values.clear();
  shard.values.insert_or_assign(std::string(key), value);
}

void GuardMirror::forget(std::span<const Write> writes) {
  for (const Write& write : writes) {
    if (write.kind == Write::Kind::EraseRange) {
      forget_range(write.key, write.value);
      continue;
    }
    const std::size_t hash = Hash{}(write.key);
    if (!marks_[hash % kMarks].load()) continue;
    forgotten_.fetch_add(1);
    Shard& shard = shards_[hash % kShards];
    const ExclusiveLock lock(shard.mutex);
    if (const auto found = shard.values.find(write.key); found != shard.values.end())
      shard.values.erase(found);
  }
}

void GuardMirror::forget_range(std::string_view from, std::string_view to) {
  forgotten_.fetch_add(1);
  for (Shard& shard : shards_) {
    const ExclusiveLock lock(shard.mutex);
    std::erase_if(shard.values,
                  [&](const auto& value) { return value.first >= from && (to.empty() || value.first < to); });
  }
}

}  // namespace tavola::store
