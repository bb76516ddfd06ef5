// From a statement and the description of its table to the requests that perform it. Pure.
//
//   SELECT   Query for each part of a partition that the WHERE clause gives, otherwise Scan; what the key condition and the
//            filter cannot say is left for the items found (ReadPlan::remaining)
//   INSERT   PutItem, when there is no such item
//   UPDATE   UpdateItem, when there is one;  DELETE  DeleteItem;  both with the rest of the WHERE clause as their condition
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

// A condition with its names and values; empty: none.
struct ConditionText {
  std::string text{};
  AttributeNames names{};
  PackedItem values{};
};

struct ReadPlan {
  std::variant<QueryRequest, ScanRequest> request;
  ConditionText remaining{};
  std::vector<Column> columns{};  // of the items found; none: all that was read
};

struct SelectPlan {
  std::vector<ReadPlan> reads;  // one after the other; none: nothing can be found
};

struct ReadOptions {
  bool consistent = false;
  ReturnConsumedCapacity capacity = ReturnConsumedCapacity::None;
};

Result<SelectPlan> plan_select(Prepared& prepared, const TableDescription& table, const ReadOptions& options);

// Of a batch or a transaction: the one item whose key the WHERE clause gives, and nothing else. Fails with `otherwise` when it
// gives no such key.
Result<GetItemRequest> plan_get(Prepared& prepared, const TableDescription& table, const ReadOptions& options,
                                const Error& otherwise);

// The detail of an error: the WHERE clause of a write, or of EXISTS, gives no key of the table. A transaction is cancelled by it.
struct KeyRefused final : ErrorDetail {};

struct WriteOptions {
  ReturnValuesOnConditionCheckFailure on_condition_failure = ReturnValuesOnConditionCheckFailure::None;
  ReturnConsumedCapacity capacity = ReturnConsumedCapacity::None;
};

// Requires a statement that is no SELECT.
Result<TransactWrite> plan_write(Prepared& prepared, const TableDescription& table,
                                 const WriteOptions& options);

// The key of the table, or of its index. Fails when there is no such index, and when it has keys of several attributes.
Result<Key> key_of(const TableDescription& table, std::string_view index);

}  // namespace tavola::partiql
