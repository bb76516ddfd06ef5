#include "engine/background/worker.h"

#include <new>
#include <utility>

#include "base/assert.h"
#include "engine/background/old_changes.h"
#include "engine/backups/backups.h"
#include "engine/write/transactions.h"

namespace tavola::engine {
namespace {

constexpr std::chrono::seconds kPeriod{5};
// Old changes are erased as ranges, which the store must not have many of; readers leave them out by themselves.
constexpr std::chrono::minutes kChangesForgottenEvery{10};

}  // namespace

BackgroundWorker::~BackgroundWorker() { stop_.request_stop(); }

void BackgroundWorker::start(Report report) {
  TAVOLA_ASSERT(!thread_.joinable());
  {
    const MutexLock lock(working_);
    report_ = std::move(report);
  }
  thread_ = std::jthread([this] {
    for (;;) {
      wait(kPeriod);
      if (stop_.stop_requested()) return;
      if (!store_.leads()) continue;  // another process does the work
      try {
        static_cast<void>(run_pass());  // reported, and counted in totals(); the next one tries again
      } catch (const std::bad_alloc&) {
        failures_.fetch_add(1, std::memory_order_relaxed);
      }
    }
  });
}

Result<void> BackgroundWorker::run_pass() {
  const MutexLock lock(working_);
  const BackgroundPass pass = this->pass();
  Result<void> outcome;
  pass.note(outcome, forget_tokens());
  pass.note(outcome, forget_changes(pass));
  pass.note(outcome, expiry_.run(pass));
  pass.note(outcome, jobs_.run(pass));
  if (jobs_.goes_on()) wake();
  store_.when_durable([](const Result<void>&) {});  // starts a sync: readers see only what is durable
  if (!outcome) failures_.fetch_add(1, std::memory_order_relaxed);
  was_failing_ = std::exchange(failing_, {});
  return outcome;
}

Result<void> BackgroundWorker::finish_jobs() {
  const MutexLock lock(working_);
  return jobs_.run(pass());
}

Result<bool> BackgroundWorker::finish_jobs(std::chrono::milliseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  const MutexLock lock(working_);
  BackgroundPass limited = pass();
  const auto is_over = [this, end] { return stopping() || std::chrono::steady_clock::now() >= end; };
  limited.stopping = is_over;
  TAVOLA_CHECK(jobs_.run(limited));
  return !is_over();
}

Result<void> BackgroundWorker::while_idle(const std::function<Result<void>()>& work) {
  ++waiting_;
  woken_.notify_all();
  const MutexLock lock(working_);
  --waiting_;
  return work();
}

void BackgroundWorker::report(const Error& error) {
  const bool is_new = failing_.insert(error.message()).second && !was_failing_.contains(error.message());
  if (is_new && report_) report_(error.message());
}

BackgroundPass BackgroundWorker::pass() {
  return {.stopping = [this] { return stopping(); },
          .rest = [this](std::chrono::steady_clock::duration time) { rest(time); },
          .report = [this](const Error& error) TAVOLA_REQUIRES(working_) { report(error); }};
}

void BackgroundWorker::wake() {
  {
    const std::lock_guard lock(mutex_);
    has_work_ = true;
  }
  woken_.notify_all();
}

void BackgroundWorker::wait(std::chrono::steady_clock::duration time) {
  std::unique_lock lock(mutex_);
  woken_.wait_for(lock, stop_.get_token(), time, [this] { return has_work_; });
  has_work_ = false;
}

// Work that arrives during a pass is not forgotten.
void BackgroundWorker::rest(std::chrono::steady_clock::duration time) {
  std::unique_lock lock(mutex_);
  woken_.wait_for(lock, stop_.get_token(), time, [this] { return waiting_ > 0; });
}

Result<void> BackgroundWorker::forget_tokens() {
  const WallTime now = clock_.now();
  if (now - tokens_forgotten_ < kTokenLifetime) return {};
  tokens_forgotten_ = now;
  return forget_old_tokens(store_, now, stop_.get_token());
}

Result<void> BackgroundWorker::forget_changes(const BackgroundPass& pass) {
  const WallTime now = clock_.now();
  if (now - changes_forgotten_ < kChangesForgottenEvery) return {};
  changes_forgotten_ = now;
  Result<void> outcome;
  pass.note(outcome, forget_expired_backups(store_, shelf_, now));
  pass.note(outcome, forget_old_changes(store_, now, stop_.get_token()));
  return outcome;
}

}  // namespace tavola::engine
