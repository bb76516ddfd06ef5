// Which attributes of an item a write looks at and changes. All are attributes at the top of the item. What the database will
// refuse, such as a condition that cannot be parsed, is left out.
#pragma once

#include <string>
#include <vector>

#include <tavola/requests.h>

namespace tavola::access {

// The attributes that the condition looks at.
std::vector<std::string> condition_attributes(const PutItemRequest& request);
std::vector<std::string> condition_attributes(const UpdateItemRequest& request);
std::vector<std::string> condition_attributes(const DeleteItemRequest& request);
std::vector<std::string> condition_attributes(const ConditionCheck& request);

// One change of an update: SET title = if_not_exists(draft, :t) changes title, from draft.
struct AttributeChange {
  std::string attribute;
  std::vector<std::string> from{};
  // The attributes whose stored values can be told from what comes of the change. ADD, DELETE, arithmetic and list_append read what they
  // change, because they fail by its type and size; SET title = if_not_exists(title, :t) reads nothing.
  std::vector<std::string> reads{};
};
std::vector<AttributeChange> attribute_changes(const UpdateItemRequest& request);

}  // namespace tavola::access
