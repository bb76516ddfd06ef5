// A Database decorator that counts the reads of tables that have a design, by pattern.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "database/forwarding_database.h"
#include "drift/requests_seen.h"

namespace tavola::server {

// Thread safety: all methods. Borrows the database and the designs.
class TrafficDatabase final : public ForwardingDatabase {
 public:
  TrafficDatabase(Database& database, const std::vector<design::Design>& designs)
      : ForwardingDatabase(database) {
    for (const design::Design& design : designs)
      seen_.push_back(std::make_unique<drift::RequestsSeen>(design));
  }

  // The database below, for requests that are not the users' (wire/codec/maintenance_header.h).
  Database& uncounted() { return database(); }

  // Returns null if there is no such design.
  const drift::RequestsSeen* find(std::string_view design) const {
    for (const auto& seen : seen_) {
      if (seen->design().name == design) return seen.get();
    }
    return nullptr;
  }

  // The counted reads. A refused read counts, too: it was asked.
  Result<GetItemResponse> get_item(const GetItemRequest& request) override {
    each_of(request.table_name, [&](drift::RequestsSeen& seen) { seen.note_get(request.key); });
    return database().get_item(request);
  }
  Result<QueryResponse> query(const QueryRequest& request) override {
    // Further pages belong to the same question.
    if (!request.exclusive_start_key) {
      each_of(request.table_name, [&](drift::RequestsSeen& seen) { seen.note(request); });
    }
    return database().query(request);
  }
  Result<ScanResponse> scan(const ScanRequest& request) override {
    if (!request.exclusive_start_key) {
      each_of(request.table_name, [&](drift::RequestsSeen& seen) { seen.note(request); });
    }
    return database().scan(request);
  }
  Result<BatchGetItemResponse> batch_get_item(const BatchGetItemRequest& request) override {
    for (const KeysToGet& keys : request.tables) {
      each_of(keys.table_name, [&](drift::RequestsSeen& seen) {
        for (const PackedItem& key : keys.keys) seen.note_get(key);
      });
    }
    return database().batch_get_item(request);
  }
  Result<TransactGetItemsResponse> transact_get_items(const TransactGetItemsRequest& request) override {
    for (const GetItemRequest& get : request.gets) {
      each_of(get.table_name, [&](drift::RequestsSeen& seen) { seen.note_get(get.key); });
    }
    return database().transact_get_items(request);
  }

 private:
  template <class Note>
  void each_of(std::string_view table, Note note) {
    for (const auto& seen : seen_) {
      if (seen->design().table.name == table) note(*seen);
    }
  }

  std::vector<std::unique_ptr<drift::RequestsSeen>> seen_;
};

}  // namespace tavola::server
