// Engine: the Database on a Store. Each method checks, looks the table up, and hands over to the file that
// does the work: tables.cc, write.cc, read.cc. It holds no data and takes no lock: what changes data goes
// through the store.
#pragma once

#include <memory>

#include <tavola/database.h>

#include "base/clock.h"
#include "base/random.h"
#include "engine/catalog.h"
#include "engine/write.h"
#include "store/store.h"

namespace tavola::engine {

class Engine final : public Database {
 public:
  explicit Engine(std::unique_ptr<store::Store> store, const Clock& clock = Clock::system(),
                  Random& random = Random::system());

  Result<CreateTableResponse> create_table(const CreateTableRequest& request) override;
  Result<DescribeTableResponse> describe_table(const DescribeTableRequest& request) override;
  Result<ListTablesResponse> list_tables(const ListTablesRequest& request) override;
  Result<UpdateTableResponse> update_table(const UpdateTableRequest& request) override;
  Result<DeleteTableResponse> delete_table(const DeleteTableRequest& request) override;

  Result<PutItemResponse> put_item(const PutItemRequest& request) override;
  Result<GetItemResponse> get_item(const GetItemRequest& request) override;
  Result<UpdateItemResponse> update_item(const UpdateItemRequest& request) override;
  Result<DeleteItemResponse> delete_item(const DeleteItemRequest& request) override;

  Result<QueryResponse> query(const QueryRequest& request) override;
  Result<ScanResponse> scan(const ScanRequest& request) override;

 private:
  // For operations on items: fails with ResourceNotFound.
  Result<SchemaPtr> table(const std::string& name);
  // Looks the table up and calls `attempt` with it, again when the table changed meanwhile.
  template <class Attempt>
  auto with_table(const std::string& name, const Attempt& attempt);
  // The same for reads, which have no guard: again when the table is another one by the end of `attempt`.
  template <class Attempt>
  auto read_table(const std::string& name, const Attempt& attempt);
  // With the counts as they are now.
  Result<TableDescription> describe(const TableSchema& schema) const;
  template <class Request>
  WriteItemResponse write_response(const Request& request, const TableSchema& table, WrittenItem& written,
                                   const expr::Update& update) const;
  Result<ItemCollectionMetrics> collection_metrics(const TableSchema& table, const ItemView& key) const;

  std::unique_ptr<store::Store> store_;
  Catalog catalog_;
  const Clock& clock_;
  Random& random_;
};

}  // namespace tavola::engine
