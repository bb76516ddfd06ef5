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
ReturnValues read_return_values(const Fields& in, Told told);
std::optional<std::vector<std::string>> read_attributes_to_get(const Fields& in);
std::optional<ExpectedAttributes> read_expected(const Fields& in);
std::optional<ConditionalOperator> read_conditional_operator(const Fields& in);
std::optional<LegacyConditions> read_conditions(const Fields& in, std::string_view name);

// The names in RequestItems are tables' names or ARNs. `show` is how AWS shows the map when they are not.
void check_table_names(const Fields& in, std::string (*show)(JsonValue tables));

// Members that AWS knows and Tavola does not: refused when given, so that nobody relies on them in vain.
Result<void> refuse(const Fields& in, std::initializer_list<std::string_view> names);

// ---- Out ----
// How a request calls its tables where that is not by name, but by ARN: responses call them the same (API reference,
// ConsumedCapacity, "you'll see the table ARN in the response").
class GivenTables {
 public:
  // The table's name.
  std::string add(std::string_view name_or_arn);

  // Puts what was given in the place of the name, in each of a response's parts.
  template <class Parts>
  void put_into(Parts& parts) const {
    for (auto& part : parts) {
      if (const auto arn = arns_.find(part.table_name); arn != arns_.end()) part.table_name = arn->second;
    }
  }

 private:
  std::map<std::string, std::string, std::less<>> arns_;  // by table
};
// The same for an operation on one table.
void put_given_table(const Fields& in, std::optional<ConsumedCapacity>& capacity);

void write_capacity(json::Writer& json, const ConsumedCapacity& capacity);
// The members ConsumedCapacity and ItemCollectionMetrics; nothing when they were not asked for.
void write_capacity_member(json::Writer& json, const std::optional<ConsumedCapacity>& capacity);
// "Responses" of a transaction that reads: of each question an item, or none.
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
