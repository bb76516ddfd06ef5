// AppendOrder: assigns the numbers of Write::append, and reports how far readers may rely on them.
//
// A number is assigned while the transaction holds its locks, just before its commit; commits that share no key may
// overtake each other. So running commits are recorded: below the smallest running number, nothing can appear any more.
//
//   numbers     … 41 42 43 44 45 46
//   committed   …  x  x     x              settled: 43
//   running               43    45 46
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

// Thread safety: all methods; a Ticket belongs to one thread. Invariants: (1) next_ is above every assigned number, and
// above every number stored under a prefix in known_. (2) Numbers in running_ may still become visible.
class AppendOrder {
 public:
  class Ticket;

  // Returns the smallest number above all that are stored under a prefix; called once per prefix. (A reopened store
  // does not remember what it assigned, and the clock of its callers may have been set back.)
  using FirstFree = std::function<Result<std::uint64_t>(std::string_view prefix)>;
  explicit AppendOrder(FirstFree first_free) : first_free_(std::move(first_free)) {}

  // Turns every Append among the writes into a Put under its final key. The appends of one call get consecutive
  // numbers. The ticket is held until they are visible, or never will be.
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
  Ticket() = default;  // for writes that append nothing
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

// The FirstFree of a store.
Result<std::uint64_t> first_free_number(const Store& store, std::string_view prefix);

}  // namespace tavola::store
