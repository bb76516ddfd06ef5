// Requests for batches, tags and time to live as JSON, and their responses.
#pragma once

#include <string>

#include <tavola/error.h>
#include <tavola/requests.h>

#include "wire/codec/json.h"

namespace tavola::wire {

std::string batch_get_body(const BatchGetItemRequest& request);
std::string batch_write_body(const BatchWriteItemRequest& request);
std::string time_to_live_body(const UpdateTimeToLiveRequest& request);
// A remote table's tags are addressed by its ARN.
std::string tag_body(const std::string& arn, const Tags& tags);
std::string untag_body(const std::string& arn, const std::vector<std::string>& keys);
std::string list_tags_body(const std::string& arn, const std::string& next_token);

Result<BatchGetItemResponse> read_batch_get(JsonValue body, const BatchGetItemRequest& request);
Result<BatchWriteItemResponse> read_batch_write(JsonValue body);
Result<std::string> read_table_arn(JsonValue body);

struct TagsPage {
  Tags tags{};
  std::string next_token{};  // empty at the end
};
Result<TagsPage> read_tags_page(JsonValue body);

}  // namespace tavola::wire
