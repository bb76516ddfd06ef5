// How a table gets a design, and what is known about its governance.
#pragma once

#include <tavola/requests.h>

#include "base/clock.h"
#include "engine/catalog/catalog.h"
#include "engine/governed/governor.h"
#include "store/store.h"

namespace tavola::engine {

// GovernTable: gives the table a design, or its design another enforcement. Fails with Validation when the design has errors
// or its keys are not the table's.
Result<GovernedBy> govern_table(Catalog& catalog, const GovernTableRequest& request);

// UpdateTable: fails if the request deletes or redefines an index of the design. Other indexes may change.
// One that differs from the design may be deleted, to be created as the design says.
Result<void> check_index_changes(const Governor& governor, const UpdateTableRequest& request,
                                 const TableDescription& table);

Result<DescribeGovernanceResponse> describe_governance(const store::Store& store, const TableSchema& schema,
                                                       const DescribeGovernanceRequest& request,
                                                       WallTime now);

}  // namespace tavola::engine
