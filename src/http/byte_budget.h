// A number of bytes that all connections share. Who wants to hold much asks first.
#pragma once

#include <atomic>
#include <cstddef>
#include <utility>

namespace tavola::http {

// Thread safety: all methods.
class ByteBudget {
 public:
  explicit ByteBudget(std::size_t bytes_max) : bytes_max_(bytes_max) {}

  // False, and nothing is taken, when there is not as much left.
  [[nodiscard]] bool take(std::size_t bytes) {
    const std::size_t before = used_.fetch_add(bytes, std::memory_order_relaxed);
    if (before + bytes <= bytes_max_) return true;
    give_back(bytes);
    return false;
  }
  void give_back(std::size_t bytes) { used_.fetch_sub(bytes, std::memory_order_relaxed); }

  std::size_t used() const { return used_.load(std::memory_order_relaxed); }

 private:
  const std::size_t bytes_max_;
  alignas(64) std::atomic<std::size_t> used_ = 0;
};

// What one request took from the budget; gives it back at the end.
// Thread safety: one thread at a time; release() may be on another one than grow_to().
class BudgetShare {
 public:
  explicit BudgetShare(ByteBudget& budget) : budget_(&budget) {}
  BudgetShare(const BudgetShare&) = delete;
  BudgetShare& operator=(const BudgetShare&) = delete;
  ~BudgetShare() { release(); }

  // Makes the share at least `bytes`. False, and the share stays as it is, when the budget has not as much.
  [[nodiscard]] bool grow_to(std::size_t bytes) {
    if (bytes <= bytes_) return true;
    if (!budget_->take(bytes - bytes_)) return false;
    bytes_ = bytes;
    return true;
  }
  void release() {
    if (bytes_ != 0) budget_->give_back(std::exchange(bytes_, 0));
  }
  std::size_t bytes() const { return bytes_; }

 private:
  ByteBudget* budget_;
  std::size_t bytes_ = 0;
};

}  // namespace tavola::http
