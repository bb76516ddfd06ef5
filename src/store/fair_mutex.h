// FairSharedMutex: a shared mutex without starvation. glibc's lets readers overtake a waiting writer for ever, and the
// guards of a busy table are held without a gap; here a waiting thread keeps later ones from entering.
#pragma once

#include "base/locks.h"

namespace tavola::store {

class TAVOLA_CAPABILITY("shared_mutex") FairSharedMutex {
 public:
  void lock() TAVOLA_ACQUIRE() TAVOLA_NO_THREAD_SAFETY_ANALYSIS {
    const MutexLock entrance(entrance_);
    mutex_.lock();
  }
  void lock_shared() TAVOLA_ACQUIRE_SHARED() TAVOLA_NO_THREAD_SAFETY_ANALYSIS {
    const MutexLock entrance(entrance_);
    mutex_.lock_shared();
  }
  void unlock() TAVOLA_RELEASE() TAVOLA_NO_THREAD_SAFETY_ANALYSIS { mutex_.unlock(); }
  void unlock_shared() TAVOLA_RELEASE_SHARED() TAVOLA_NO_THREAD_SAFETY_ANALYSIS { mutex_.unlock_shared(); }

 private:
  Mutex entrance_;
  SharedMutex mutex_;
};

class TAVOLA_SCOPED_CAPABILITY FairExclusiveLock {
 public:
  explicit FairExclusiveLock(FairSharedMutex& mutex) TAVOLA_ACQUIRE(mutex) : mutex_(mutex) { mutex_.lock(); }
  ~FairExclusiveLock() TAVOLA_RELEASE() { mutex_.unlock(); }
  FairExclusiveLock(const FairExclusiveLock&) = delete;
  FairExclusiveLock& operator=(const FairExclusiveLock&) = delete;

 private:
  FairSharedMutex& mutex_;
};

class TAVOLA_SCOPED_CAPABILITY FairSharedLock {
 public:
  explicit FairSharedLock(FairSharedMutex& mutex) TAVOLA_ACQUIRE_SHARED(mutex) : mutex_(mutex) {
    mutex_.lock_shared();
  }
  ~FairSharedLock() TAVOLA_RELEASE() { mutex_.unlock_shared(); }
  FairSharedLock(const FairSharedLock&) = delete;
  FairSharedLock& operator=(const FairSharedLock&) = delete;

 private:
  FairSharedMutex& mutex_;
};

}  // namespace tavola::store
