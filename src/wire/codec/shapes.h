// Parts of requests and responses that several operations share.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tavola/requests.h>

#include "json/writer.h"
#include "wire/codec/fields.h"
#include "wire/codec/operations.h"

namespace tavola::wire {

// ---- In ----
AttributeNames read_names(const Fields& in);  // ExpressionAttributeNames
ReturnConsumedCapacity read_capacity_wish(const Fields& in);
ReturnItemCollectionMetrics read_metrics_wish(const Fields& in);
ReturnValuesOnConditionCheckFailure read_failure_wish(const Fields& in);
ReturnValues read_return_values(const Fields& in, Reported reported);
std::optional<std::vector<std::string>> read_attributes_to_get(const Fields& in);
std::optional<ExpectedAttributes> read_expected(const Fields& in);
std::optional<ConditionalOperator> read_conditional_operator(const Fields& in);
std::optional<LegacyConditions> read_conditions(const Fields& in, std::string_view name);

// Checks that the names in RequestItems are tables' names or ARNs. `show` prints the map as AWS does if they are not.
void check_table_names(const Fields& in, std::string (*show)(JsonValue tables));

// Refuses members that AWS has and Tavola does not, so that no client relies on them in vain.
Result<void> refuse(const Fields& in, std::initializer_list<std::string_view> names);

// ---- Out ----
// The tables that a request names by ARN instead of name: responses name them in the same way (API reference,
// ConsumedCapacity, "you'll see the table ARN in the response").
class GivenTables {
 public:
  // Returns the table's name.
  std::string add(std::string_view name_or_arn);

  // Replaces the name by the given text, in each part of a response.
  template <class Parts>
  void put_into(Parts& parts) const {
    for (auto& part : parts) {
      if (const auto arn = arns_.find(part.table_name); arn != arns_.end()) part.table_name = arn->second;
    }
  }

 private:
  std::map<std::string, std::string, std::less<>> arns_;  // by table
};
// For an operation on one table.
void put_given_table(const Fields& in, std::optional<ConsumedCapacity>& capacity);

void write_capacity(json::Writer& json, const ConsumedCapacity& capacity);
// Write the members ConsumedCapacity and ItemCollectionMetrics; nothing if they were not asked for.
void write_capacity_member(json::Writer& json, const std::optional<ConsumedCapacity>& capacity);
// "Responses" of a transaction that reads: an item, or none, per request.
void write_items_member(json::Writer& json, const std::vector<std::optional<PackedItem>>& items);
void write_capacity_member(json::Writer& json, const std::vector<ConsumedCapacity>& capacities,
                           ReturnConsumedCapacity asked);
void write_metrics(json::Writer& json, const ItemCollectionMetrics& metrics);
void write_metrics_member(json::Writer& json, const std::vector<TableMetrics>& tables);
// The whole response of PutItem, UpdateItem and DeleteItem.
std::string write_response(const WriteItemResponse& response);
// The whole response of Query and Scan.
std::string write_response(const Page& page, std::optional<Select> select);

std::string table_arn(const ServerIdentity& server, std::string_view table);

}  // namespace tavola::wire
