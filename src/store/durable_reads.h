// DurableReads: lets a request that only reads be answered without waiting for what others write.
//
// No answer may show what a power cut could take back. A request that writes is therefore answered when everything it can
// have seen is on the disk (Store::when_durable). A request that only reads sees the durable state instead, which is the
// store as the last finished sync found it. It is answered at once, also while a sync hangs and after one has failed.
//
//   std::optional<store::DurableReads> reads(std::in_place);
//   Answer answer = run(request);
//   if (reads->saw_only_durable()) send(answer); else store.when_durable(... send(answer) ...);
//
// Reads stay linearizable: a write becomes visible to such reads before the one who wrote is answered.
//
// Only Store::get_for_answer() and snapshot_for_answer() read the durable state. Any other look at the store, by code that
// decides what to write or does not know of this class, ends it: from then on the thread reads the latest state, and
// saw_only_durable() is false. Whoever keeps something of the store in memory calls end() when that is not durable yet.
#pragma once

#include "base/assert.h"

namespace tavola::store {

// Belongs to one thread, and is about the reads of that thread while it lives. A thread has one at a time.
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

  // Whether this thread is to read the durable state.
  static bool active() { return current != nullptr && !current->is_ended_; }
  static void end() {
    if (current != nullptr) current->is_ended_ = true;
  }

 private:
  static inline thread_local constinit DurableReads* current = nullptr;
  bool is_ended_ = false;
};

}  // namespace tavola::store
