// Finds the top-level attributes that a write reads and changes. Parts that the database will refuse, such as a
// condition that cannot be parsed, are skipped.
#pragma once

#include <string>
#include <vector>

#include <tavola/requests.h>

namespace tavola::access {

// Returns the attributes that the condition reads.
std::vector<std::string> condition_attributes(const PutItemRequest& request);
std::vector<std::string> condition_attributes(const UpdateItemRequest& request);
std::vector<std::string> condition_attributes(const DeleteItemRequest& request);
std::vector<std::string> condition_attributes(const ConditionCheck& request);

// One change of an update: SET title = if_not_exists(draft, :t) changes title, from draft.
struct AttributeChange {
  std::string attribute;
  std::vector<std::string> from{};
  // The attributes whose stored values can be inferred from the result. ADD, DELETE, arithmetic and list_append read
  // the changed attribute, because they fail depending on its type and size; SET title = if_not_exists(title, :t) reads
  // nothing.
  std::vector<std::string> reads{};
};
std::vector<AttributeChange> attribute_changes(const UpdateItemRequest& request);

}  // namespace tavola::access
