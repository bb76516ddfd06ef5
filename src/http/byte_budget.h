// A number of bytes that all connections share. Who wants to hold much asks first.
#pragma once

#include <atomic>
#include <cstddef>
#include <utility>

namespace tavola::http {

// An eighth of it is for those who want little: a few large requests cannot keep the many small ones out.
//
// Thread safety: all methods.
class ByteBudget {
 public:
  explicit ByteBudget(std::size_t bytes_max) : bytes_max_(bytes_max) {}

  // Up to here all of the budget may be used.
  static constexpr std::size_t kLittleBytes = std::size_t{128} * 1024;

  // Whether somebody who will hold `total` bytes may take `bytes` more.
  bool has(std::size_t bytes, std::size_t total) const { return used() + bytes <= bytes_max_for(total); }
  // The same, and takes them. False, and nothing is taken, when there is not as much left.
  [[nodiscard]] bool take(std::size_t bytes, std::size_t total) {
    const std::size_t before = used_.fetch_add(bytes, std::memory_order_relaxed);
    if (before + bytes <= bytes_max_for(total)) return true;
    give_back(bytes);
    return false;
  }
  // Counts what is held already, also beyond the end of the budget.
  void charge(std::size_t bytes) { used_.fetch_add(bytes, std::memory_order_relaxed); }
  void give_back(std::size_t bytes) { used_.fetch_sub(bytes, std::memory_order_relaxed); }

  std::size_t used() const { return used_.load(std::memory_order_relaxed); }

 private:
  std::size_t bytes_max_for(std::size_t total) const {
    return total <= kLittleBytes ? bytes_max_ : bytes_max_ - bytes_max_ / 8;
  }

  const std::size_t bytes_max_;
  alignas(64) std::atomic<std::size_t> used_ = 0;
};

// What one request, and then its answer, took from the budget; gives it back at the end.
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
    if (!budget_->take(bytes - bytes_, bytes)) return false;
    bytes_ = bytes;
    return true;
  }
  // Whether grow_to() would do it now.
  bool could_grow_to(std::size_t bytes) const {
    return bytes <= bytes_ || budget_->has(bytes - bytes_, bytes);
  }
  // Makes the share at least `bytes`, whatever the budget has.
  void charge_to(std::size_t bytes) {
    if (bytes <= bytes_) return;
    budget_->charge(bytes - bytes_);
    bytes_ = bytes;
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
