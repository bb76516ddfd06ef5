#include "systems/text-analyzer/work/worker.h"

#include <algorithm>
#include <utility>

#include "base/random.h"
#include "base/retry.h"
#include "systems/text-analyzer/bucket/keys.h"

namespace tavola::text_analyzer {
namespace {

using text_analyzer_history::ClaimRefusal;
using text_analyzer_history::Complete;
using text_analyzer_history::CompleteRefusal;
using text_analyzer_history::FailRefusal;
using text_analyzer_history::ReclaimRefusal;
using text_analyzer_history::refusal;

constexpr std::size_t kKeptLeasesMax = 10'000;
constexpr std::size_t kMessageBytesMax = 2000;  // as the design says
constexpr int kTriesMax = 5;
constexpr int kFailuresMax = 3;
constexpr RetryDelays kStoreDelays{.first = std::chrono::milliseconds(100),
                                   .longest = std::chrono::seconds(5)};

WallTime time_of(std::int64_t milliseconds) { return WallTime(std::chrono::milliseconds(milliseconds)); }

Complete completion(const File& file, const Analysis& analysis) {
  Complete::Result result{.totalWords = static_cast<std::int64_t>(analysis.total_words),
                          .uniqueWords = static_cast<std::int64_t>(analysis.unique_words),
                          .avgWordLength = analysis.average_length,
                          .top10Words = {}};
  for (const FrequentWord& word : analysis.top) {
    result.top10Words.push_back({.word = word.word, .count = static_cast<std::int64_t>(word.count)});
  }
  return {.fileId = file.fileId, .upload = file.s3Key, .result = std::move(result)};
}

}  // namespace

Worker::Worker(Parts parts) : parts_(std::move(parts)) {
  for (int i = 0; i < parts_.options.threads; ++i) threads_.emplace_back([this] { run(); });
}

Worker::~Worker() {
  {
    const std::scoped_lock lock(mutex_);
    is_stopping_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void Worker::wake() {
  {
    const std::scoped_lock lock(mutex_);
    ++wakes_;
  }
  changed_.notify_all();
}

bool Worker::is_stopping() const {
  const std::scoped_lock lock(mutex_);
  return is_stopping_;
}

void Worker::run() {
  while (!is_stopping()) {
    const std::uint64_t seen = [this] {
      const std::scoped_lock lock(mutex_);
      return wakes_;
    }();
    const Result<bool> looked = look();
    if (!looked) parts_.log.error("uploads cannot be looked for", {{"error", looked.error().message()}});
    if (const auto cleaned = parts_.announcements.clean_when_due(); !cleaned)
      parts_.log.error("announcements cannot be removed", {{"error", cleaned.error().message()}});
    if (looked.value_or(false)) continue;
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, parts_.options.poll, [&] { return wakes_ != seen || is_stopping_; });
  }
}

Result<bool> Worker::look() {
  bool has_worked = false;
  int failures = 0;
  std::string after;
  for (;;) {
    TAVOLA_TRY(const std::vector<std::string> keys, parts_.bucket.list(std::string(kUploads), after));
    for (const std::string& key : keys) {
      if (is_stopping()) return has_worked;
      if (!take(key)) continue;
      const Result<bool> handled = handle(key);
      give_back(key);
      // One upload that cannot be handled does not keep the others waiting, a database that is away does.
      if (!handled && ++failures == kFailuresMax) return fail(handled.error());
      if (!handled)
        parts_.log.error("an upload cannot be handled", {{"key", key}, {"error", handled.error().message()}});
      has_worked = has_worked || handled.value_or(false);
    }
    if (keys.size() < kKeysOfPage) return has_worked;
    after = keys.back();
  }
}

bool Worker::take(const std::string& key) {
  const std::scoped_lock lock(mutex_);
  const auto leased = not_before_.find(key);
  if (leased != not_before_.end()) {
    if (parts_.clock.now() < leased->second) return false;
    not_before_.erase(leased);
  }
  return taken_.insert(key).second;
}

void Worker::give_back(const std::string& key) {
  const std::scoped_lock lock(mutex_);
  taken_.erase(key);
}

Result<bool> Worker::handle(const std::string& key) {
  const std::string file_id(file_of_upload(key));
  std::optional<File> file;
  if (!file_id.empty()) {
    TAVOLA_TRY(file, parts_.files.getFile({.fileId = file_id}));
  }
  // An upload that nobody waits for: it belongs to no file, came after a newer announcement, or its result is stored.
  if (!file || file->s3Key != key || file->status == File::Status::COMPLETED) {
    parts_.log.info("stray upload removed", {{"key", key}});
    TAVOLA_CHECK(parts_.bucket.remove(key));
    return false;
  }
  TAVOLA_TRY(const std::optional<File> claimed, claim(*file));
  if (!claimed) return false;
  const WorkMetrics::Running running(parts_.metrics);
  if (parts_.changed) parts_.changed(*claimed);
  parts_.log.info("analysing", {{"file", claimed->fileId}, {"name", claimed->originalFileName}});
  const Outcome outcome = analyse_upload(
      {.bucket = parts_.bucket, .size_bytes_max = parts_.options.size_bytes_max, .metrics = parts_.metrics},
      key);
  TAVOLA_CHECK(finish(*claimed, outcome));
  return true;
}

Result<std::optional<File>> Worker::claim(const File& file) {
  if (file.status != File::Status::IN_PROGRESS) {
    auto claimed = parts_.files.claim({.fileId = file.fileId});
    if (claimed) return *std::move(claimed);
    if (refusal<ClaimRefusal>(claimed.error())) return std::nullopt;  // another worker was quicker
    return fail(claimed.error());
  }
  const bool is_orphan = parts_.alone_since && time_of(file.updatedAt) < *parts_.alone_since;
  const std::chrono::milliseconds lease = is_orphan ? std::chrono::milliseconds(1) : parts_.options.lease;
  const WallTime end = time_of(file.updatedAt) + lease;
  if (parts_.clock.now() <= end) {
    const std::scoped_lock lock(mutex_);
    if (not_before_.size() >= kKeptLeasesMax) not_before_.clear();
    not_before_.insert_or_assign(file.s3Key, end);
    return std::nullopt;
  }
  auto claimed = parts_.files.reclaim({.fileId = file.fileId, .lease = lease.count()});
  if (claimed) {
    parts_.log.warning("file taken over from a worker that died", {{"file", file.fileId}});
    parts_.metrics.taken_over();
    return *std::move(claimed);
  }
  if (refusal<ReclaimRefusal>(claimed.error())) return std::nullopt;
  return fail(claimed.error());
}

Result<void> Worker::finish(const File& file, const Outcome& outcome) {
  // The database may be away for a moment; the work is done, and should not be done twice.
  for (int tries = 1;; ++tries) {
    const Result<void> stored = store(file, outcome);
    if (stored) break;
    if (tries == kTriesMax) return stored;
    std::this_thread::sleep_for(delay_after(tries, kStoreDelays, Random::system()));
  }
  // A failed file has another key when it is announced again, so this removes what was read and nothing newer.
  return parts_.bucket.remove(file.s3Key);
}

Result<void> Worker::store(const File& file, const Outcome& outcome) {
  Result<File> stored = outcome.analysis
                            ? parts_.files.complete(completion(file, *outcome.analysis))
                            : parts_.files.fail({.fileId = file.fileId,
                                                 .claimedAt = file.updatedAt,
                                                 .errorMessage = outcome.why.substr(0, kMessageBytesMax)});
  if (stored) {
    outcome.analysis ? parts_.metrics.completed() : parts_.metrics.failed();
    parts_.log.info(outcome.analysis ? "completed" : "failed", {{"file", file.fileId}, {"why", outcome.why}});
    if (parts_.changed) parts_.changed(*stored);
    return {};
  }
  if (refusal<CompleteRefusal>(stored.error()) || refusal<FailRefusal>(stored.error())) {
    parts_.metrics.superseded();
    parts_.log.warning("another worker has finished this file, or has it now", {{"file", file.fileId}});
    return {};
  }
  return fail(stored.error());
}

}  // namespace tavola::text_analyzer
