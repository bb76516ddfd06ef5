#include "server/console/drift_looks.h"

#include <utility>
#include <vector>

namespace tavola::server {
namespace {

constexpr std::size_t kLooksMax = 4;
constexpr std::size_t kShownSamplesMax = 20;

}  // namespace

void DriftLooks::stop() {
  std::map<std::string, std::unique_ptr<Look>, std::less<>> ending;
  {
    const MutexLock lock(mutex_);
    is_stopped_ = true;
    for (auto& [name, look] : looks_) look->thread.request_stop();
    ending.swap(looks_);
  }
  ending.clear();  // waits for the threads, which need the mutex
}

bool DriftLooks::is_forgotten(const std::string& name) const {
  const MutexLock lock(mutex_);
  const auto found = looks_.find(name);
  return found == looks_.end() ||
         std::chrono::steady_clock::now() - found->second->asked > parts_.forgotten_after;
}

void DriftLooks::note(const std::string& name, const drift::DriftProgress& progress) {
  const MutexLock lock(mutex_);
  const auto found = looks_.find(name);
  if (found == looks_.end()) return;
  State& state = found->second->state;
  state.doing = progress.doing;
  state.items = progress.items;
  state.expected = progress.expected;
}

void DriftLooks::run(const std::string& name, Look& look, bool repair, const std::stop_token& stop) {
  auto report =
      drift::find_drift(*look.design, parts_.database,
                        {.repair = repair,
                         .samples_max = kShownSamplesMax,
                         .checks_use = look.requests.has_value(),
                         .requests = look.requests ? &*look.requests : nullptr,
                         .progress = [&](const drift::DriftProgress& progress) { note(name, progress); },
                         .stopping = [&] { return stop.stop_requested() || is_forgotten(name); },
                         .clock = &parts_.clock});
  {
    const MutexLock lock(mutex_);
    if (report) {
      look.state.items = report->items;
      look.state.report = *std::move(report);
    } else {
      look.failure = report.error();
    }
  }
  changed_.notify_all();
}

Result<std::string> DriftLooks::begin(const Wish& wish) {
  std::vector<std::unique_ptr<Look>> forgotten;  // they end outside of the lock
  std::string name;
  {
    const MutexLock lock(mutex_);
    const auto now = std::chrono::steady_clock::now();
    for (auto one = looks_.begin(); one != looks_.end();) {
      if (now - one->second->asked <= parts_.forgotten_after) {
        ++one;
        continue;
      }
      one->second->thread.request_stop();
      forgotten.push_back(std::move(one->second));
      one = looks_.erase(one);
    }
    if (is_stopped_) return fail(Error(ErrorCode::Io, "the server stops"));
    if (looks_.size() >= kLooksMax) {
      return fail(Error(ErrorCode::LimitExceeded,
                        "too many tables are being read for differences at once; try again"));
    }
    name = "look-" + std::to_string(++last_);
    Look& look = *looks_.emplace(name, std::make_unique<Look>()).first->second;
    look.asked = now;
    look.design = wish.design;
    if (wish.requests != nullptr) look.requests = *wish.requests;
    look.thread = std::jthread([this, name, &look, repair = wish.repair](const std::stop_token& stop) {
      run(name, look, repair, stop);
    });
  }
  return name;
}

Result<DriftLooks::State> DriftLooks::wait_for(const std::string& name) {
  std::unique_ptr<Look> ended;
  {
    const MutexLock lock(mutex_);
    const auto until = std::chrono::steady_clock::now() + parts_.wait;
    while (ended == nullptr) {
      const auto found = looks_.find(name);
      if (found == looks_.end()) {
        return fail(
            Error::validation("nobody asked for the result for a while, so it was given up; begin again"));
      }
      Look& look = *found->second;
      look.asked = std::chrono::steady_clock::now();
      if (look.state.report || look.failure) {
        ended = std::move(found->second);
        looks_.erase(found);
      } else if (changed_.wait_until(mutex_, until) == std::cv_status::timeout) {
        return look.state;
      }
    }
  }
  if (const auto& failure = ended->failure) return fail(*failure);
  return std::move(ended->state);
}

}  // namespace tavola::server
