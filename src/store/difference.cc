#include "store/difference.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace tavola::store {

Result<void> Difference::add(Write write) {
  bytes_ += write.key.size() + write.value.size();
  if (bytes_ > kBytesMax) {
    return fail(Error::limit_exceeded("more than " + std::to_string(kBytesMax >> 20U) +
                                      " MB have changed since then, too many to return in one step"));
  }
  writes_.push_back(std::move(write));
  return {};
}

Result<void> Difference::add_key(const std::string& key) {
  TAVOLA_TRY(std::optional<std::string> wanted, wanted_.get(key));
  TAVOLA_TRY(const std::optional<std::string> now, now_.get(key));
  if (wanted == now) return {};
  return add(wanted ? Write::put(key, *std::move(wanted)) : Write::erase(key));
}

// Walks both states in the order of keys, as one merges two sorted lists.
Result<void> Difference::add_range(const KeyRange& range) {
  const std::unique_ptr<Cursor> now = now_.range(range, Direction::Forward);
  const std::unique_ptr<Cursor> wanted = wanted_.range(range, Direction::Forward);
  while (now->valid() || wanted->valid()) {
    const bool is_gone = !now->valid() || (wanted->valid() && wanted->key() < now->key());
    const bool is_new = !is_gone && (!wanted->valid() || now->key() < wanted->key());
    if (is_new) {
      TAVOLA_CHECK(add(Write::erase(std::string(now->key()))));
    } else if (is_gone || wanted->value() != now->value()) {
      TAVOLA_CHECK(add(Write::put(std::string(wanted->key()), std::string(wanted->value()))));
    }
    if (!is_gone) now->next();
    if (!is_new) wanted->next();
  }
  TAVOLA_CHECK(now->status());
  return wanted->status();
}

}  // namespace tavola::store
