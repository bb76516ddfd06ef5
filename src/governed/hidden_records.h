// Tavola's internal records are items of the table, under keys that begin with '$'. Clients do not see them: they are taken out of pages
// and streams. An item under the key of an internal record of a design can still be got by its key, as from a server with data of its own;
// records of the fronts cannot.
#pragma once

#include <string>

#include <tavola/requests.h>
#include <tavola/streams.h>

#include "governed/design_facts.h"

namespace tavola::governed {

// Changes a scan so that records can be recognized in its page, or are left out of it.
class RecordFilter {
 public:
  // The scan must be one of the table itself.
  RecordFilter(const DesignFacts& facts, ScanRequest& request);

  void apply(ScanResponse& page) const;

 private:
  const DesignFacts& facts_;
  bool is_by_server_ = false;
  bool strips_hash_ = false;
};

// Takes the records of governed tables out of changes.
void hide_records(const GovernedTables& tables, GetRecordsResponse& response);

Error reserved_key();

}  // namespace tavola::governed
