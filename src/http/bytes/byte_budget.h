// A number of bytes shared by all connections, or by those of one client. Large allocations are requested first.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>

namespace tavola::http {

// An eighth is reserved for small requests: a few large ones cannot keep the many small ones out.
//
// Thread safety: all methods.
class ByteBudget {
 public:
  explicit ByteBudget(std::size_t bytes_max) : bytes_max_(bytes_max) {}

  // Requests up to this size may use the whole budget.
  static constexpr std::size_t kLittleBytes = std::size_t{128} * 1024;

  // Returns whether a request that will hold `total` bytes may take `bytes` more.
  bool has(std::size_t bytes, std::size_t total) const { return used() + bytes <= bytes_max_for(total); }
  // Takes the bytes if has() holds. Returns false and takes nothing otherwise.
  [[nodiscard]] bool take(std::size_t bytes, std::size_t total) {
    const std::size_t before = used_.fetch_add(bytes, std::memory_order_relaxed);
    if (before + bytes <= bytes_max_for(total)) return true;
    give_back(bytes);
    return false;
  }
  // Counts bytes that are already held, even beyond the end of the budget.
  void charge(std::size_t bytes) { used_.fetch_add(bytes, std::memory_order_relaxed); }
  void give_back(std::size_t bytes) { used_.fetch_sub(bytes, std::memory_order_relaxed); }

  using Time = std::chrono::steady_clock::time_point;
  void note_shortage_at(Time time) { short_at_.store(time, std::memory_order_relaxed); }
  // The time of the last refusal.
  Time short_at() const { return short_at_.load(std::memory_order_relaxed); }

  std::size_t bytes_max() const { return bytes_max_; }
  // Returns whether nothing is left, not even for small requests.
  bool is_used_up() const { return used() >= bytes_max_; }
  std::size_t used() const { return used_.load(std::memory_order_relaxed); }

 private:
  std::size_t bytes_max_for(std::size_t total) const {
    return total <= kLittleBytes ? bytes_max_ : bytes_max_ - bytes_max_ / 8;
  }

  const std::size_t bytes_max_;
  std::atomic<Time> short_at_ = Time();
  alignas(64) std::atomic<std::size_t> used_ = 0;
};

// The bytes that one request, and then its response, took from the budget of all and from that of its client; returned
// at the end. Thread safety: one thread at a time; release() may be called on another thread than grow_to().
class BudgetShare {
 public:
  explicit BudgetShare(ByteBudget& of_all) : of_all_(&of_all) {}
  BudgetShare(ByteBudget& of_all, ByteBudget& of_client) : of_all_(&of_all), of_client_(&of_client) {}
  BudgetShare(const BudgetShare&) = delete;
  BudgetShare& operator=(const BudgetShare&) = delete;
  ~BudgetShare() { release(); }

  // Makes the share at least `bytes`. Returns false, and leaves the share unchanged, if one of the budgets has too
  // little.
  [[nodiscard]] bool grow_to(std::size_t bytes) {
    if (bytes <= bytes_) return true;
    const std::size_t more = bytes - bytes_;
    if (of_client_ != nullptr && !of_client_->take(more, bytes)) {
      of_client_->note_shortage_at(std::chrono::steady_clock::now());
      return false;
    }
    if (!of_all_->take(more, bytes)) {
      if (of_client_ != nullptr) of_client_->give_back(more);
      of_all_->note_shortage_at(std::chrono::steady_clock::now());
      return false;
    }
    bytes_ = bytes;
    return true;
  }
  // Returns whether grow_to() would succeed now.
  bool could_grow_to(std::size_t bytes) const {
    if (bytes <= bytes_) return true;
    const std::size_t more = bytes - bytes_;
    return of_all_->has(more, bytes) && (of_client_ == nullptr || of_client_->has(more, bytes));
  }
  // Makes the share at least `bytes`, regardless of the budgets.
  void charge_to(std::size_t bytes) {
    if (bytes <= bytes_) return;
    of_all_->charge(bytes - bytes_);
    if (of_client_ != nullptr) of_client_->charge(bytes - bytes_);
    bytes_ = bytes;
  }
  void release() {
    if (bytes_ == 0) return;
    of_all_->give_back(bytes_);
    if (of_client_ != nullptr) of_client_->give_back(bytes_);
    bytes_ = 0;
  }
  std::size_t bytes() const { return bytes_; }

 private:
  ByteBudget* of_all_;
  ByteBudget* of_client_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace tavola::http
