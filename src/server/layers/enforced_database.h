// A decorator that enforces the throughput of tables, as AWS does (Developer Guide, "Throttling"): a request is
// admitted if units are left, its consumption is subtracted, and a refused request has no effect.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "database/forwarding_database.h"
#include "server/layers/meters.h"

namespace tavola::server {

// Thread safety: all methods. Borrows the database and the clock.
class EnforcedDatabase final : public ForwardingDatabase {
 public:
  explicit EnforcedDatabase(Database& database, const Clock& clock = Clock::system())
      : ForwardingDatabase(database), meters_(clock) {}

  // Requests that were refused, and items that a batch left, since the start.
  std::uint64_t throttle_events(UnitKind kind) const { return events_[std::to_underlying(kind)].load(); }
  // tavola_throttle_events_total{kind="…"}, for Prometheus.
  void append_metrics(std::string& out) const;

  Result<CreateTableResponse> create_table(const CreateTableRequest& request) override;
  Result<UpdateTableResponse> update_table(const UpdateTableRequest& request) override;
  Result<DeleteTableResponse> delete_table(const DeleteTableRequest& request) override;

  Result<PutItemResponse> put_item(const PutItemRequest& request) override;
  Result<GetItemResponse> get_item(const GetItemRequest& request) override;
  Result<UpdateItemResponse> update_item(const UpdateItemRequest& request) override;
  Result<DeleteItemResponse> delete_item(const DeleteItemRequest& request) override;
  Result<QueryResponse> query(const QueryRequest& request) override;
  Result<ScanResponse> scan(const ScanRequest& request) override;
  Result<BatchGetItemResponse> batch_get_item(const BatchGetItemRequest& request) override;
  Result<BatchWriteItemResponse> batch_write_item(const BatchWriteItemRequest& request) override;
  Result<TransactGetItemsResponse> transact_get_items(const TransactGetItemsRequest& request) override;
  Result<TransactWriteItemsResponse> transact_write_items(const TransactWriteItemsRequest& request) override;

 private:
  // The units that requests on several items took in advance, by table.
  using Taken = std::map<std::string, Need, std::less<>>;
  // The items of a batch that must wait.
  struct Admission {
    Taken taken{};
    std::vector<bool> held{};
    std::vector<Throttled> reasons{};  // of the held items
  };

  // Returns whether the table has a limit.
  bool is_metered(const std::string& table);
  bool is_any_metered(const std::vector<Need>& needs);
  Error refused(const Throttled& throttled);
  template <class Request, class Call>
  auto read(const Request& request, std::string_view index, Call call);
  template <class Request, class Call>
  Result<WriteItemResponse> write(const Request& request, double units, Call call);
  // Admits item by item.
  Admission admit_each(const std::vector<Need>& needs);
  // Admits all or none; `needs` has one for each item, in order.
  Result<Taken> admit_all(const std::vector<Need>& needs);
  void settle(const Taken& taken, const std::vector<ConsumedCapacity>& used);
  void give_back(const Taken& taken);
  template <class Request, class Table, class Items, class Call>
  auto batch(const Request& request, const std::vector<Need>& needs, Items Table::* items, Call call);

  Meters meters_;
  std::array<std::atomic<std::uint64_t>, 2> events_{};
};

}  // namespace tavola::server
