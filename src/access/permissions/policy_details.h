// The values of DynamoDB's condition keys in requests on items: dynamodb:LeadingKeys, dynamodb:Attributes,
// dynamodb:Select and so on (DeveloperGuide, "Using IAM policy conditions for fine-grained access control").
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <tavola/database.h>

#include "policy/policy.h"

namespace tavola::access {

// The outcome of a write, which determines dynamodb:ReturnValues: on success ReturnValues, and if its condition fails
// ALL_OLD, if ReturnValuesOnConditionCheckFailure asks for the item.
enum class Outcome : std::uint8_t { Success, ConditionFailed };

// Adds to the context the keys that `policy` mentions; others are not computed. Borrows its arguments.
class PolicyDetails {
 public:
  PolicyDetails(Database& database, const policy::Policy& policy, policy::Context& context,
                Outcome outcome = Outcome::Success)
      : database_(database), policy_(policy), context_(context), outcome_(outcome) {}

  void add(const GetItemRequest& request);
  void add(const PutItemRequest& request);
  void add(const UpdateItemRequest& request);
  void add(const DeleteItemRequest& request);
  void add(const ConditionCheck& request);
  void add(const QueryRequest& request);
  void add(const ScanRequest& request);
  void add(const KeysToGet& keys, ReturnConsumedCapacity capacity);
  void add(const TableWrites& writes, ReturnConsumedCapacity capacity);
  // TransactGetItems, TransactWriteItems
  void add_enclosing(std::string_view operation);

 private:
  // Returns that of the table or the index; empty if there is none.
  std::string hash_attribute(const std::string& table, const std::string& index);
  void add_leading_key(const std::string& table, const PackedItem& item);
  void add_leading_key(const QueryRequest& request);
  template <class Request>
  void add_projection(const Request& request);
  template <class Request>
  void add_condition(const Request& request);
  void add_update(const UpdateItemRequest& request);
  void add_attributes_of(const PackedItem& item);
  void add_attributes(const std::vector<std::string>& names);
  void add_capacity(ReturnConsumedCapacity capacity);
  void add_return_values(ReturnValues on_success);
  // Writes the collected values to the context.
  void finish();

  Database& database_;
  const policy::Policy& policy_;
  policy::Context& context_;
  Outcome outcome_;
  std::optional<std::string> table_hash_;  // all requests are on one table
  std::vector<std::string> leading_keys_;
  std::set<std::string, std::less<>> attributes_;  // an item may have very many
};

}  // namespace tavola::access
