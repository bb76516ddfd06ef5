// Query and Scan: from compiled parameters to the range of entries that a page reads.
#pragma once

#include <tavola/requests.h>

#include "engine/checks/compiled_request.h"
#include "engine/read/page.h"
#include "engine/records/schema.h"
#include "store/store.h"

namespace tavola::engine {

Result<Page> query_table(const store::Store& store, const TableSchema& table, const QueryRequest& request,
                         const ReadParameters& parameters);

// Returns what a page of the query walks. Checks the query as query_table() does. The result borrows all arguments.
Result<PageScan> scan_of_query(const TableSchema& table, const QueryRequest& request,
                               const ReadParameters& parameters);

Result<Page> scan_table(const store::Store& store, const TableSchema& table, const ScanRequest& request,
                        const ReadParameters& parameters);

// Checks that need no table, in AWS's order; called before the table is looked up.
Result<void> check_query(const QueryRequest& request);
Result<void> check_scan(const ScanRequest& request);

}  // namespace tavola::engine
