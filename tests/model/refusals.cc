// Requests that DynamoDB refuses, with its messages. A refused write changes nothing: the model does not see
// it, so that a later comparison would find its traces.
#include <utility>

#include "tests/model/history.h"

namespace tavola::model {
namespace {

const std::string kInvalid = "One or more parameter values were invalid: ";

Value of_another_type(Type type) { return type == Type::Number ? Value("text") : Value(7); }

Verdict expect_refusal(const Refusal& expected, const std::optional<Error>& actual) {
  if (!actual) return "succeeded, expected \"" + expected.message + "\"";
  return check_refusal({expected}, *actual);
}

template <class Response>
std::optional<Error> error_of(const Result<Response>& response) {
  return response ? std::nullopt : std::optional(response.error());
}

// The mistake in a put of one item.
struct BadItem {
  Item item;
  std::string message;
};

BadItem without_key(Item item, const std::string& name) {
  item.erase(name);
  return {std::move(item), kInvalid + "Missing the key " + name + " in the item"};
}

BadItem with_other_type(Item item, const std::string& name, Type type) {
  const Value other = of_another_type(type);
  item[name] = other;
  return {std::move(item), kInvalid + "Type mismatch for key " + name +
                               " expected: " + std::string(type_name(type)) +
                               " actual: " + std::string(type_name(other.type()))};
}

BadItem with_empty_key(Item item, const std::string& name, Type type) {
  item[name] = type == Type::String ? Value("") : Value(Binary{});
  return {std::move(item),
          "One or more parameter values are not valid. The AttributeValue for a key attribute cannot "
          "contain an empty " +
              std::string(type == Type::String ? "string" : "binary") + " value. Key: " + name};
}

BadItem with_long_key(Item item, const std::string& name, Type type, KeyType role) {
  const std::string bytes(role == KeyType::Hash ? 2049 : 1025, 'a');
  item[name] = type == Type::String ? Value(bytes) : Value(Binary{bytes});
  return {std::move(item),
          kInvalid + (role == KeyType::Hash
                          ? "Size of hashkey has exceeded the maximum size limit of2048 bytes"
                          : "Aggregated size of all range keys has exceeded the size limit of 1024 bytes")};
}

std::vector<BadItem> bad_items(const ModelTable& table, const Item& good) {
  std::vector<BadItem> bad;
  for (const auto& [name, role] : table.shape().key_schema) {
    const Type type = table.type_of(name);
    bad.push_back(without_key(good, name));
    bad.push_back(with_other_type(good, name, type));
    if (type == Type::Number) continue;
    bad.push_back(with_empty_key(good, name, type));
    bad.push_back(with_long_key(good, name, type, role));
  }
  Item large = good;
  large["blob"] = std::string(std::size_t{400} * 1024, 'b');
  bad.push_back({large, "Item size has exceeded the maximum allowed size"});
  return bad;
}

std::vector<Item> bad_keys(const ModelTable& table, const Item& good) {
  std::vector<Item> bad;
  Item more = good;
  more["a"] = 1;
  bad.push_back(more);
  for (const std::string& name : table.key_attributes()) {
    Item without = good;
    without.erase(name);
    bad.push_back(without);
    Item other = good;
    other[name] = of_another_type(table.type_of(name));
    bad.push_back(other);
  }
  return bad;
}

struct BadUpdate {
  std::string update;
  std::string condition;
  AttributeNames names;
  Item values;
  std::string message;
};

std::vector<BadUpdate> bad_updates(const ModelTable& table) {
  const std::string& key = table.key_attributes().front();
  return {
      {"SET " + key + " = :v",
       "",
       {},
       {{":v", "x"}},
       kInvalid + "Cannot update attribute " + key + ". This attribute is part of the key"},
      {"REMOVE " + key,
       "",
       {},
       {},
       kInvalid + "Cannot update attribute " + key + ". This attribute is part of the key"},
      {"SET a = :v",
       "",
       {},
       {{":v", 1}, {":w", 2}},
       "Value provided in ExpressionAttributeValues unused in expressions: keys: {:w}"},
      {"SET a = :v",
       "",
       {{"#n", "n1"}},
       {{":v", 1}},
       "Value provided in ExpressionAttributeNames unused in expressions: keys: {#n}"},
      {"SET a = :v",
       "a = :w",
       {},
       {{":v", 1}},
       "Invalid ConditionExpression: An expression attribute value used in expression is not defined; "
       "attribute "
       "value: :w"},
      {"SET #n = :v",
       "",
       {},
       {{":v", 1}},
       "Invalid UpdateExpression: An expression attribute name used in the document path is not defined; "
       "attribute "
       "name: #n"},
      {"SET m = :v, m.x = :v",
       "",
       {},
       {{":v", 1}},
       "Invalid UpdateExpression: Two document paths overlap with each other; must remove or rewrite one of "
       "these "
       "paths; path one: [m], path two: [m, x]"},
      {"SET data = :v",
       "",
       {},
       {{":v", 1}},
       "Invalid UpdateExpression: Attribute name is a reserved keyword; reserved keyword: data"},
      {"SET a = :v + :w",
       "",
       {},
       {{":v", 1}, {":w", "x"}},
       "Invalid UpdateExpression: Incorrect operand type for operator or function; operator or function: +, "
       "operand "
       "type: S"},
      {"ADD a :v",
       "",
       {},
       {{":v", "x"}},
       "Invalid UpdateExpression: Incorrect operand type for operator or function; operator: ADD, operand "
       "type: "
       "STRING, typeSet: ALLOWED_FOR_ADD_OPERAND"},
      {"", "", {{"#n", "n1"}}, {}, "ExpressionAttributeNames can only be specified when using expressions"},
  };
}

}  // namespace

Verdict History::refused(const ModelTable& table) {
  if (random_.chance(5)) {
    const Refusal missing{ErrorCode::ResourceNotFound, "Requested resource not found"};
    note([] { return "operations on a table that is not there"; });
    const GetItemRequest get{.table_name = "no-such-table", .key = packed({{"pk", "a"}})};
    const PutItemRequest put{.table_name = "no-such-table", .item = packed({{"pk", "a"}})};
    if (auto wrong = expect_refusal(missing, error_of(database_->get_item(get)))) return wrong;
    if (auto wrong = expect_refusal(missing, error_of(database_->put_item(put)))) return wrong;
    if (auto wrong = expect_refusal(missing, error_of(database_->scan({.table_name = "no-such-table"}))))
      return wrong;
    const Refusal exists{ErrorCode::ResourceInUse, "Table already exists: " + table.name()};
    return expect_refusal(exists, error_of(database_->create_table(table.shape())));
  }
  return random_.chance(50) ? refused_writes(table) : refused_reads(table);
}

Verdict History::refused_writes(const ModelTable& table) {
  const Item key = generator_.key(table);
  switch (random_.below(3)) {
    case 0: {
      Item good = key;
      good["s"] = "refused";
      const BadItem bad = random_.pick(bad_items(table, good));
      const PutItemRequest request{.table_name = table.name(), .item = packed(bad.item)};
      note([request] { return describe(request); });
      return expect_refusal({.message = bad.message}, error_of(database_->put_item(request)));
    }
    case 1: {
      const Refusal expected{.message = "The provided key element does not match the schema"};
      const PackedItem bad = packed(random_.pick(bad_keys(table, key)));
      const GetItemRequest get{.table_name = table.name(), .key = bad};
      const DeleteItemRequest remove{.table_name = table.name(), .key = bad};
      const UpdateItemRequest update{.table_name = table.name(),
                                     .key = bad,
                                     .update_expression = "SET s = :v",
                                     .values = packed({{":v", "refused"}})};
      note([remove] { return describe(remove); });
      if (auto wrong = expect_refusal(expected, error_of(database_->get_item(get)))) return wrong;
      if (auto wrong = expect_refusal(expected, error_of(database_->delete_item(remove)))) return wrong;
      return expect_refusal(expected, error_of(database_->update_item(update)));
    }
    default: {
      const BadUpdate bad = random_.pick(bad_updates(table));
      const UpdateItemRequest request{.table_name = table.name(),
                                      .key = packed(key),
                                      .update_expression = bad.update,
                                      .condition_expression = bad.condition,
                                      .names = bad.names,
                                      .values = packed(bad.values)};
      note([request] { return describe(request); });
      return expect_refusal({.message = bad.message}, error_of(database_->update_item(request)));
    }
  }
}

namespace {

struct BadQuery {
  QueryRequest request;
  std::string message;
};

Value any_value(Type type) {
  return type == Type::Number ? Value(1) : type == Type::String ? Value("a") : Value(Binary{"a"});
}

// Adds queries that a global index refuses and a table or a local index does not.
void add_bad_queries(std::vector<BadQuery>& bad, const ModelTable& table, const IndexShape& index) {
  Item values;
  std::string condition;
  for (const std::string& name : index.hash) {
    values[":" + name] = any_value(table.type_of(name));
    condition.append(condition.empty() ? "" : " AND ").append(name).append(" = :").append(name);
  }
  const QueryRequest on_index{.table_name = table.name(),
                              .index_name = index.name,
                              .key_condition_expression = condition,
                              .values = *pack(values)};
  bad.push_back({on_index, "Consistent reads are not supported on global secondary indexes"});
  bad.back().request.consistent_read = true;
  if (index.projection.type == ProjectionType::All) return;
  bad.push_back({on_index, kInvalid +
                               "Select type ALL_ATTRIBUTES is not supported for global secondary index " +
                               index.name + " because its projection type is not ALL"});
  bad.back().request.select = Select::AllAttributes;
  bad.push_back(
      {on_index, kInvalid + "Global secondary index " + index.name + " does not project [elsewhere]"});
  bad.back().request.projection_expression = "elsewhere";
}

std::vector<BadQuery> bad_queries(const ModelTable& table, const Item& key) {
  const std::string& hash = table.key_attributes().front();
  const QueryRequest good{.table_name = table.name(),
                          .key_condition_expression = hash + " = :h",
                          .values = *pack({{":h", key.at(hash)}})};
  std::vector<BadQuery> bad;
  const auto add = [&](std::string message) -> QueryRequest& {
    bad.push_back({good, std::move(message)});
    return bad.back().request;
  };
  add("The table does not have the specified index: nowhere").index_name = "nowhere";
  add("Query condition missed key schema element: " + hash).key_condition_expression = "a = :h";
  add("Query key condition not supported").key_condition_expression = hash + " < :h";
  add(kInvalid + "Condition parameter type does not match schema type").values =
      *pack({{":h", of_another_type(table.type_of(hash))}});
  add("Filter Expression can only contain non-primary key attributes: Primary key attribute: " + hash)
      .filter_expression = "attribute_exists(" + hash + ")";
  add("1 validation error detected: Value '0' at 'limit' failed to satisfy constraint: Member must have "
      "value greater "
      "than or equal to 1")
      .limit = 0;
  add("The provided starting key is invalid").exclusive_start_key =
      *pack({{hash, key.at(hash)}, {"nothing", 1}, {"less", 2}});
  Item elsewhere = key;
  elsewhere[hash] = table.type_of(hash) == Type::Number   ? Value(987654)
                    : table.type_of(hash) == Type::String ? Value("elsewhere")
                                                          : Value(Binary{"elsewhere"});
  add("The provided starting key is outside query boundaries based on provided conditions")
      .exclusive_start_key = *pack(elsewhere);
  add(kInvalid + "ALL_PROJECTED_ATTRIBUTES can be used only when Querying using an IndexName").select =
      Select::AllProjectedAttributes;
  for (const IndexShape& index : table.indexes()) {
    if (index.global) add_bad_queries(bad, table, index);
  }
  return bad;
}

struct BadScan {
  ScanRequest request;
  std::string message;
};

std::vector<BadScan> bad_scans(const ModelTable& table) {
  const std::string& name = table.name();
  return {
      {{.table_name = name, .index_name = "nowhere"}, "The table does not have the specified index: nowhere"},
      {{.table_name = name, .segment = 2, .total_segments = 2},
       "The Segment parameter is zero-based and must be less than parameter TotalSegments: Segment: 2 is not "
       "less than "
       "TotalSegments: 2"},
      {{.table_name = name, .segment = 0},
       "The TotalSegments parameter is required but was not present in the request when Segment parameter is "
       "present"},
      {{.table_name = name, .total_segments = 2},
       "The Segment parameter is required but was not present in the request when parameter TotalSegments is "
       "present"},
      {{.table_name = name, .select = Select::SpecificAttributes},
       kInvalid + "Must specify the AttributesToGet or ProjectionExpression when choosing to get "
                  "SPECIFIC_ATTRIBUTES"},
  };
}

}  // namespace

Verdict History::refused_reads(const ModelTable& table) {
  if (random_.chance(30)) {
    const BadScan bad = random_.pick(bad_scans(table));
    note([bad] { return describe(bad.request); });
    return expect_refusal({.message = bad.message}, error_of(database_->scan(bad.request)));
  }
  const BadQuery bad = random_.pick(bad_queries(table, generator_.key(table)));
  note([bad] { return describe(bad.request); });
  return expect_refusal({.message = bad.message}, error_of(database_->query(bad.request)));
}

}  // namespace tavola::model
