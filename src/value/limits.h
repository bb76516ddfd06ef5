// All limits of DynamoDB that Tavola enforces, with the unit last in the name. Source: Amazon DynamoDB Developer Guide,
// "Quotas in Amazon DynamoDB" and "Constraints", unless stated otherwise.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tavola::limits {

// Items and keys
inline constexpr std::size_t kItemBytesMax = 400UL * 1024;
inline constexpr std::size_t kPartitionKeyBytesMax = 2048;
inline constexpr std::size_t kSortKeyBytesMax = 1024;
inline constexpr std::size_t kAttributeNameBytesMax = 64UL * 1024 - 1;
inline constexpr std::size_t kKeyAttributeNameBytesMax = 255;
inline constexpr std::size_t kNestingLevelsMax = 32;

// Numbers
inline constexpr int kNumberDigitsMax = 38;
inline constexpr int kNumberExponentMax = 125;   // of the leading digit: 9.99…E+125
inline constexpr int kNumberExponentMin = -130;  // 1E-130

// Pages and requests
inline constexpr std::size_t kPageBytesMax = 1024UL * 1024;
inline constexpr std::size_t kScanSegmentsMax = 1'000'000;

// Batches and transactions
inline constexpr std::size_t kBatchGetKeysMax = 100;
inline constexpr std::size_t kBatchGetBytesMax = 16UL * 1024 * 1024;
inline constexpr std::size_t kBatchWritesMax = 25;
inline constexpr std::size_t kTransactionActionsMax = 100;
inline constexpr std::size_t kTransactionBytesMax = 4UL * 1024 * 1024;
inline constexpr std::size_t kRequestTokenBytesMax = 36;

// Expressions
inline constexpr std::size_t kExpressionBytesMax = 4UL * 1024;
inline constexpr std::size_t kExpressionOperatorsMax = 300;
inline constexpr std::size_t kInOperandsMax = 100;
inline constexpr std::size_t kPlaceholderBytesMax = 255;  // "#" or ":" included

// Tables
inline constexpr std::size_t kTableNameCharsMin = 3;
inline constexpr std::size_t kTableNameCharsMax = 255;
inline constexpr std::size_t kGlobalIndexesMax = 20;
inline constexpr std::size_t kLocalIndexesMax = 5;
inline constexpr std::size_t kProjectedAttributesMax = 100;  // named in INCLUDE projections, over all indexes
inline constexpr std::size_t kProjectedAttributesPerIndexMax = 20;  // API reference, "Projection"
inline constexpr std::size_t kIndexHashAttributesMax = 4;
inline constexpr std::size_t kIndexRangeAttributesMax = 4;
inline constexpr std::size_t kListTablesMax = 100;
// Tables with local indexes: the items of one partition and their local index entries.
inline constexpr std::int64_t kItemCollectionBytesMax = std::int64_t{10} * 1024 * 1024 * 1024;

// Streams (API reference, "ListStreams", "DescribeStream", "GetRecords")
inline constexpr int kListStreamsMax = 100;
inline constexpr int kDescribedShardsMax = 100;
inline constexpr int kStreamRecordsMax = 1000;

// Tags
inline constexpr std::size_t kTagsMax = 50;
inline constexpr std::size_t kTagKeyCharsMax = 128;
inline constexpr std::size_t kTagValueCharsMax = 256;

// Capacity units
inline constexpr std::size_t kReadUnitBytes = 4UL * 1024;
inline constexpr std::size_t kWriteUnitBytes = 1024;

static_assert(kPartitionKeyBytesMax + kSortKeyBytesMax < kItemBytesMax);
static_assert(kItemBytesMax < kPageBytesMax);

}  // namespace tavola::limits
