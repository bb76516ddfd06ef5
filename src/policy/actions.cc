#include "policy/actions.h"

#include <algorithm>
#include <span>

namespace tavola::policy {
namespace {

// DeveloperGuide, "DynamoDB API operations supported by resource-based policies". Operations that Tavola does not
// support are included: a policy made for AWS may name them.
constexpr std::string_view kOfTables[] = {
    "BatchGetItem",
    "BatchWriteItem",
    "ConditionCheckItem",
    "CreateBackup",
    "CreateTable",
    "CreateTableReplica",
    "DeleteItem",
    "DeleteResourcePolicy",
    "DeleteTable",
    "DeleteTableReplica",
    "DescribeContinuousBackups",
    "DescribeContributorInsights",
    "DescribeExport",
    "DescribeKinesisStreamingDestination",
    "DescribeTable",
    "DescribeTableReplicaAutoScaling",
    "DescribeTimeToLive",
    "DisableKinesisStreamingDestination",
    "EnableKinesisStreamingDestination",
    "ExportTableToPointInTime",
    "GetItem",
    "GetResourcePolicy",
    "ListTagsOfResource",
    "PartiQLDelete",
    "PartiQLInsert",
    "PartiQLSelect",
    "PartiQLUpdate",
    "PutItem",
    "PutResourcePolicy",
    "Query",
    "ReadDataForReplication",
    "ReplicateSettings",
    "RestoreTableFromBackup",
    "RestoreTableToPointInTime",
    "Scan",
    "TagResource",
    "UntagResource",
    "UpdateContinuousBackups",
    "UpdateContributorInsights",
    "UpdateItem",
    "UpdateKinesisStreamingDestination",
    "UpdateTable",
    "UpdateTableReplicaAutoScaling",
    "UpdateTimeToLive",
    "WriteDataForReplication",
};

constexpr std::string_view kOfStreams[] = {
    "DeleteResourcePolicy", "DescribeStream",   "GetRecords",
    "GetResourcePolicy",    "GetShardIterator", "PutResourcePolicy",
};

}  // namespace

bool is_action(std::string_view text, Target target) {
  const auto pattern = Pattern::parse(text, {.variables = false, .ignores_case = true});
  if (!pattern) return false;
  const std::span<const std::string_view> actions =
      target == Target::Table ? std::span<const std::string_view>(kOfTables) : kOfStreams;
  return std::ranges::any_of(actions, [&](std::string_view action) {
    return pattern->matches("dynamodb:" + std::string(action), Context());
  });
}

}  // namespace tavola::policy
