// AppendOrder: gives Write::append its numbers, and says how far readers may rely on them.
//
// A number is given while the transaction holds its locks, just before its commit; commits that share no key overtake each
// other. So what is under way is remembered: below the smallest number that is, nothing can appear any more.
//
//   numbers     … 41 42 43 44 45 46
//   committed   …  x  x     x              settled: 43
//   under way             43    45 46
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "base/locks.h"
#include "store/store.h"

namespace tavola::store {

// Thread safety: all methods; a Ticket belongs to one thread.
// Invariants: (1) next_ is above every number that was given, and above every number that is stored under a prefix in
// known_. (2) What is in running_ may still become visible.
class AppendOrder {
 public:
  class Ticket;

  // The smallest number above all that are stored under a prefix; asked once for each prefix. (A store that was opened
  // again does not remember what it gave, and the clock of its callers may have been set back.)
  using FirstFree = std::function<Result<std::uint64_t>(std::string_view prefix)>;
  explicit AppendOrder(FirstFree first_free) : first_free_(std::move(first_free)) {}

  // Turns every Append among the writes into a Put under its final key. All of one call get numbers in a row. The ticket
  // is held until they are visible, or never will be.
  Result<Ticket> number(std::span<Write> writes);

  // As Store::settled.
  Result<std::uint64_t> settled(std::string_view prefix);

 private:
  Result<void> know(std::string_view prefix);
  void end(std::uint64_t first);

  const FirstFree first_free_;
  Mutex mutex_;
  std::uint64_t next_ TAVOLA_GUARDED_BY(mutex_) = 0;
  std::set<std::uint64_t> running_ TAVOLA_GUARDED_BY(mutex_);  // the first number of each
  std::set<std::string, std::less<>> known_ TAVOLA_GUARDED_BY(mutex_);
};

class [[nodiscard]] AppendOrder::Ticket {
 public:
  Ticket() = default;  // of writes that append nothing
  Ticket(AppendOrder& order, std::uint64_t first) : order_(&order), first_(first) {}
  Ticket(Ticket&& other) noexcept : order_(std::exchange(other.order_, nullptr)), first_(other.first_) {}
  Ticket& operator=(Ticket&&) = delete;
  ~Ticket() {
    if (order_ != nullptr) order_->end(first_);
  }

 private:
  AppendOrder* order_ = nullptr;
  std::uint64_t first_ = 0;
};

// What FirstFree says of a store.
Result<std::uint64_t> first_free_number(const Store& store, std::string_view prefix);

}  // namespace tavola::store
