// Mutexes that clang's -Wthread-safety understands (libstdc++'s carry no annotations). g++ sees plain
// mutexes.
//
//   Mutex mutex_;
//   std::deque<Waiter*> queue_ TAVOLA_GUARDED_BY(mutex_);
//   ...
//   MutexLock lock(mutex_);
#pragma once

#include <mutex>
#include <shared_mutex>

#ifdef __clang__
#define TAVOLA_THREAD_ANNOTATION(x) __attribute__((x))
#else
#define TAVOLA_THREAD_ANNOTATION(x)
#endif

#define TAVOLA_CAPABILITY(name) TAVOLA_THREAD_ANNOTATION(capability(name))
#define TAVOLA_SCOPED_CAPABILITY TAVOLA_THREAD_ANNOTATION(scoped_lockable)
#define TAVOLA_GUARDED_BY(mutex) TAVOLA_THREAD_ANNOTATION(guarded_by(mutex))
#define TAVOLA_REQUIRES(...) TAVOLA_THREAD_ANNOTATION(requires_capability(__VA_ARGS__))
#define TAVOLA_ACQUIRE(...) TAVOLA_THREAD_ANNOTATION(acquire_capability(__VA_ARGS__))
#define TAVOLA_RELEASE(...) TAVOLA_THREAD_ANNOTATION(release_capability(__VA_ARGS__))
#define TAVOLA_TRY_ACQUIRE(...) TAVOLA_THREAD_ANNOTATION(try_acquire_capability(__VA_ARGS__))
#define TAVOLA_ACQUIRE_SHARED(...) TAVOLA_THREAD_ANNOTATION(acquire_shared_capability(__VA_ARGS__))
#define TAVOLA_RELEASE_SHARED(...) TAVOLA_THREAD_ANNOTATION(release_shared_capability(__VA_ARGS__))
#define TAVOLA_NO_THREAD_SAFETY_ANALYSIS TAVOLA_THREAD_ANNOTATION(no_thread_safety_analysis)

namespace tavola {

class TAVOLA_CAPABILITY("mutex") Mutex {
 public:
  void lock() TAVOLA_ACQUIRE() { mutex_.lock(); }
  bool try_lock() TAVOLA_TRY_ACQUIRE(true) { return mutex_.try_lock(); }
  void unlock() TAVOLA_RELEASE() { mutex_.unlock(); }

 private:
  std::mutex mutex_;
};

class TAVOLA_CAPABILITY("shared_mutex") SharedMutex {
 public:
  void lock() TAVOLA_ACQUIRE() { mutex_.lock(); }
  bool try_lock() TAVOLA_TRY_ACQUIRE(true) { return mutex_.try_lock(); }
  void unlock() TAVOLA_RELEASE() { mutex_.unlock(); }
  void lock_shared() TAVOLA_ACQUIRE_SHARED() { mutex_.lock_shared(); }
  void unlock_shared() TAVOLA_RELEASE_SHARED() { mutex_.unlock_shared(); }

 private:
  std::shared_mutex mutex_;
};

class TAVOLA_SCOPED_CAPABILITY MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) TAVOLA_ACQUIRE(mutex) : mutex_(mutex) { mutex_.lock(); }
  ~MutexLock() TAVOLA_RELEASE() { mutex_.unlock(); }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

 private:
  Mutex& mutex_;
};

class TAVOLA_SCOPED_CAPABILITY ExclusiveLock {
 public:
  explicit ExclusiveLock(SharedMutex& mutex) TAVOLA_ACQUIRE(mutex) : mutex_(mutex) { mutex_.lock(); }
  ~ExclusiveLock() TAVOLA_RELEASE() { mutex_.unlock(); }
  ExclusiveLock(const ExclusiveLock&) = delete;
  ExclusiveLock& operator=(const ExclusiveLock&) = delete;

 private:
  SharedMutex& mutex_;
};

class TAVOLA_SCOPED_CAPABILITY SharedLock {
 public:
  explicit SharedLock(SharedMutex& mutex) TAVOLA_ACQUIRE_SHARED(mutex) : mutex_(mutex) {
    mutex_.lock_shared();
  }
  ~SharedLock() TAVOLA_RELEASE() { mutex_.unlock_shared(); }
  SharedLock(const SharedLock&) = delete;
  SharedLock& operator=(const SharedLock&) = delete;

 private:
  SharedMutex& mutex_;
};

}  // namespace tavola
