// Requests for batches as JSON, and their responses; the pages of a table's tags.
#pragma once

#include <string>

#include <tavola/error.h>
#include <tavola/requests.h>

#include "wire/codec/json.h"

namespace tavola::wire {

std::string batch_get_body(const BatchGetItemRequest& request);
std::string batch_write_body(const BatchWriteItemRequest& request);

Result<BatchGetItemResponse> read_batch_get(JsonValue body, const BatchGetItemRequest& request);
Result<BatchWriteItemResponse> read_batch_write(JsonValue body);
Result<std::string> read_table_arn(JsonValue body);

struct TagsPage {
  Tags tags{};
  std::string next_token{};  // empty at the end
};
Result<TagsPage> read_tags_page(JsonValue body);

}  // namespace tavola::wire
