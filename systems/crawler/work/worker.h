// A worker: claims shops that are due, one winner among many workers, and works on many of them at once on one thread.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "web/fetcher.h"
#include "work/job.h"

namespace crawler {

struct WorkerOptions {
  Work work = Work::Crawl;
  std::vector<std::string> countries{};                               // empty: all
  std::vector<std::string> domains{};                                 // these shops, and no others
  std::size_t shops = 16;                                             // at once
  std::size_t shops_max = 0;                                          // in all; 0: as many as are due
  std::chrono::milliseconds older_than = std::chrono::hours(24 * 7);  // a shop is due again after this time
  enum class Until : std::uint8_t { NothingIsDue, Stopped };
  Until until = Until::NothingIsDue;
  std::chrono::milliseconds poll = std::chrono::seconds(5);  // between two looks for due shops
  FetcherOptions fetcher{};
  JobOptions job{};
};

// Thread safety: one thread per worker.
class Worker {
 public:
  using MakeJob = std::function<std::unique_ptr<Job>(const JobContext&, Shop)>;

  // Borrows the registry and the activity. `is_stopping` becomes true when the worker must end soon.
  Worker(Registry& registry, Activity& activity, const std::atomic<bool>& is_stopping, WorkerOptions options);
  ~Worker();

  // Works until nothing is due or it is stopped. Returns the number of shops that it worked on; fails as the database does.
  tavola::Result<std::size_t> run(const MakeJob& make_job, const Report& report);
  // Returns how many of the shops in the options could not be claimed.
  std::size_t skipped() const { return skipped_; }

 private:
  tavola::Result<void> find_due();
  tavola::Result<void> claim_some(const MakeJob& make_job, const JobContext& context);
  tavola::Result<void> say_skipped(const std::string& domain, const Report& report);
  bool may_claim() const;

  Registry& registry_;
  Activity& activity_;
  const std::atomic<bool>& is_stopping_;
  WorkerOptions options_;
  std::string cutoff_;  // of a run that ends when nothing is due: a shop is not done twice
  Fetcher fetcher_;
  RobotsCache robots_;
  std::minstd_rand order_;
  std::vector<std::string> due_;
  std::chrono::steady_clock::time_point next_look_{};
  bool found_none_ = false;
  bool has_claimed_since_look_ = false;
  std::size_t claimed_ = 0;
  std::size_t skipped_ = 0;
  std::vector<std::unique_ptr<Job>> jobs_;
};

}  // namespace crawler
