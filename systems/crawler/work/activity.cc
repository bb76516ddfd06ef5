#include "work/activity.h"

namespace crawler {
namespace {

using std::chrono::system_clock;

std::chrono::sys_seconds this_second() {
  return std::chrono::floor<std::chrono::seconds>(system_clock::now());
}

}  // namespace

void Activity::begin(Work work, const std::string& domain) {
  const std::lock_guard lock(mutex_);
  running_[{work, domain}] = {.work = work, .domain = domain, .since = system_clock::now()};
}

void Activity::end(Work work, const std::string& domain) {
  const std::lock_guard lock(mutex_);
  running_.erase({work, domain});
  ++(work == Work::Crawl ? crawls_ : scrapes_);
}

void Activity::page(Work work, const std::string& domain) {
  ++pages_;
  const std::lock_guard lock(mutex_);
  const auto found = running_.find({work, domain});
  if (found != running_.end()) ++found->second.pages;
  const auto now = this_second();
  if (last_minute_.empty() || last_minute_.back().first != now) last_minute_.emplace_back(now, 0);
  ++last_minute_.back().second;
  while (last_minute_.front().first < now - std::chrono::seconds(60)) last_minute_.pop_front();
}

void Activity::error(const std::string& domain) {
  const std::lock_guard lock(mutex_);
  if (errors_.contains(domain) || errors_.size() < kHostsMax) ++errors_[domain];
}

std::vector<Activity::Running> Activity::running() const {
  const std::lock_guard lock(mutex_);
  std::vector<Running> all;
  for (const auto& [key, running] : running_) all.push_back(running);
  return all;
}

std::map<std::string, std::uint64_t> Activity::errors_by_host() const {
  const std::lock_guard lock(mutex_);
  return errors_;
}

std::uint64_t Activity::pages_in_last_minute() const {
  const std::lock_guard lock(mutex_);
  std::uint64_t pages = 0;
  for (const auto& [second, count] : last_minute_) {
    if (second > this_second() - std::chrono::seconds(60)) pages += count;
  }
  return pages;
}

}  // namespace crawler
