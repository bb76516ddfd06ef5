#include "http/request_pool.h"

#include <algorithm>
#include <pthread.h>
#include <utility>

#include "http/exchange.h"

namespace tavola::http {
namespace {

// A request that waited this long gets a spare thread.
constexpr std::chrono::milliseconds kPatience(20);

}  // namespace

RequestPool::RequestPool(const Limits& limits, Run run)
    : limits_(limits), run_(std::move(run)), running_(limits.regular_threads + limits.spare_threads) {}

void RequestPool::start() {
  const MutexLock lock(mutex_);
  threads_.reserve(running_.size());
  for (Running& running : running_) {
    threads_.emplace_back([this, &running] { work(running); });
    pthread_setname_np(threads_.back().native_handle(), "tavola-long");
  }
}

bool RequestPool::finish(Time deadline) {
  Exchange* dropped = nullptr;
  {
    const MutexLock lock(mutex_);
    is_stopping_ = true;
    dropped = std::exchange(first_, nullptr);
    last_ = nullptr;
    waiting_ = 0;
  }
  for_regular_.notify_all();
  for_spare_.notify_all();
  while (dropped != nullptr) {
    Exchange& exchange = *dropped;
    dropped = exchange.next_handed;
    exchange.dropped();
  }
  const MutexLock lock(mutex_);
  return for_end_.wait_until(mutex_, deadline, [this]() TAVOLA_REQUIRES(mutex_) { return is_idle(); });
}

void RequestPool::stop() {
  finish(std::chrono::steady_clock::now());
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

bool RequestPool::give(Exchange& exchange) {
  const MutexLock lock(mutex_);
  if (is_stopping_ || !may_wait(exchange.client())) return false;
  exchange.next_handed = nullptr;
  exchange.given_at = std::chrono::steady_clock::now();
  (last_ == nullptr ? first_ : last_->next_handed) = &exchange;
  last_ = &exchange;
  ++waiting_;
  if (idle_regulars_ > 0) {
    for_regular_.notify_one();
  } else if (waiting_ == 1) {
    for_spare_.notify_one();
  }
  return true;
}

bool RequestPool::is_idle() const {
  return std::ranges::all_of(running_, [](const Running& one) { return one.client == nullptr; });
}

std::chrono::milliseconds RequestPool::stall() {
  const MutexLock lock(mutex_);
  const Exchange* waiting = first_;
  while (waiting != nullptr && !may_run(*waiting)) waiting = waiting->next_handed;
  if (waiting == nullptr) return {};
  const Time since = std::max(begun_, waiting->given_at);
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - since);
}

// A quarter of the places is reserved for other clients.
bool RequestPool::may_wait(const Client& client) const {
  if (waiting_ >= limits_.waiting) return false;
  const std::size_t most = limits_.waiting - limits_.waiting / 4;
  if (waiting_ < most) return true;
  std::size_t of_client = 0;
  for (const Exchange* one = first_; one != nullptr; one = one->next_handed) {
    of_client += &one->client() == &client ? 1 : 0;
  }
  return of_client < most;
}

bool RequestPool::is_large(const Exchange& exchange) const {
  return exchange.must_decode() || exchange.body.size() > limits_.large_bytes;
}

bool RequestPool::may_run(const Exchange& exchange) const {
  const auto of_client = std::ranges::count(running_, &exchange.client(), &Running::client);
  const std::size_t most = running_.size() > 2 ? running_.size() - 2 : running_.size();
  if (static_cast<std::size_t>(of_client) >= most) return false;
  return !is_large(exchange) ||
         std::ranges::count(running_, true, &Running::is_large) < static_cast<int>(limits_.large_running);
}

Exchange* RequestPool::take_first_that_may_run(Time given_before) {
  Exchange* before = nullptr;
  for (Exchange* one = first_; one != nullptr; before = std::exchange(one, one->next_handed)) {
    if (one->given_at > given_before) return nullptr;  // and the others came later
    if (!may_run(*one)) continue;
    (before == nullptr ? first_ : before->next_handed) = one->next_handed;
    if (last_ == one) last_ = before;
    --waiting_;
    return one;
  }
  return nullptr;
}

bool RequestPool::is_spare(const Running& running) const {
  return &running - running_.data() >= static_cast<std::ptrdiff_t>(limits_.regular_threads);
}

void RequestPool::wait(const Running& running) {
  if (!is_spare(running)) {
    ++idle_regulars_;
    for_regular_.wait(mutex_);
    --idle_regulars_;
  } else if (waiting_ == 0) {
    for_spare_.wait(mutex_);
  } else {
    for_spare_.wait_for(mutex_, kPatience);
  }
}

// Returns the request that a thread runs next; null if the pool stops.
Exchange* RequestPool::next(Running& running) {
  const MutexLock lock(mutex_);
  running = {};
  if (is_stopping_) for_end_.notify_all();
  while (!is_stopping_) {
    const Time given_before = is_spare(running) ? std::chrono::steady_clock::now() - kPatience : Time::max();
    if (Exchange* taken = take_first_that_may_run(given_before)) {
      running = {.client = &taken->client(), .is_large = is_large(*taken)};
      begun_ = std::chrono::steady_clock::now();
      if (waiting_ > 0) for_spare_.notify_one();
      return taken;
    }
    wait(running);
  }
  return nullptr;
}

void RequestPool::work(Running& running) {
  while (Exchange* exchange = next(running)) run_(*exchange);
}

}  // namespace tavola::http
