// Touches a guarded value without its lock. Never compiled into anything: clang must refuse it.
#include "base/locks.h"

class Counter {
 public:
  void add() { ++count_; }

 private:
  tavola::Mutex mutex_;
  int count_ TAVOLA_GUARDED_BY(mutex_) = 0;
};

int main() { Counter().add(); }
