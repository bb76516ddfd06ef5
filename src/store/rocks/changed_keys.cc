#include "store/rocks/changed_keys.h"

#include <utility>

namespace tavola::store {

void ChangedKeys::Changes::add(const Changes& others) {
  for (const std::string& key : others.keys) {
    if (keys.insert(key).second) bytes += key.size();
  }
  ranges.insert(ranges.end(), others.ranges.begin(), others.ranges.end());
  if (bytes < kBytesMax && ranges.size() < kBytesMax / 1024) return;
  keys.clear();
  ranges = {KeyRange{}};
  bytes = 0;
}

ChangedKeys::Mark ChangedKeys::begin() {
  const MutexLock lock(mutex_);
  segments_.emplace(++last_, Changes{});
  has_marks_ = true;
  return last_;
}

void ChangedKeys::end(Mark mark) {
  const MutexLock lock(mutex_);
  const auto ended = segments_.find(mark);
  if (ended == segments_.end()) return;
  if (ended != segments_.begin()) std::prev(ended)->second.add(ended->second);
  segments_.erase(ended);
  has_marks_ = !segments_.empty();
}

void ChangedKeys::note(std::span<const Write> writes) {
  if (!has_marks_.load(std::memory_order_relaxed)) return;
  Changes noted;
  for (const Write& write : writes) {
    if (write.kind == Write::Kind::EraseRange) {
      noted.ranges.push_back({write.key, write.value});
    } else {
      noted.keys.insert(write.key);
    }
  }
  const MutexLock lock(mutex_);
  if (!segments_.empty()) segments_.rbegin()->second.add(noted);
}

ChangedKeys::Changes ChangedKeys::since(Mark mark) const {
  const MutexLock lock(mutex_);
  Changes changes;
  for (auto segment = segments_.find(mark); segment != segments_.end(); ++segment)
    changes.add(segment->second);
  return changes;
}

}  // namespace tavola::store
