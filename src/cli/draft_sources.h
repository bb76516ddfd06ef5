// The sources of a first design: a table, or items in files.
#pragma once

#include <string>
#include <vector>

#include <tavola/error.h>
#include <tavola/requests.h>
#include <tavola/value.h>

#include "cli/design_commands.h"
#include "workshop/exchange/draft.h"

namespace tavola::cli {

// Fails with Validation if neither --data nor --endpoint is given, and as the database does.
Result<workshop::Draft> draft_of_table(const InferOptions& options);

// Reads items in DynamoDB JSON or plain JSON: one object, a list of them, a line for each, or the output of `aws dynamodb scan`.
// Fails with Validation if a file has no items, or something else.
Result<std::vector<Item>> read_sample_items(const std::vector<std::string>& files);

// The table that items are from, as far as they show it.
struct SampledTable {
  std::string name{};
  std::string hash{};   // empty: PK, or what else looks like a partition key
  std::string range{};  // empty: likewise; "-": none
};
// Returns its description, with an index for attributes like GSI1PK and GSI1SK. Fails with Validation if the items do not show the keys.
Result<TableDescription> describe_sampled(const SampledTable& said, const std::vector<Item>& items);

}  // namespace tavola::cli
