// Converts a server's responses to those of a Database: JSON to typed responses, and errors to Error.
#pragma once

#include <string_view>

#include <tavola/error.h>
#include <tavola/requests.h>

#include "wire/codec/json.h"

namespace tavola::upstream {

// Returns the error of a response with a status above 299, with its detail: the item of a failed condition, the reasons
// of a cancelled transaction.
Error read_error(long status, std::string_view body);

Result<GetItemResponse> read_get_item(wire::JsonValue body);
Result<Page> read_page(wire::JsonValue body);
Result<WriteItemResponse> read_write(wire::JsonValue body);
Result<TransactGetItemsResponse> read_transact_get(wire::JsonValue body);
Result<TransactWriteItemsResponse> read_transact_write(wire::JsonValue body);
Result<TableDescription> read_table(wire::JsonValue body, std::string_view member);
Result<ListTablesResponse> read_list_tables(wire::JsonValue body);
Result<DescribeTimeToLiveResponse> read_time_to_live(wire::JsonValue body);

}  // namespace tavola::upstream
