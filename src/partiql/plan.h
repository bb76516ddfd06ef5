// Plans a statement: from it and the description of its table to the requests that perform it. Pure.
//
//   SELECT   Query for each part of a partition that the WHERE clause gives, otherwise Scan; conditions that neither the
//            key condition nor the filter can express are applied to the items found (ReadPlan::remaining)
//   INSERT   PutItem, if the item is missing
//   UPDATE   UpdateItem, if it exists;  DELETE  DeleteItem;  both with the rest of the WHERE clause as their condition
//   EXISTS   ConditionCheck
#pragma once

#include <string>
#include <variant>
#include <vector>

#include <tavola/error.h>
#include <tavola/requests.h>

#include "partiql/key_reads.h"
#include "partiql/prepare.h"

namespace tavola::partiql {

// A condition with its names and values; empty if there is none.
struct ConditionText {
  std::string text{};
  AttributeNames names{};
  PackedItem values{};
};

struct ReadPlan {
  std::variant<QueryRequest, ScanRequest> request;
  ConditionText remaining{};
  std::vector<Column> columns{};  // of the items found; empty: everything read
};

struct SelectPlan {
  std::vector<ReadPlan> reads;  // one after the other; empty: no item can match
};

struct ReadOptions {
  bool consistent = false;
  ReturnConsumedCapacity capacity = ReturnConsumedCapacity::None;
};

Result<SelectPlan> plan_select(Prepared& prepared, const TableDescription& table, const ReadOptions& options);

// For a batch or a transaction: plans a read of the one item whose key the WHERE clause gives, with no other condition.
// Fails with `otherwise` if it gives no such key.
Result<GetItemRequest> plan_get(Prepared& prepared, const TableDescription& table, const ReadOptions& options,
                                const Error& otherwise);

// The detail of an error: the WHERE clause of a write, or of EXISTS, gives no key of the table. It cancels a
// transaction.
struct KeyRefused final : ErrorDetail {};

struct WriteOptions {
  ReturnValuesOnConditionCheckFailure on_condition_failure = ReturnValuesOnConditionCheckFailure::None;
  ReturnConsumedCapacity capacity = ReturnConsumedCapacity::None;
};

// Requires a statement other than SELECT.
Result<TransactWrite> plan_write(Prepared& prepared, const TableDescription& table,
                                 const WriteOptions& options);

// Returns the key of the table or of its index. Fails if the index is missing, or has multi-attribute keys.
Result<Key> key_of(const TableDescription& table, std::string_view index);

}  // namespace tavola::partiql
