// Writes requests on tables as the JSON that a client sends.
#pragma once

#include <string>

#include <tavola/requests.h>

namespace tavola::wire {

// {"TableName": …}, all that many operations need.
std::string table_body(const std::string& table);
std::string to_json(const ListTablesRequest& request);
std::string to_json(const UpdateTableRequest& request);
std::string to_json(const UpdateTimeToLiveRequest& request);

// A remote table's tags are addressed by its ARN.
std::string tag_body(const std::string& arn, const Tags& tags);
std::string untag_body(const std::string& arn, const std::vector<std::string>& keys);
std::string list_tags_body(const std::string& arn, const std::string& next_token);

}  // namespace tavola::wire
