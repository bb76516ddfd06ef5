// AWS's words that several rooms say. The API reference lists the codes and messages of cancelled transactions at TransactWriteItems; a
// single request that is throttled says the same.
#pragma once

#include <vector>

#include <tavola/requests.h>

namespace tavola {

inline constexpr const char* kTableThroughputExceeded =
    "The level of configured provisioned throughput for the table was exceeded. Consider increasing your "
    "provisioning level with the UpdateTable API.";
inline constexpr const char* kTransactionOngoing = "Transaction is ongoing for the item";

// Returns TransactionCanceled with a reason for each action, in their order.
Error transaction_cancelled(std::vector<CancellationReason> reasons);

// Returns whether a transaction that was sent before under its token, without an answer, has not taken effect: DynamoDB knows the token
// before it looks at conditions. Throttling and conflicts come first, and tell nothing of it.
bool settles_transaction(const Error& error);

}  // namespace tavola
