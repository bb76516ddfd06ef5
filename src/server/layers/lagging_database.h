// A decorator whose global indexes show the state of some time ago.
#pragma once

#include "database/forwarding_database.h"
#include "server/layers/faults.h"
#include "server/layers/past_views.h"

namespace tavola::server {

// Lives as long as one request; borrows its arguments. Its place is behind the check of permissions, which the past
// does not have.
class LaggingDatabase final : public ForwardingDatabase {
 public:
  LaggingDatabase(Database& database, Faults& faults, const PastViews& views)
      : ForwardingDatabase(database), faults_(faults), views_(views) {}

  Result<QueryResponse> query(const QueryRequest& request) override;
  Result<ScanResponse> scan(const ScanRequest& request) override;

 private:
  // Returns the page of the past; `now` is that of the present.
  template <class Request>
  Page read_past(ItemOperation operation, const Request& request, Page now);

  Faults& faults_;
  const PastViews& views_;
};

}  // namespace tavola::server
