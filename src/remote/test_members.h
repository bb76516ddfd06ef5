// The members of every request, for tests that change them one by one. A member that is added to a struct does not compile until it is
// listed here, and is then tested as the others.
#pragma once

#include <tuple>

#include <tavola/database.h>

namespace tavola {

#define TAVOLA_MEMBERS(Type, ...)    \
  inline auto members(Type& whole) { \
    auto& [__VA_ARGS__] = whole;     \
    return std::tie(__VA_ARGS__);    \
  }

// ---- Parts ----
TAVOLA_MEMBERS(LegacyCondition, a, b)
TAVOLA_MEMBERS(ExpectedAttribute, a, b, c, d)
TAVOLA_MEMBERS(AttributeUpdate, a, b)
TAVOLA_MEMBERS(AttributeDefinition, a, b)
TAVOLA_MEMBERS(KeySchemaElement, a, b)
TAVOLA_MEMBERS(IndexProjection, a, b)
TAVOLA_MEMBERS(Throughput, a, b)
TAVOLA_MEMBERS(OnDemandLimits, a, b)
TAVOLA_MEMBERS(WarmThroughput, a, b)
TAVOLA_MEMBERS(GlobalIndex, a, b, c, d, e, f)
TAVOLA_MEMBERS(LocalIndex, a, b, c)
TAVOLA_MEMBERS(GlobalIndexUpdate, a, b, c)
TAVOLA_MEMBERS(KeysToGet, a, b, c, d, e, f)
TAVOLA_MEMBERS(BatchWrite, a, b)
TAVOLA_MEMBERS(TableWrites, a, b)
TAVOLA_MEMBERS(ConditionCheck, a, b, c, d, e, f)
TAVOLA_MEMBERS(RestoreOverrides, a, b, c, d, e)
TAVOLA_MEMBERS(ExportPeriod, a, b, c)
TAVOLA_MEMBERS(CsvOptions, a, b)

// ---- Requests ----
TAVOLA_MEMBERS(CreateTableRequest, a, b, c, d, e, f, g, h, i, j, k, l, m)
TAVOLA_MEMBERS(DescribeTableRequest, a)
TAVOLA_MEMBERS(ListTablesRequest, a, b)
TAVOLA_MEMBERS(UpdateTableRequest, a, b, c, d, e, f, g, h, i, j, k, l)
TAVOLA_MEMBERS(DeleteTableRequest, a)
TAVOLA_MEMBERS(PutItemRequest, a, b, c, d, e, f, g, h, i, j, k, l, m)
TAVOLA_MEMBERS(GetItemRequest, a, b, c, d, e, f, g)
TAVOLA_MEMBERS(UpdateItemRequest, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o)
TAVOLA_MEMBERS(DeleteItemRequest, a, b, c, d, e, f, g, h, i, j, k, l, m)
TAVOLA_MEMBERS(QueryRequest, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r)
TAVOLA_MEMBERS(ScanRequest, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r)
TAVOLA_MEMBERS(BatchGetItemRequest, a, b)
TAVOLA_MEMBERS(BatchWriteItemRequest, a, b, c, d, e)
TAVOLA_MEMBERS(TransactGetItemsRequest, a, b)
TAVOLA_MEMBERS(TransactWriteItemsRequest, a, b, c, d, e, f)
TAVOLA_MEMBERS(UpdateTimeToLiveRequest, a, b, c)
TAVOLA_MEMBERS(DescribeTimeToLiveRequest, a)
TAVOLA_MEMBERS(TagResourceRequest, a, b)
TAVOLA_MEMBERS(UntagResourceRequest, a, b)
TAVOLA_MEMBERS(ListTagsOfResourceRequest, a)
TAVOLA_MEMBERS(ListStreamsRequest, a, b, c)
TAVOLA_MEMBERS(DescribeStreamRequest, a, b, c, d)
TAVOLA_MEMBERS(GetShardIteratorRequest, a, b, c, d)
TAVOLA_MEMBERS(GetRecordsRequest, a, b)
TAVOLA_MEMBERS(CreateBackupRequest, a, b)
TAVOLA_MEMBERS(DescribeBackupRequest, a)
TAVOLA_MEMBERS(ListBackupsRequest, a, b, c, d, e, f)
TAVOLA_MEMBERS(DeleteBackupRequest, a)
TAVOLA_MEMBERS(RestoreTableFromBackupRequest, a, b, c)
TAVOLA_MEMBERS(UpdateContinuousBackupsRequest, a, b, c)
TAVOLA_MEMBERS(DescribeContinuousBackupsRequest, a)
TAVOLA_MEMBERS(RestoreTableToPointInTimeRequest, a, b, c, d, e)
TAVOLA_MEMBERS(ExportTableRequest, a, b, c, d, e, f, g, h)
TAVOLA_MEMBERS(DescribeExportRequest, a)
TAVOLA_MEMBERS(ListExportsRequest, a, b, c)
TAVOLA_MEMBERS(ImportTableRequest, a, b, c, d, e, f, g)
TAVOLA_MEMBERS(DescribeImportRequest, a)
TAVOLA_MEMBERS(ListImportsRequest, a, b, c)
TAVOLA_MEMBERS(PutResourcePolicyRequest, a, b, c, d)
TAVOLA_MEMBERS(GetResourcePolicyRequest, a)
TAVOLA_MEMBERS(DeleteResourcePolicyRequest, a, b)

#undef TAVOLA_MEMBERS

}  // namespace tavola
