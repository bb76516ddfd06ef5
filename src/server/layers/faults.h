// Decides which request meets which fault of a plan.
//
// Every rule has its own random sequence, which begins with the seed: the n-th number depends on the plan and the seed
// only, and requests that the rule does not match do not affect it. So a test that sends the same requests in the same
// order meets the same faults.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/locks.h"
#include "server/layers/fault_plan.h"

namespace tavola::server {

// A request, as far as rules examine it.
struct Asked {
  ItemOperation operation;
  std::vector<std::string_view> tables;  // of each item that it names, in their order; never empty
};

struct Fate {
  std::optional<FaultKind> failure{};  // Error500, Throttle or Conflict: nothing is performed
  std::size_t position = 0;            // of a transaction that fails: by which of its items
  std::vector<bool> unprocessed{};     // of a batch: which of its items are left; empty: none. Never all
  bool is_lost = false;                // it is performed, and the client does not get to know
  std::chrono::milliseconds delay{0};
};

// Thread safety: all methods.
class Faults {
 public:
  static constexpr std::size_t kKinds = std::size(EnumNames<FaultKind>::kAll);

  Faults() = default;
  explicit Faults(FaultPlan plan) { replace(std::move(plan)); }

  // Takes effect with the next request. All sequences start again.
  void replace(FaultPlan plan);
  // Called after a plan was replaced, before replace() returns, and immediately. Set once, before concurrent
  // use.
  void on_change(std::function<void(const FaultPlan& plan)> call);
  FaultPlan plan() const;

  // Cheap without rules, the usual case.
  Fate decide(const Asked& asked);
  bool is_quiet() const { return quiet_.load(std::memory_order_acquire); }

  // How far the global indexes of the table are behind, for Query or Scan; 0: not at all. It takes no chance.
  std::chrono::milliseconds index_lag(ItemOperation operation, std::string_view table) const;
  bool has_index_lag() const { return has_index_lag_.load(std::memory_order_acquire); }
  // An index was read as it was.
  void note_lag() { count(FaultKind::IndexLag); }

  // The faults injected since the start, in requests; for Unprocessed in items.
  std::uint64_t injected(FaultKind kind) const { return injected_[std::to_underlying(kind)].load(); }
  // tavola_faults_total{kind="…"}, for Prometheus.
  void append_metrics(std::string& out) const;

 private:
  // The last rule of this kind that concerns the operation on this table, or, without one, on any of the tables.
  std::optional<std::size_t> rule_for(FaultKind kind, const Asked& asked,
                                      std::optional<std::size_t> item) const TAVOLA_REQUIRES(mutex_);
  // From 0 to below 1: the next chance of the rule.
  double draw(std::size_t rule) TAVOLA_REQUIRES(mutex_);
  bool happens(FaultKind kind, const Asked& asked, Fate& fate) TAVOLA_REQUIRES(mutex_);
  void hold_back(const Asked& asked, Fate& fate) TAVOLA_REQUIRES(mutex_);
  void delay(const Asked& asked, Fate& fate) TAVOLA_REQUIRES(mutex_);
  void count(FaultKind kind, std::uint64_t amount = 1) { injected_[std::to_underlying(kind)] += amount; }

  std::atomic<bool> quiet_ = true;
  std::atomic<bool> has_index_lag_ = false;
  std::function<void(const FaultPlan&)> on_change_;
  std::array<std::atomic<std::uint64_t>, kKinds> injected_{};
  Mutex replacing_;
  mutable Mutex mutex_;
  FaultPlan plan_ TAVOLA_GUARDED_BY(mutex_);
  std::vector<std::uint64_t> drawn_ TAVOLA_GUARDED_BY(mutex_);  // numbers drawn so far, by rule
};

}  // namespace tavola::server
