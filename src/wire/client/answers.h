// Answers of a server as what a Database returns: JSON to typed responses, and errors back to what they were.
#pragma once

#include <string_view>

#include <tavola/error.h>
#include <tavola/requests.h>

#include "wire/codec/json.h"

namespace tavola::wire {

// The error that an answer with a status beyond 299 tells, with its detail: the item of a failed condition, the reasons of a
// cancelled transaction.
Error read_error(long status, std::string_view body);

Result<GetItemResponse> read_get_item(JsonValue body);
Result<Page> read_page(JsonValue body);
Result<WriteItemResponse> read_write(JsonValue body);
Result<TransactGetItemsResponse> read_transact_get(JsonValue body);
Result<TransactWriteItemsResponse> read_transact_write(JsonValue body);
Result<TableDescription> read_table(JsonValue body, std::string_view member);
Result<ListTablesResponse> read_list_tables(JsonValue body);
Result<DescribeTimeToLiveResponse> read_time_to_live(JsonValue body);

}  // namespace tavola::wire
