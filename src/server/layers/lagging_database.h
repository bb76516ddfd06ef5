// A database in front of another one, whose global indexes are as they were some time ago.
#pragma once

#include "database/forwarding_database.h"
#include "server/layers/faults.h"
#include "server/layers/past_views.h"

namespace tavola::server {

// Lives as long as one request: borrows all it is given. It stands behind what a caller's permissions forbid, which the past does
// not know.
class LaggingDatabase final : public ForwardingDatabase {
 public:
  LaggingDatabase(Database& database, Faults& faults, const PastViews& views)
      : ForwardingDatabase(database), faults_(faults), views_(views) {}

  Result<QueryResponse> query(const QueryRequest& request) override;
  Result<ScanResponse> scan(const ScanRequest& request) override;

 private:
  // The page as it was; `now` is as it is.
  template <class Request>
  Page read_past(ItemOperation operation, const Request& request, Page now);

  Faults& faults_;
  const PastViews& views_;
};

}  // namespace tavola::server
