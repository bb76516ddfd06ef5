#include "transfer/exports/hidden_tables.h"

namespace tavola::transfer {

bool HiddenTables::add_import(const std::string& table) {
  const MutexLock lock(mutex_);
  const bool is_new = importing_.insert(table).second;
  count();
  return is_new;
}

void HiddenTables::end_import(const std::string& table) {
  const MutexLock lock(mutex_);
  importing_.erase(table);
  count();
}

bool HiddenTables::is_importing(std::string_view table) const {
  if (count_ == 0) return false;
  const MutexLock lock(mutex_);
  return importing_.contains(table);
}

void HiddenTables::add_scratch(const std::string& table) {
  const MutexLock lock(mutex_);
  scratch_.insert(table);
  count();
}

bool HiddenTables::is_scratch(std::string_view table) const {
  if (count_ == 0) return false;
  const MutexLock lock(mutex_);
  return scratch_.contains(table);
}

void HiddenTables::leave_scratch_out(std::vector<std::string>& tables) const {
  if (count_ == 0) return;
  const MutexLock lock(mutex_);
  std::erase_if(
      tables, [this](const std::string& table) TAVOLA_REQUIRES(mutex_) { return scratch_.contains(table); });
}

}  // namespace tavola::transfer
