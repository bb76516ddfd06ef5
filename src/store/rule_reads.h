// The reads of the rule of one transaction: the keys that it begins with, and further keys and ranges (Store::transact). What was not
// read yet is asked for, and the rule is called again with it.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "store/store.h"

namespace tavola::store {

// Remembers between the calls of a rule which keys and ranges it asked for, and nothing else.
class RuleReads {
 public:
  // Sets the keys that the transaction begins with, in the order of the view: the first `written` are those of the items that it
  // writes. Borrows them.
  void set_first(std::span<const std::string> keys, std::size_t written);

  // Begins a call of the rule. `first` is where the keys begin in the view. Borrows the view for the call.
  void begin(const View& view, std::size_t first);

  // Returns the stored value of a key, or that there is none. Returns nothing if it was not read yet.
  std::optional<std::optional<std::string_view>> find(const std::string& key);
  // Returns the entries of a range. Returns null if they were not read yet.
  const RangeEntries* find(const RangeRead& range);

  // As View::has_settled_ranges().
  bool has_settled_ranges() const { return view_->has_settled_ranges(); }

  // Returns whether the transaction itself writes the item under this key.
  bool is_written(const std::string& key);

  // Returns whether something was asked for in this call that was not read yet.
  bool waits() const { return !new_keys_.empty() || !new_ranges_.empty(); }
  // Returns the decision that asks for it. The view of the next call must contain it.
  Decision ask();

 private:
  // Finds the first keys from now on: most rules ask for no key at all.
  void index_first();

  std::span<const std::string> first_keys_;  // not yet in positions_
  const View* view_ = nullptr;
  std::size_t first_ = 0;
  std::size_t written_ = 0;
  std::map<std::string, std::size_t, std::less<>> positions_;  // in the view, from `first_` on
  std::vector<RangeRead> ranges_;
  std::size_t keys_ = 0;        // asked for, in this call too
  std::size_t known_keys_ = 0;  // in the view of this call
  std::size_t known_ranges_ = 0;
  std::vector<std::string> new_keys_;
  std::vector<RangeRead> new_ranges_;
};

}  // namespace tavola::store
