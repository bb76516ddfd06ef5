#include "server/store_watch.h"

#include <chrono>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/indexes/builds_under_way.h"

namespace tavola::server {

StoreWatch::StoreWatch(store::Store& store, Log& log)
    : store_(store), log_(log), thread_([this](const std::stop_token& stop) { work(stop); }) {}

void StoreWatch::work(const std::stop_token& stop) {
  constexpr std::chrono::seconds kPeriod{1};
  while (!stop.stop_requested()) {
    try {
      look();
    } catch (const std::bad_alloc&) {  // NOLINT(bugprone-empty-catch): a second later there may be memory
    }
    std::unique_lock lock(waiting_);
    woken_.wait_for(lock, stop, kPeriod, [] { return false; });
  }
}

void StoreWatch::look() {
  const std::optional<Error> found = store_.trouble();
  note_trouble(found ? found->message() : std::string());
  note_builds(engine::builds_under_way(store_));
  const MutexLock lock(mutex_);
  looked_ = std::chrono::steady_clock::now();
  if (std::exchange(is_silence_told_, false)) log_.info("the disk answers again");
}

void StoreWatch::note_trouble(std::string trouble) {
  const MutexLock lock(mutex_);
  if (trouble == trouble_) return;
  if (trouble.empty()) {
    log_.info("the store takes writes again");
  } else {
    log_.error("the store does not take writes", {{"why", trouble}});
  }
  trouble_ = std::move(trouble);
}

void StoreWatch::note_builds(const Result<std::vector<std::string>>& builds) {
  const MutexLock lock(mutex_);
  if (builds) builds_ = *builds;
  std::string unread = builds ? std::string() : builds.error().message();
  if (unread == unread_builds_) return;
  if (unread.empty()) {
    log_.info("the index builds can be read again");
  } else {
    log_.error("the index builds cannot be read", {{"why", unread}});
  }
  unread_builds_ = std::move(unread);
}

std::string StoreWatch::trouble() const {
  constexpr std::chrono::seconds kLookMax{10};
  const MutexLock lock(mutex_);
  const auto since = std::chrono::steady_clock::now() - looked_;
  if (since < kLookMax) return trouble_;
  std::string silence = "the disk has not answered for " +
                        std::to_string(std::chrono::duration_cast<std::chrono::seconds>(since).count()) +
                        " s";
  if (!std::exchange(is_silence_told_, true)) {
    log_.error("the store does not take writes", {{"why", silence}});
  }
  return trouble_.empty() ? silence : trouble_;
}

std::vector<std::string> StoreWatch::builds() const {
  const MutexLock lock(mutex_);
  return builds_;
}

std::string StoreWatch::unread_builds() const {
  const MutexLock lock(mutex_);
  return unread_builds_;
}

}  // namespace tavola::server
