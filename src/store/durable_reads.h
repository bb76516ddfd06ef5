// DurableReads: lets a read-only request be answered without waiting for concurrent writes.
//
// No response may show data that a power cut could take back. A request that writes is therefore answered once
// everything it can have seen is on disk (Store::when_durable). A read-only request reads the durable state instead:
// the store as of the last finished sync. It is answered at once, even while a sync hangs and after one has failed.
//
//   std::optional<store::DurableReads> reads(std::in_place);
//   Answer answer = run(request);
//   if (reads->saw_only_durable()) send(answer); else store.when_durable(... send(answer) ...);
//
// Reads stay linearizable: a write becomes visible to such reads before its writer is answered.
//
// Only Store::get_for_answer() and snapshot_for_answer() read the durable state. Any other read of the store, by code
// that decides what to write or does not know this class, ends it: from then on the thread reads the latest state, and
// saw_only_durable() is false. Code that caches store data in memory calls end() if that data is not durable yet.
#pragma once

#include "base/assert.h"

namespace tavola::store {

// Belongs to one thread and applies to its reads while it lives. A thread has at most one.
class DurableReads {
 public:
  DurableReads() {
    TAVOLA_ASSERT(current == nullptr);
    current = this;
  }
  ~DurableReads() { current = nullptr; }
  DurableReads(const DurableReads&) = delete;
  DurableReads& operator=(const DurableReads&) = delete;

  bool saw_only_durable() const { return !is_ended_; }

  // Returns whether this thread must read the durable state.
  static bool active() { return current != nullptr && !current->is_ended_; }
  static void end() {
    if (current != nullptr) current->is_ended_ = true;
  }

 private:
  static inline thread_local constinit DurableReads* current = nullptr;
  bool is_ended_ = false;
};

}  // namespace tavola::store
