// The tables that jobs work on: those under import, which do not exist yet for clients, and the temporary ones of
// exports of the past, which no client sees. Every request checks them, so this never waits for a disk.
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
  // Returns whether it was not hidden before.
  bool add_import(const std::string& table);
  void end_import(const std::string& table);
  bool is_importing(std::string_view table) const;

  // Hides the table until the program ends, also when it is deleted: a list may be read before the deletion, or
  // show the durable state before it. No other table gets its name.
  void add_scratch(const std::string& table);
  bool is_scratch(std::string_view table) const;
  void leave_scratch_out(std::vector<std::string>& tables) const;

 private:
  using Names = std::set<std::string, std::less<>>;
  void count() TAVOLA_REQUIRES(mutex_) { count_ = importing_.size() + scratch_.size(); }

  mutable Mutex mutex_;
  Names importing_ TAVOLA_GUARDED_BY(mutex_);
  Names scratch_ TAVOLA_GUARDED_BY(mutex_);
  std::atomic<std::size_t> count_ = 0;  // of both: usually 0, which skips the lookup
};

}  // namespace tavola::transfer
