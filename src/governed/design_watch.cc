#include "governed/design_watch.h"

#include <utility>
#include <vector>

namespace tavola::governed {
namespace {

Error has_other_design(std::string_view table_name) {
  return {ErrorCode::Throttling,
          "Tavola: the table " + std::string(table_name) +
              " got another design, which this server does not have. Start it again with "
              "the new design"};
}

Error cannot_look(std::string_view table_name) {
  return {ErrorCode::Throttling,
          "Tavola: the server at --upstream does not answer, so it is not certain which design "
          "the table " +
              std::string(table_name) + " has. Try again"};
}

}  // namespace

DesignWatch::~DesignWatch() {
  thread_.request_stop();
  stopped_.notify_all();
}

void DesignWatch::start() {
  if (thread_.joinable()) return;
  thread_ = std::jthread([this](const std::stop_token& stop) {
    for (;;) {
      {
        std::unique_lock lock(waiting_);
        stopped_.wait_for(lock, stop, times_.between, [] { return false; });
      }
      if (stop.stop_requested()) return;
      look();
    }
  });
}

void DesignWatch::expect(const std::string& table_name, const std::string& digest) {
  const ExclusiveLock lock(mutex_);
  tables_.insert_or_assign(table_name, Watched{.digest = digest, .seen = std::chrono::steady_clock::now()});
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
  if (found->second.is_other) return fail(has_other_design(table_name));
  if (std::chrono::steady_clock::now() - found->second.seen > times_.valid)
    return fail(cannot_look(table_name));
  return {};
}

void DesignWatch::look() {
  std::vector<std::string> names;
  {
    const SharedLock lock(mutex_);
    for (const auto& [name, watched] : tables_) names.push_back(name);
  }
  for (const std::string& name : names) {
    const Moment asked = std::chrono::steady_clock::now();
    const Result<std::string> digest = look_(name);
    if (!digest) continue;
    const ExclusiveLock lock(mutex_);
    const auto found = tables_.find(name);
    if (found == tables_.end() || found->second.seen > asked) continue;
    found->second.is_other = *digest != found->second.digest;
    found->second.seen = asked;
  }
}

}  // namespace tavola::governed
