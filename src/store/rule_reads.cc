#include "store/rule_reads.h"

#include <algorithm>
#include <utility>

namespace tavola::store {
namespace {

constexpr std::size_t kFewKeys = 8;  // fewer are found sooner without a map

}  // namespace

void RuleReads::set_first(std::span<const std::string> keys, std::size_t written) {
  first_keys_ = keys;
  keys_ = keys.size();
  written_ = written;
}

void RuleReads::index_first() {
  for (std::size_t i = 0; i < first_keys_.size(); ++i) positions_.emplace(first_keys_[i], i);
  first_keys_ = {};
}

void RuleReads::begin(const View& view, std::size_t first) {
  view_ = &view;
  first_ = first;
  known_keys_ = keys_;
  known_ranges_ = ranges_.size();
}

std::optional<std::optional<std::string_view>> RuleReads::find(const std::string& key) {
  if (first_keys_.size() <= kFewKeys) {
    const auto first = std::ranges::find(first_keys_, key);
    if (first != first_keys_.end())
      return (*view_)[first_ + static_cast<std::size_t>(first - first_keys_.begin())];
  }
  index_first();
  const auto [found, is_new] = positions_.try_emplace(key, keys_);
  if (is_new) {
    ++keys_;
    new_keys_.push_back(key);
  }
  if (found->second >= known_keys_) return std::nullopt;
  return (*view_)[first_ + found->second];
}

const RangeEntries* RuleReads::find(const RangeRead& range) {
  const auto found = std::ranges::find(ranges_, range);
  const auto position = static_cast<std::size_t>(found - ranges_.begin());
  if (found == ranges_.end()) {
    ranges_.push_back(range);
    new_ranges_.push_back(range);
  }
  return position < known_ranges_ ? &view_->range(position) : nullptr;
}

bool RuleReads::is_written(const std::string& key) {
  index_first();
  const auto found = positions_.find(key);
  return found != positions_.end() && found->second < written_;
}

Decision RuleReads::ask() {
  return {.writes = {},
          .further_keys = std::exchange(new_keys_, {}),
          .further_ranges = std::exchange(new_ranges_, {})};
}

}  // namespace tavola::store
