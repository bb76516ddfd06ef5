#include "server/delays.h"

#include <utility>

namespace tavola::server {
namespace {

// A failing task must not stop the others.
void perform(const std::function<void()>& task) {
  try {
    task();
  } catch (...) {  // NOLINT(bugprone-empty-catch)
  }
}

}  // namespace

Delays::~Delays() {
  std::thread thread;
  {
    const MutexLock lock(mutex_);
    stopping_ = true;
    thread = std::move(thread_);
  }
  changed_.notify_one();
  if (thread.joinable()) thread.join();
}

void Delays::after(std::chrono::milliseconds delay, std::function<void()> task) {
  {
    const MutexLock lock(mutex_);
    waiting_.emplace(std::chrono::steady_clock::now() + delay, std::move(task));
    if (!thread_.joinable()) thread_ = std::thread([this] { run(); });
  }
  changed_.notify_one();
}

void Delays::run() {
  while (true) {
    const std::vector<std::function<void()>> due = next_due();
    if (due.empty()) return;
    for (const std::function<void()>& task : due) perform(task);
  }
}

std::vector<std::function<void()>> Delays::next_due() {
  const MutexLock lock(mutex_);
  while (!stopping_) {
    if (waiting_.empty()) {
      changed_.wait(mutex_);
      continue;
    }
    const Moment first = waiting_.begin()->first;
    if (first <= std::chrono::steady_clock::now()) break;
    changed_.wait_until(mutex_, first);
  }
  std::vector<std::function<void()>> due;
  const Moment now = std::chrono::steady_clock::now();
  while (!waiting_.empty() && (stopping_ || waiting_.begin()->first <= now)) {
    due.push_back(std::move(waiting_.begin()->second));
    waiting_.erase(waiting_.begin());
  }
  return due;
}

}  // namespace tavola::server
