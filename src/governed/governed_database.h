// A Database in front of another one, which has the items: it keeps the designs of their tables, whatever the other one is. Any number of
// such fronts may stand in front of the same tables.
//
//   writes of governed tables   engine (the code of governed tables) → ItemsElsewhere → RemoteTransaction → the other server
//   reads                       the other server, without internal records
//   all others                  the other server
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <span>

#include <tavola/database.h>

#include "database/forwarding_database.h"
#include "governed/stream_audit.h"
#include "governed/table_governor.h"

namespace tavola::governed {

// Thread safety: all methods.
class GovernedDatabase final : public ForwardingDatabase {
 public:
  // Borrows the server and the clock. Makes the tables of the designs ready (TableGovernor::prepare).
  static Result<std::unique_ptr<GovernedDatabase>> open(Database& remote,
                                                        std::span<const design::Design> designs,
                                                        const Clock& clock,
                                                        const TableGovernor::Options& options = {});

  // Starts the threads that finish large changes, also those of fronts that were killed, and that follow the streams of the tables.
  void start(const StreamAudit::Report& report) {
    governor_.engine().start_sweeping(report.failed);
    audit_.start(report);
  }
  StreamAudit& audit() { return audit_; }
  // Looks now whether the designs are still in force.
  void look() { governor_.watch().look(); }

  // Continues large changes now, for at most this time. Returns whether all are finished.
  bool finish(std::chrono::milliseconds time);

  const WriteCounts& counts() const { return governor_.counts(); }
  bool governs(std::string_view table_name) const { return governor_.tables().find(table_name) != nullptr; }

  Result<DescribeTableResponse> describe_table(const DescribeTableRequest& request) override;
  Result<UpdateTableResponse> update_table(const UpdateTableRequest& request) override;
  Result<UpdateTimeToLiveResponse> update_time_to_live(const UpdateTimeToLiveRequest& request) override;
  Result<DeleteTableResponse> delete_table(const DeleteTableRequest& request) override;

  Result<PutItemResponse> put_item(const PutItemRequest& request) override;
  Result<UpdateItemResponse> update_item(const UpdateItemRequest& request) override;
  Result<DeleteItemResponse> delete_item(const DeleteItemRequest& request) override;
  Result<BatchWriteItemResponse> batch_write_item(const BatchWriteItemRequest& request) override;
  Result<TransactWriteItemsResponse> transact_write_items(const TransactWriteItemsRequest& request) override;

  Result<GetItemResponse> get_item(const GetItemRequest& request) override;
  Result<QueryResponse> query(const QueryRequest& request) override;
  Result<ScanResponse> scan(const ScanRequest& request) override;
  Result<BatchGetItemResponse> batch_get_item(const BatchGetItemRequest& request) override;
  Result<TransactGetItemsResponse> transact_get_items(const TransactGetItemsRequest& request) override;
  Result<GetRecordsResponse> get_records(const GetRecordsRequest& request) override;

  Result<GovernTableResponse> govern_table(const GovernTableRequest& request) override {
    return governor_.govern(request);
  }
  Result<DescribeGovernanceResponse> describe_governance(const DescribeGovernanceRequest& request) override;
  Result<std::shared_ptr<const design::Design>> governing_design(std::string_view table_name) override;
  Result<MigrateTableResponse> migrate_table(const MigrateTableRequest& request) override;
  Result<std::unique_ptr<Database>> freeze() override;

 private:
  GovernedDatabase(Database& remote, const Clock& clock, const TableGovernor::Options& options)
      : ForwardingDatabase(remote),
        governor_(remote, clock, options),
        audit_(remote, governor_.tables(), governor_.leases(), clock) {}

  // Returns the facts of a governed table; null if it is not governed. Fails if it is to be governed and not yet.
  Result<std::shared_ptr<const DesignFacts>> facts_of(const std::string& table_name) const;
  // Returns whether a request on these tables is governed, and has the engine know all of them.
  Result<bool> are_governed(std::span<const std::string> table_names);
  template <class Request, class Response>
  Result<Response> write(const Request& request, const PackedItem& key,
                         Result<Response> (engine::Engine::*perform)(const Request&));
  Result<bool> is_of_records(const DesignFacts& facts, const QueryRequest& request);

  TableGovernor governor_;
  StreamAudit audit_;
};

}  // namespace tavola::governed
