// The present work of the workers of this process, for the status page and the metrics.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "work/registry.h"

namespace crawler {

// Thread safety: all methods.
class Activity {
 public:
  struct Running {
    Work work = Work::Crawl;
    std::string domain{};
    std::chrono::system_clock::time_point since{};
    std::uint64_t pages = 0;
  };

  void begin(Work work, const std::string& domain);
  void end(Work work, const std::string& domain);
  void page(Work work, const std::string& domain);
  void error(const std::string& domain);
  void change() { ++changes_; }

  std::vector<Running> running() const;
  std::map<std::string, std::uint64_t> errors_by_host() const;
  std::uint64_t pages() const { return pages_; }
  std::uint64_t changes() const { return changes_; }
  std::uint64_t finished(Work work) const { return work == Work::Crawl ? crawls_ : scrapes_; }
  std::uint64_t pages_in_last_minute() const;

 private:
  using Second = std::chrono::sys_seconds;
  static constexpr std::size_t kHostsMax = 1000;  // with errors, the first ones

  std::atomic<std::uint64_t> pages_ = 0;
  std::atomic<std::uint64_t> changes_ = 0;
  std::atomic<std::uint64_t> crawls_ = 0;
  std::atomic<std::uint64_t> scrapes_ = 0;
  mutable std::mutex mutex_;
  std::map<std::pair<Work, std::string>, Running> running_;
  std::map<std::string, std::uint64_t> errors_;
  std::deque<std::pair<Second, std::uint64_t>> last_minute_;  // pages by second
};

}  // namespace crawler
