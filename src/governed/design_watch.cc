#include "governed/design_watch.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace tavola::governed {
namespace {

Error has_other_design(std::string_view table_name, const std::string& why_not_followed) {
  std::string text = "Tavola: the table " + std::string(table_name) +
                     " is getting another design; this server follows in some seconds. Try again";
  if (!why_not_followed.empty()) text += " (until now it could not: " + why_not_followed + ")";
  return {ErrorCode::Throttling, text};
}

Error cannot_look(std::string_view table_name) {
  return {ErrorCode::Throttling,
          "Tavola: the server at --upstream does not answer, so it is not certain which design "
          "the table " +
              std::string(table_name) + " has. Try again"};
}

}  // namespace

void DesignWatch::stop() {
  thread_.request_stop();
  stopped_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void DesignWatch::start() {
  if (thread_.joinable()) return;
  thread_ = std::jthread([this](const std::stop_token& stop) {
    for (;;) {
      {
        std::unique_lock lock(waiting_);
        stopped_.wait_for(lock, stop, until_next_look(), [] { return false; });
      }
      if (stop.stop_requested()) return;
      look();
    }
  });
}

std::chrono::milliseconds DesignWatch::until_next_look() const {
  const SharedLock lock(mutex_);
  const bool any = std::ranges::any_of(
      tables_, [](const auto& table) { return table.second.is_other || table.second.is_changing; });
  return any ? times_.between_in_change : times_.between;
}

void DesignWatch::expect(const std::string& table_name, const DesignInForce& design) {
  const ExclusiveLock lock(mutex_);
  tables_.insert_or_assign(table_name, Watched{.enforced = design,
                                               .seen = std::chrono::steady_clock::now(),
                                               .is_changing = design.is_changing});
  start();
}

void DesignWatch::forget(const std::string& table_name) {
  const ExclusiveLock lock(mutex_);
  tables_.erase(table_name);
}

Result<void> DesignWatch::check(std::string_view table_name) const {
  const SharedLock lock(mutex_);
  const auto found = tables_.find(table_name);
  if (found == tables_.end()) return {};
  const Watched& watched = found->second;
  if (watched.is_other) return fail(has_other_design(table_name, watched.why_not_followed));
  const auto valid = watched.is_changing ? times_.valid_in_change : times_.valid;
  if (std::chrono::steady_clock::now() - watched.seen > valid) return fail(cannot_look(table_name));
  return {};
}

bool DesignWatch::note(const std::string& table_name, const DesignInForce& now, Moment asked) {
  const ExclusiveLock lock(mutex_);
  const auto found = tables_.find(table_name);
  if (found == tables_.end() || found->second.seen > asked) return false;
  Watched& watched = found->second;
  const bool is_other = now.digest != watched.enforced.digest;
  if (is_other && !watched.is_other) watched.other_since = asked;
  watched.is_other = is_other;
  watched.is_changing = now.is_changing;
  watched.seen = asked;
  if (!is_other) return now.is_adopting != watched.enforced.is_adopting;
  return !now.digest.empty() && std::chrono::steady_clock::now() - watched.other_since >= times_.settles;
}

void DesignWatch::note_failure(const std::string& table_name, const Error& why) {
  const ExclusiveLock lock(mutex_);
  const auto found = tables_.find(table_name);
  if (found != tables_.end()) found->second.why_not_followed = why.message();
}

void DesignWatch::look() {
  std::vector<std::string> names;
  {
    const SharedLock lock(mutex_);
    for (const auto& [name, watched] : tables_) names.push_back(name);
  }
  for (const std::string& name : names) {
    const Moment asked = std::chrono::steady_clock::now();
    const Result<DesignInForce> now = look_(name);
    if (!now || !note(name, *now, asked)) continue;
    const Result<void> followed = follow_(name);
    if (!followed) note_failure(name, followed.error());
  }
}

}  // namespace tavola::governed
