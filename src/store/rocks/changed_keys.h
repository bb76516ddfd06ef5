// ChangedKeys: which keys were written since some marks, so that returning to the state of a mark costs what changed and not
// what is stored (Store::return_to). While there is no mark, noting a write is one comparison.
//
// Thread safety: all methods.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/locks.h"
#include "store/store.h"

namespace tavola::store {

class ChangedKeys {
 public:
  using Mark = std::uint64_t;

  struct Changes {
    std::set<std::string, std::less<>> keys{};
    std::vector<KeyRange> ranges{};  // any of their keys may have changed
    std::size_t bytes = 0;

    void add(const Changes& others);
  };

  // Begins a new mark: later writes are noted until it ends.
  Mark begin();
  void end(Mark mark);
  void note(std::span<const Write> writes);
  // Returns what was noted since a mark.
  Changes since(Mark mark) const;

  // More keys than this are no longer noted one by one: then every key may have changed.
  static constexpr std::size_t kBytesMax = std::size_t{64} << 20U;

 private:
  std::atomic<bool> has_marks_ = false;
  mutable Mutex mutex_;
  // The changes from each mark to the next one.
  std::map<Mark, Changes> segments_ TAVOLA_GUARDED_BY(mutex_);
  Mark last_ TAVOLA_GUARDED_BY(mutex_) = 0;
};

}  // namespace tavola::store
