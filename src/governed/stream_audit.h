// Follows the streams of the governed tables and reports every write that broke a design (audit.h): somebody wrote past the fronts. One
// front at a time does this for a table; the lease, and how far the audit has come, are a record of the table:
//
//   {hash: $lease#audit, range: $lease, $owner, $count, $stream, $positions: {<shard>: <sequence number>}}
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include <tavola/database.h>

#include "governed/audit.h"
#include "governed/companion_audit.h"
#include "governed/design_facts.h"
#include "governed/leases.h"

namespace tavola::governed {

// Thread safety: findings() and records() from any thread; pass() by one thread at a time.
class StreamAudit {
 public:
  struct Report {
    std::function<void(const std::string& table, const AuditFinding& finding)> found;
    std::function<void(const std::string& why)> failed;  // the audit itself; the next pass tries again
  };
  // Borrows all it is given.
  StreamAudit(Database& remote, const GovernedTables& tables, Leases& leases, const Clock& clock)
      : remote_(remote), tables_(tables), leases_(leases), clock_(clock) {}
  ~StreamAudit();
  StreamAudit(const StreamAudit&) = delete;
  StreamAudit& operator=(const StreamAudit&) = delete;

  // Does a pass every second from now on.
  void start(Report report);
  // Reads what is new in the streams whose lease this front has, or gets. A table without a stream is passed over.
  void pass(const Report& report);

  std::uint64_t findings() const { return findings_; }
  std::uint64_t records() const { return records_; }
  // Changes whose companions were not looked at because there were too many.
  std::uint64_t skipped() const { return skipped_; }

 private:
  // The position of the audit in the stream of one table.
  struct Progress {
    std::string stream;
    std::map<std::string, std::string, std::less<>> positions;  // sequence numbers by shard
    std::map<std::string, std::string, std::less<>> iterators;  // by shard; empty: the shard is read
    bool is_ours = false;
    bool is_known = false;  // somebody has begun before
    bool has_news = false;  // the positions have changed since the lease was written
    std::chrono::steady_clock::time_point ask_next{};
    std::unique_ptr<CompanionAudit> companions;  // of the design as it is now
  };

  Result<void> audit_table(const std::shared_ptr<const DesignFacts>& facts, const Report& report);
  Result<void> look_at_companions(const DesignFacts& facts, Progress& progress, const Report& report);
  Result<bool> has_unfinished(const DesignFacts& facts);
  void found(const DesignFacts& facts, const AuditFinding& finding, const Report& report);
  Result<std::string> latest_stream(const std::string& table_name);
  static Result<PackedItem> lease_key(const DesignFacts& facts);
  Result<bool> take_lease(const DesignFacts& facts, Progress& progress);
  Result<void> load(const DesignFacts& facts, Progress& progress);
  Result<void> find_shards(Progress& progress);
  Result<void> open_shard(const Shard& shard, Progress& progress);
  Result<void> read_shard(const DesignFacts& facts, const std::string& shard, Progress& progress,
                          const Report& report);

  Database& remote_;
  const GovernedTables& tables_;
  Leases& leases_;
  const Clock& clock_;
  std::map<std::string, Progress, std::less<>> progress_;  // by table
  std::atomic<std::uint64_t> findings_ = 0;
  std::atomic<std::uint64_t> records_ = 0;
  std::atomic<std::uint64_t> skipped_ = 0;
  std::mutex mutex_;
  std::condition_variable_any stopped_;
  std::jthread thread_;  // ends first: it uses the others
};

}  // namespace tavola::governed
