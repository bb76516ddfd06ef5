// Parts of requests and responses that several operations share.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tavola/requests.h>

#include "wire/fields.h"
#include "wire/json_writer.h"
#include "wire/operations.h"

namespace tavola::wire {

// ---- In ----
AttributeNames read_names(const Fields& in);  // ExpressionAttributeNames
ReturnConsumedCapacity read_capacity_wish(const Fields& in);
ReturnItemCollectionMetrics read_metrics_wish(const Fields& in);
ReturnValuesOnConditionCheckFailure read_failure_wish(const Fields& in);
ReturnValues read_return_values(const Fields& in);
std::optional<std::vector<std::string>> read_attributes_to_get(const Fields& in);
std::optional<ExpectedAttributes> read_expected(const Fields& in);
std::optional<ConditionalOperator> read_conditional_operator(const Fields& in);
std::optional<LegacyConditions> read_conditions(const Fields& in, std::string_view name);

// A map whose names are tables' names or ARNs.
void check_table_names(const Fields& in, std::string_view member);

// Members that AWS knows and Tavola does not: refused when given, so that nobody relies on them in vain.
Result<void> refuse(const Fields& in, std::initializer_list<std::string_view> names);

// ---- Out ----
void write_capacity(JsonWriter& json, const ConsumedCapacity& capacity);
// The members ConsumedCapacity and ItemCollectionMetrics; nothing when they were not asked for.
void write_capacity_member(JsonWriter& json, const std::optional<ConsumedCapacity>& capacity);
void write_capacity_member(JsonWriter& json, const std::vector<ConsumedCapacity>& capacities,
                           ReturnConsumedCapacity asked);
void write_metrics(JsonWriter& json, const ItemCollectionMetrics& metrics);
void write_metrics_member(JsonWriter& json, const std::vector<TableMetrics>& tables);
// The whole response of PutItem, UpdateItem and DeleteItem.
std::string write_response(const WriteItemResponse& response);
// The whole response of Query and Scan.
std::string write_response(const Page& page, std::optional<Select> select);

std::string table_arn(const Place& place, std::string_view table);

}  // namespace tavola::wire
