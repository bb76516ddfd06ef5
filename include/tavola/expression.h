// The parts of a request that accompany its expression texts: attribute names, and the legacy parameters that DynamoDB
// still accepts.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <tavola/value.h>

namespace tavola {

// ExpressionAttributeNames: "#n" → attribute name.
using AttributeNames = std::map<std::string, std::string, std::less<>>;

// The operators of Expected, KeyConditions, QueryFilter and ScanFilter.
enum class ComparisonOperator : std::uint8_t {
  Eq,
  Ne,
  In,
  Le,
  Lt,
  Ge,
  Gt,
  Between,
  NotNull,
  Null,
  Contains,
  NotContains,
  BeginsWith,
};

enum class ConditionalOperator : std::uint8_t { And, Or };

// One entry of KeyConditions, QueryFilter or ScanFilter.
struct LegacyCondition {
  ComparisonOperator op = ComparisonOperator::Eq;
  std::vector<Value> operands;  // AttributeValueList
};
using LegacyConditions = std::map<std::string, LegacyCondition, std::less<>>;

// One entry of Expected: either Exists/Value or ComparisonOperator/AttributeValueList.
struct ExpectedAttribute {
  std::optional<bool> exists;
  std::optional<Value> value;
  std::optional<ComparisonOperator> op;
  std::optional<std::vector<Value>> operands;
};
using ExpectedAttributes = std::map<std::string, ExpectedAttribute, std::less<>>;

// One entry of AttributeUpdates.
enum class UpdateAction : std::uint8_t { Put, Add, Delete };
struct AttributeUpdate {
  UpdateAction action = UpdateAction::Put;
  std::optional<Value> value;
};
using AttributeUpdates = std::map<std::string, AttributeUpdate, std::less<>>;

}  // namespace tavola
