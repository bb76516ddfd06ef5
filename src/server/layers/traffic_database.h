// A Database decorator that counts the reads of tables that have a design, and what they cost, by pattern.
#pragma once

#include <algorithm>
#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/locks.h"
#include "database/forwarding_database.h"
#include "drift/requests_seen.h"

namespace tavola::server {

// Thread safety: all methods. Borrows the database.
class TrafficDatabase final : public ForwardingDatabase {
 public:
  using DesignList = std::shared_ptr<const std::vector<design::Design>>;
  TrafficDatabase(Database& database, const DesignList& designs) : ForwardingDatabase(database) {
    serve(designs);
  }

  // Counts for these designs from now on. The counts of a design that has not changed continue.
  void serve(const DesignList& designs) {
    const ExclusiveLock lock(mutex_);
    std::vector<Counted> older = std::exchange(counted_, {});
    has_designs_ = !designs->empty();
    for (const design::Design& design : *designs) {
      const auto same = std::ranges::find_if(older, [&](const Counted& one) {
        return one.seen && one.seen->design().text == design.text &&
               one.seen->design().table.name == design.table.name;
      });
      counted_.push_back(same != older.end() ? std::move(*same)
                                             : Counted{designs, std::make_unique<drift::RequestsSeen>(
                                                                    design, Clock::system().now())});
    }
  }

  // The database below, for requests that are not the users' (wire/codec/maintenance_header.h).
  Database& uncounted() { return database(); }

  // Returns nullopt if there is no such design.
  std::optional<drift::RequestCounts> counts(std::string_view design) const {
    const SharedLock lock(mutex_);
    for (const Counted& one : counted_) {
      if (one.seen->design().name == design) return one.seen->counts();
    }
    return std::nullopt;
  }

  // Return the names of the patterns that explain a read, without counting it; nullopt if no design has the table.
  std::optional<std::vector<std::string>> explain(const QueryRequest& request) const {
    return explain_by(request.table_name, [&](drift::RequestsSeen& seen) { return seen.explain(request); });
  }
  std::optional<std::vector<std::string>> explain(const ScanRequest& request) const {
    return explain_by(request.table_name, [&](drift::RequestsSeen& seen) { return seen.explain(request); });
  }
  std::optional<std::vector<std::string>> explain_get(std::string_view table, const PackedItem& key) const {
    return explain_by(table, [&](drift::RequestsSeen& seen) { return seen.explain_get(key); });
  }

  // The counted reads, with what they cost. A refused read counts, too: it was asked.
  Result<GetItemResponse> get_item(const GetItemRequest& request) override;
  Result<QueryResponse> query(const QueryRequest& request) override;
  Result<ScanResponse> scan(const ScanRequest& request) override;
  Result<BatchGetItemResponse> batch_get_item(const BatchGetItemRequest& request) override;
  Result<TransactGetItemsResponse> transact_get_items(const TransactGetItemsRequest& request) override;

 private:
  template <class Explain>
  std::optional<std::vector<std::string>> explain_by(std::string_view table, Explain explain) const {
    std::optional<std::vector<std::string>> all;
    each_of(table, [&](drift::RequestsSeen& seen) {
      if (!all) all.emplace();
      for (std::string& name : explain(seen)) all->push_back(std::move(name));
    });
    return all;
  }

  bool is_counted(std::string_view table) const {
    if (!has_designs_.load(std::memory_order_relaxed)) return false;
    const SharedLock lock(mutex_);
    return std::ranges::any_of(counted_,
                               [&](const Counted& one) { return one.seen->design().table.name == table; });
  }
  template <class Note>
  void each_of(std::string_view table, Note note) const {
    const SharedLock lock(mutex_);
    for (const Counted& one : counted_) {
      if (one.seen->design().table.name == table) note(*one.seen);
    }
  }
  // Performs a read that asks for its capacity, also if the client does not.
  template <class Request, class Call>
  auto measured(const Request& request, Call call);
  template <class Request, class Call>
  Result<Page> paged(const Request& request, Call call);

  struct Counted {
    DesignList keeps;  // the design of `seen`
    std::unique_ptr<drift::RequestsSeen> seen;
  };
  std::atomic<bool> has_designs_ = false;  // without them, reads do not even ask for the lock
  mutable SharedMutex mutex_;
  std::vector<Counted> counted_ TAVOLA_GUARDED_BY(mutex_);
};

}  // namespace tavola::server
