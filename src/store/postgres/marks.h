// Marks of transactions, by which one whose commit was not answered is found again. Each is written in its transaction, under a key that no
// other transaction uses at that time:
//
//   ff ff ff ff 'm' <store, 16 bytes> <place u64>  →  <seconds since 1970 u64> <number u64>
//
// A store erases its marks when it is closed, and those that others left behind a day later.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/locks.h"
#include "store/store.h"

namespace tavola::store {

// Thread safety: all methods.
class Marks {
 public:
  Marks();

  struct Mark {
    std::uint32_t place;
    std::string key;
    std::string value;
  };
  // Returns a new mark, under a key that is free. The key is used until release().
  Mark take();
  void release(const Mark& mark);

  // Every mark of this store, and every mark of any that is older than a day.
  KeyRange own() const;
  static KeyRange all();
  static bool is_old(std::string_view value);

 private:
  const std::string prefix_;
  Mutex mutex_;
  std::uint64_t number_ TAVOLA_GUARDED_BY(mutex_) = 0;
  std::uint32_t places_ TAVOLA_GUARDED_BY(mutex_) = 0;
  std::vector<std::uint32_t> free_ TAVOLA_GUARDED_BY(mutex_);
};

}  // namespace tavola::store
