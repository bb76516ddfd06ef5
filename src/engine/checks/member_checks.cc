#include "engine/checks/member_checks.h"

#include "database/constraints.h"
#include "database/enum_names.h"
#include "engine/checks/messages.h"
#include "value/limits.h"

namespace tavola::engine {
namespace {

// Returns "keySchema.1.member": the position of an element of a list.
std::string element(std::string_view list, std::size_t index) {
  return std::string(list) + "." + std::to_string(index + 1) + ".member";
}

// ---- Tables ----

void check_throughput(Constraints& constraints, const Throughput& throughput, const std::string& member) {
  constraints.check_at_least(1, throughput.write_units, member + ".writeCapacityUnits");
  constraints.check_at_least(1, throughput.read_units, member + ".readCapacityUnits");
}

void check_definitions(Constraints& constraints, const std::vector<AttributeDefinition>& definitions) {
  for (std::size_t i = 0; i < definitions.size(); ++i) {
    const Type type = definitions[i].type;
    if (!find_enum_name(type)) {
      const bool known = type >= Type::Null && type <= Type::BinarySet;
      constraints.add_broken(known ? std::string(type_name(type)) : std::to_string(std::to_underlying(type)),
                             element("attributeDefinitions", i) + ".attributeType",
                             "satisfy enum value set: " + listed_enum_names<Type>());
    }
  }
}

void check_key_schema(Constraints& constraints, const std::vector<KeySchemaElement>& key,
                      const std::string& member) {
  for (std::size_t i = 0; i < key.size(); ++i) {
    constraints.check_enum(key[i].type, element(member, i) + ".keyType");
  }
}

template <class Index>
void check_index(Constraints& constraints, const Index& index, const std::string& member) {
  check_key_schema(constraints, index.key_schema, member + ".keySchema");
  constraints.check_enum(index.projection.type, member + ".projection.projectionType");
}

Result<void> check_table_class(const std::optional<TableClass>& table_class) {
  if (table_class && !find_enum_name(*table_class)) {
    return fail(
        Error::validation("Invalid table-class parameter provided. Please try again with a valid table-class "
                          "value: " +
                          listed_enum_names<TableClass>() + "."));
  }
  return {};
}

// ---- Items ----

template <class Conditions>
void check_operators(Constraints& constraints, const std::optional<Conditions>& conditions,
                     std::string_view member) {
  if (!conditions) {
    return;
  }
  for (const auto& [name, condition] : *conditions) {
    constraints.check_enum(condition.op, std::string(member) + "." + name + ".member.comparisonOperator");
  }
}

// Checks members of all writes: the requested contents of the response.
template <class Request>
void check_wishes(Constraints& constraints, const Request& request) {
  constraints.check_enum(request.return_consumed_capacity, "returnConsumedCapacity");
  constraints.check_enum(request.return_item_collection_metrics, "returnItemCollectionMetrics");
}

// Checks members of PutItem, DeleteItem and UpdateItem.
template <class Request>
void check_write(Constraints& constraints, const Request& request) {
  check_wishes(constraints, request);
  constraints.check_enum(request.return_values, "returnValues");
  constraints.check_enum(request.on_condition_failure, "returnValuesOnConditionCheckFailure");
  constraints.check_enum(request.conditional_operator, "conditionalOperator");
  check_operators(constraints, request.expected, "expected");
}

template <class Request>
Result<void> check_write(const Request& request) {
  Constraints constraints;
  check_write(constraints, request);
  return constraints.check();
}

// Checks members of Query and Scan.
template <class Request>
void check_read(Constraints& constraints, const Request& request) {
  constraints.check_enum(request.return_consumed_capacity, "returnConsumedCapacity");
  constraints.check_enum(request.select, "select");
  constraints.check_enum(request.conditional_operator, "conditionalOperator");
}

// Returns "transactItems.1.member.put": the position of an action of a transaction.
std::string transact_action(const TransactWrite& action, std::size_t index) {
  constexpr std::string_view kNames[] = {".conditionCheck", ".put", ".delete", ".update"};
  static_assert(std::variant_size_v<TransactWrite> == std::size(kNames));
  return element("transactItems", index).append(kNames[action.index()]);
}

}  // namespace

Result<void> check_members(const CreateTableRequest& request) {
  Constraints constraints;
  check_definitions(constraints, request.attribute_definitions);
  constraints.check_enum(request.billing_mode, "billingMode");
  if (request.throughput) {
    check_throughput(constraints, *request.throughput, "provisionedThroughput");
  }
  check_key_schema(constraints, request.key_schema, "keySchema");
  for (std::size_t i = 0; i < request.local_indexes.size(); ++i) {
    check_index(constraints, request.local_indexes[i], element("localSecondaryIndexes", i));
  }
  for (std::size_t i = 0; i < request.global_indexes.size(); ++i) {
    const std::string member = element("globalSecondaryIndexes", i);
    check_index(constraints, request.global_indexes[i], member);
    if (const auto& throughput = request.global_indexes[i].throughput) {
      check_throughput(constraints, *throughput, member + ".provisionedThroughput");
    }
  }
  constraints.check_enum(request.stream, "streamSpecification.streamViewType");
  TAVOLA_CHECK(constraints.check());
  return check_table_class(request.table_class);
}

Result<void> check_members(const UpdateTableRequest& request) {
  Constraints constraints;
  constraints.check_enum(request.billing_mode, "billingMode");
  if (request.throughput) {
    check_throughput(constraints, *request.throughput, "provisionedThroughput");
  }
  std::size_t update = 0;
  for (const auto& [name, wanted] : request.index_updates) {
    const std::string at = element("globalSecondaryIndexUpdates", update++);
    if (wanted.throughput)
      check_throughput(constraints, *wanted.throughput, at + ".update.provisionedThroughput");
  }
  if (request.stream) {
    constraints.check_enum(*request.stream, "streamSpecification.streamViewType");
  }
  TAVOLA_CHECK(constraints.check());
  return check_table_class(request.table_class);
}

Result<void> check_members(const PutItemRequest& request) { return check_write(request); }
Result<void> check_members(const DeleteItemRequest& request) { return check_write(request); }

Result<void> check_members(const UpdateItemRequest& request) {
  Constraints constraints;
  check_write(constraints, request);
  if (request.attribute_updates) {
    for (const auto& [name, update] : *request.attribute_updates) {
      constraints.check_enum(update.action, "attributeUpdates." + name + ".member.action");
    }
  }
  return constraints.check();
}

Result<void> check_members(const GetItemRequest& request) {
  Constraints constraints;
  constraints.check_enum(request.return_consumed_capacity, "returnConsumedCapacity");
  return constraints.check();
}

Result<void> check_members(const QueryRequest& request) {
  Constraints constraints;
  constraints.check_at_least(1, request.limit, "limit");
  check_read(constraints, request);
  check_operators(constraints, request.query_filter, "queryFilter");
  check_operators(constraints, request.key_conditions, "keyConditions");
  return constraints.check();
}

Result<void> check_members(const ScanRequest& request) {
  Constraints constraints;
  constraints.check_at_least(1, request.limit, "limit");
  constraints.check_at_least(1, request.total_segments, "totalSegments");
  constraints.check_at_most(static_cast<std::int64_t>(limits::kScanSegmentsMax), request.total_segments,
                            "totalSegments");
  check_read(constraints, request);
  constraints.check_at_least(0, request.segment, "segment");
  check_operators(constraints, request.scan_filter, "scanFilter");
  return constraints.check();
}

Result<void> check_members(const BatchGetItemRequest& request) {
  Constraints constraints;
  constraints.check_enum(request.return_consumed_capacity, "returnConsumedCapacity");
  return constraints.check();
}

Result<void> check_members(const TransactGetItemsRequest& request) {
  Constraints constraints;
  constraints.check_enum(request.return_consumed_capacity, "returnConsumedCapacity");
  return constraints.check();
}

Result<void> check_members(const BatchWriteItemRequest& request) {
  Constraints constraints;
  check_wishes(constraints, request);
  TAVOLA_CHECK(constraints.check());
  for (const TableWrites& table : request.tables) {
    for (const BatchWrite& write : table.writes) {
      if (write.kind != BatchWrite::Kind::Put && write.kind != BatchWrite::Kind::Delete) {
        return fail(invalid_parameter("A write of a batch is neither a put nor a delete"));
      }
    }
  }
  return {};
}

Result<void> check_members(const TransactWriteItemsRequest& request) {
  Constraints constraints;
  check_wishes(constraints, request);
  for (std::size_t i = 0; i < request.actions.size(); ++i) {
    const auto on_failure =
        std::visit([](const auto& action) { return action.on_condition_failure; }, request.actions[i]);
    if (!find_enum_name(on_failure)) {
      constraints.check_enum(on_failure,
                             transact_action(request.actions[i], i) + ".returnValuesOnConditionCheckFailure");
    }
  }
  return constraints.check();
}

}  // namespace tavola::engine
