// RequestGate: lets requests through, many at once, and keeps them out while the state of the database is replaced
// (branches.h). So a request sees the old state or the new one, never both.
#pragma once

#include <functional>

#include "store/fair_mutex.h"

namespace tavola::server {

// Thread safety: all methods.
class RequestGate {
 public:
  // A request holds it while it uses the database; on one thread, they may be nested. Null: there is no gate.
  class Passage {
   public:
    explicit Passage(RequestGate* gate) TAVOLA_NO_THREAD_SAFETY_ANALYSIS;
    ~Passage() TAVOLA_NO_THREAD_SAFETY_ANALYSIS;
    Passage(const Passage&) = delete;
    Passage& operator=(const Passage&) = delete;

   private:
    RequestGate* const gate_;
  };

  // Waits until no request holds a passage, and keeps later ones out until `work` is done. The calling thread holds none.
  template <class Work>
  auto alone(const Work& work) {
    const store::FairExclusiveLock lock(mutex_);
    return work();
  }

 private:
  store::FairSharedMutex mutex_;
};

}  // namespace tavola::server
