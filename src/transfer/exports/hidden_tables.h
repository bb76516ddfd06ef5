// Tables that jobs are at work on: those that are being imported, which are not there yet, and those that exports of the past make
// for themselves, which are nobody's. Every request asks, so that nobody waits here for a disk.
#pragma once

#include <atomic>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/locks.h"

namespace tavola::transfer {

// Thread safety: all methods.
class HiddenTables {
 public:
  // Whether it was none yet.
  bool add_import(const std::string& table);
  void end_import(const std::string& table);
  bool is_importing(std::string_view table) const;

  void add_scratch(const std::string& table);
  void end_scratch(const std::string& table);
  void leave_scratch_out(std::vector<std::string>& tables) const;

 private:
  using Names = std::set<std::string, std::less<>>;
  void count() TAVOLA_REQUIRES(mutex_) { count_ = importing_.size() + scratch_.size(); }

  mutable Mutex mutex_;
  Names importing_ TAVOLA_GUARDED_BY(mutex_);
  Names scratch_ TAVOLA_GUARDED_BY(mutex_);
  std::atomic<std::size_t> count_ = 0;  // of both: mostly none, and nobody has to look
};

}  // namespace tavola::transfer
