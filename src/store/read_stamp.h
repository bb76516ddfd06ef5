// ReadStamp: what of a store with several processes may be remembered.
//
// Every commit that writes an entry under kStampedPrefix also changes the stamp of the store, and every read sees it, at no cost of its own.
// So entries there may be remembered together with the stamp that was seen when they were read: while other reads see the same stamp,
// they have not changed.
//
//   const ReadStamp watch;
//   ... store.get_for_answer(key), snapshots
//   watch.seen()     the stamp that all of these saw
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tavola::store {

// Watches the reads of this thread while it exists. Nothing is seen of a store that is not shared (Store::is_shared).
class ReadStamp {
 public:
  ReadStamp() : outer_(current_) { current_ = this; }
  ~ReadStamp() { current_ = outer_; }
  ReadStamp(const ReadStamp&) = delete;
  ReadStamp& operator=(const ReadStamp&) = delete;

  // Returns the stamp that every read so far saw; nullopt if there was none, or it changed.
  std::optional<std::string> seen() const { return changed_ ? std::nullopt : stamp_; }

  // By stores.
  static void note(std::string_view stamp) {
    for (ReadStamp* watch = current_; watch != nullptr; watch = watch->outer_) {
      if (!watch->stamp_) watch->stamp_ = stamp;
      watch->changed_ = watch->changed_ || watch->stamp_ != stamp;
    }
  }

 private:
  static inline thread_local ReadStamp* current_ = nullptr;
  ReadStamp* const outer_;
  std::optional<std::string> stamp_;
  bool changed_ = false;
};

}  // namespace tavola::store
