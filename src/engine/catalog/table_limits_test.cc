// Invalid tables, and the limits of a table.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/test_database.h"
#include "engine/test_tables.h"

namespace tavola::engine {
namespace {

using testing::IsEmpty;

struct Refused {
  const char* name;
  void (*spoil)(CreateTableRequest&);
  std::string message;
};

constexpr const char* kInvalid = "One or more parameter values were invalid: ";
std::string constraint(const std::string& value, const std::string& member, const std::string& words) {
  return "1 validation error detected: Value '" + value + "' at '" + member +
         "' failed to satisfy constraint: Member must " + words;
}

void add_global_indexes(CreateTableRequest& request, int count, const IndexProjection& projection = {}) {
  for (int i = 0; i < count; ++i)
    request.global_indexes.push_back({"more" + std::to_string(i), {hash("a")}, projection, {}});
}

// Replaces the global index by one with these key attributes, all defined.
void set_index_key(CreateTableRequest& request, std::vector<KeySchemaElement> key) {
  for (const KeySchemaElement& element : key) {
    const AttributeDefinition definition{element.name, Type::String};
    if (std::ranges::find(request.attribute_definitions, element.name, &AttributeDefinition::name) ==
        request.attribute_definitions.end())
      request.attribute_definitions.push_back(definition);
  }
  request.global_indexes[0].key_schema = std::move(key);
}

std::vector<Refused> name_and_key_mistakes() {
  return {
      {"short name", [](auto& r) { r.table_name = "ab"; },
       constraint("ab", "tableName", "have length greater than or equal to 3")},
      {"long name", [](auto& r) { r.table_name = std::string(256, 'x'); },
       constraint(std::string(256, 'x'), "tableName", "have length less than or equal to 255")},
      {"name with a space", [](auto& r) { r.table_name = "my table"; },
       constraint("my table", "tableName", "satisfy regular expression pattern: [a-zA-Z0-9_.-]+")},
      {"no key", [](auto& r) { r.key_schema.clear(); },
       constraint("[]", "keySchema", "have length greater than or equal to 1")},
      {"three key elements", [](auto& r) { r.key_schema.push_back(range("a")); },
       constraint("[KeySchemaElement(attributeName=pk, keyType=HASH), KeySchemaElement(attributeName=sk, "
                  "keyType=RANGE), KeySchemaElement(attributeName=a, keyType=RANGE)]",
                  "keySchema", "have length less than or equal to 2")},
      {"more keys than definitions", [](auto& r) { r.attribute_definitions = {{"pk", Type::String}}; },
       "Invalid KeySchema: Some index key attribute have no definition"},
      // AWS counts the definitions first (dynamodb-conformance, run against AWS).
      {"same attribute twice, one definition",
       [](auto& r) {
         r.attribute_definitions = {{"pk", Type::String}};
         r.key_schema[1].name = "pk";
       },
       "Invalid KeySchema: Some index key attribute have no definition"},
      {"undefined key", [](auto& r) { r.key_schema[1].name = "other"; },
       std::string(kInvalid) +
           "Some index key attributes are not defined in AttributeDefinitions. Keys: [pk, "
           "other], AttributeDefinitions: [pk, sk, a]"},
      {"same attribute twice", [](auto& r) { r.key_schema[1].name = "pk"; },
       "Both the Hash Key and the Range Key element in the KeySchema have the same name"},
      {"range first", [](auto& r) { r.key_schema = {range("pk"), hash("sk")}; },
       "Invalid KeySchema: The first KeySchemaElement is not a HASH key type"},
      {"two hashes", [](auto& r) { r.key_schema[1].type = KeyType::Hash; },
       "Invalid KeySchema: The second KeySchemaElement is not a RANGE key type"},
  };
}

std::vector<Refused> definition_and_billing_mistakes() {
  return {
      {"a key that is a map", [](auto& r) { r.attribute_definitions[1].type = Type::Map; },
       constraint("M", "attributeDefinitions.2.member.attributeType", "satisfy enum value set: [B, N, S]")},
      {"empty attribute name", [](auto& r) { r.attribute_definitions[0].name = ""; },
       constraint("", "attributeDefinitions.1.member.attributeName",
                  "have length greater than or equal to 1")},
      {"long attribute name", [](auto& r) { r.attribute_definitions[2].name = std::string(256, 'n'); },
       constraint(std::string(256, 'n'), "attributeDefinitions.3.member.attributeName",
                  "have length less than or equal to 255")},
      {"definition twice", [](auto& r) { r.attribute_definitions.push_back({"pk", Type::Number}); },
       "Attribute Name is duplicated: pk"},
      {"spare definition", [](auto& r) { r.attribute_definitions.push_back({"spare", Type::String}); },
       std::string(kInvalid) + "Some AttributeDefinitions are not used. AttributeDefinitions: [pk, sk, a, "
                               "spare], keys used: [a, pk, sk]"},
      {"spare definition without indexes",
       [](auto& r) {
         r.global_indexes.clear();
         r.local_indexes.clear();
       },
       std::string(kInvalid) +
           "Number of attributes in KeySchema does not exactly match number of attributes "
           "defined in AttributeDefinitions"},
      {"throughput on demand", [](auto& r) { r.throughput = {1, 1}; },
       std::string(kInvalid) + "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when "
                               "BillingMode is PAY_PER_REQUEST"},
      {"provisioned without throughput", [](auto& r) { r.billing_mode = BillingMode::Provisioned; },
       std::string(kInvalid) + "ReadCapacityUnits and WriteCapacityUnits must both be specified when "
                               "BillingMode is PROVISIONED"},
      {"no capacity",
       [](auto& r) {
         r.billing_mode = BillingMode::Provisioned;
         r.throughput = {0, -1};
         r.global_indexes[0].throughput = {0, 1};
       },
       "3 validation errors detected: Value '-1' at 'provisionedThroughput.writeCapacityUnits' failed to "
       "satisfy constraint: Member must have value greater than or equal to 1; Value '0' at "
       "'provisionedThroughput.readCapacityUnits' failed to satisfy constraint: Member must have value "
       "greater than or equal to 1; Value '0' at "
       "'globalSecondaryIndexes.1.member.provisionedThroughput.readCapacityUnits' failed to satisfy "
       "constraint: Member must have value greater than or equal to 1"},
      {"throughput out of bounds",
       [](auto& r) {
         r.billing_mode = BillingMode::Provisioned;
         r.throughput = {1, 1'000'000'000'001};
       },
       "Given value 1000000000001 for WriteCapacityUnits is out of bounds"},
      {"provisioned index without throughput",
       [](auto& r) {
         r.billing_mode = BillingMode::Provisioned;
         r.throughput = {1, 1};
       },
       std::string(kInvalid) + "ProvisionedThroughput is not specified for index: byA"},
      {"index throughput on demand", [](auto& r) { r.global_indexes[0].throughput = {1, 1}; },
       std::string(kInvalid) + "ProvisionedThroughput should not be specified for index: byA when "
                               "BillingMode is PAY_PER_REQUEST"},
  };
}

std::vector<Refused> index_name_and_kind_mistakes() {
  return {
      {"short index name", [](auto& r) { r.global_indexes[0].name = "ab"; },
       constraint("ab", "globalSecondaryIndexes.1.member.indexName",
                  "have length greater than or equal to 3")},
      {"long index name", [](auto& r) { r.local_indexes[0].name = std::string(256, 'i'); },
       constraint(std::string(256, 'i'), "localSecondaryIndexes.1.member.indexName",
                  "have length less than or equal to 255")},
      {"index name with a slash", [](auto& r) { r.local_indexes[0].name = "a/b"; },
       constraint("a/b", "localSecondaryIndexes.1.member.indexName",
                  "satisfy regular expression pattern: [a-zA-Z0-9_.-]+")},
      {"index name twice", [](auto& r) { r.global_indexes[0].name = "localA"; },
       std::string(kInvalid) + "Duplicate index name: localA"},
      {"undefined index key", [](auto& r) { r.global_indexes[0].key_schema[0].name = "other"; },
       std::string(kInvalid) + "Some index key attributes are not defined in AttributeDefinitions. Keys: "
                               "[other, pk], AttributeDefinitions: [pk, sk, a]"},
      {"local index of another partition",
       [](auto& r) { r.local_indexes[0].key_schema = {hash("a"), range("sk")}; },
       std::string(kInvalid) +
           "Index KeySchema does not have the same leading hash key as table KeySchema for "
           "index: localA. index hash key: a, table hash key: pk"},
      {"local index without range", [](auto& r) { r.local_indexes[0].key_schema.pop_back(); },
       std::string(kInvalid) + "Index KeySchema does not have a range key for index: localA"},
      {"local index with three attributes",
       [](auto& r) { r.local_indexes[0].key_schema.push_back(range("sk")); },
       constraint("[KeySchemaElement(attributeName=pk, keyType=HASH), KeySchemaElement(attributeName=a, "
                  "keyType=RANGE), KeySchemaElement(attributeName=sk, keyType=RANGE)]",
                  "localSecondaryIndexes.1.member.keySchema", "have length less than or equal to 2")},
      {"local index on a table without range",
       [](auto& r) {
         r.key_schema.pop_back();
         r.global_indexes.clear();
       },
       std::string(kInvalid) +
           "Table KeySchema does not have a range key, which is required when specifying a "
           "LocalSecondaryIndex"},
  };
}

std::vector<Refused> projection_and_count_mistakes() {
  return {
      {"INCLUDE of nothing", [](auto& r) { r.local_indexes[0].projection.attributes.clear(); },
       std::string(kInvalid) + "ProjectionType is INCLUDE, but NonKeyAttributes is not specified"},
      {"KEYS_ONLY with attributes", [](auto& r) { r.global_indexes[0].projection.attributes = {"x"}; },
       std::string(kInvalid) + "ProjectionType is KEYS_ONLY, but NonKeyAttributes is specified"},
      {"ALL with attributes", [](auto& r) { r.global_indexes[0].projection = {ProjectionType::All, {"x"}}; },
       std::string(kInvalid) + "ProjectionType is ALL, but NonKeyAttributes is specified"},
      {"long projected name",
       [](auto& r) { r.local_indexes[0].projection.attributes = {"x", std::string(256, 'p')}; },
       constraint(std::string(256, 'p'),
                  "localSecondaryIndexes.1.member.projection.nonKeyAttributes.2.member",
                  "have length less than or equal to 255")},
      {"21 global indexes", [](auto& r) { add_global_indexes(r, 20); },
       std::string(kInvalid) + "GlobalSecondaryIndex count exceeds the per-table limit of 20"},
      {"six local indexes",
       [](auto& r) {
         for (int i = 0; i < 5; ++i)
           r.local_indexes.push_back({"local" + std::to_string(i), {hash("pk"), range("a")}, {}});
       },
       std::string(kInvalid) + "Number of LocalSecondaryIndexes exceeds per-table limit of 5"},
      {"21 projected attributes in one index",
       [](auto& r) { r.local_indexes[0].projection.attributes = std::vector<std::string>(21, "x"); },
       constraint("[x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x]",
                  "localSecondaryIndexes.1.member.projection.nonKeyAttributes",
                  "have length less than or equal to 20")},
      {"101 projected attributes",
       [](auto& r) {
         std::vector<std::string> names;
         for (int i = 0; i < 20; ++i) names.push_back("x" + std::to_string(i));
         add_global_indexes(r, 5, {ProjectionType::Include, names});
       },
       std::string(kInvalid) + "Number of projected non-key attributes exceeds the per-table limit of 100"},
  };
}

std::vector<Refused> index_key_mistakes() {
  return {
      {"range before hash in an index", [](auto& r) { set_index_key(r, {hash("a"), range("b"), hash("c")}); },
       std::string(kInvalid) + "All HASH key attributes must precede RANGE key attributes in the KeySchema"},
      {"no hash in an index", [](auto& r) { set_index_key(r, {range("a"), range("b")}); },
       "Invalid KeySchema: The first KeySchemaElement is not a HASH key type"},
      {"five hashes in an index",
       [](auto& r) { set_index_key(r, {hash("a"), hash("b"), hash("c"), hash("d"), hash("e")}); },
       std::string(kInvalid) + "The KeySchema exceeds the maximum allowed number of HASH key attributes"},
      {"five ranges in an index",
       [](auto& r) {
         set_index_key(r, {hash("a"), range("b"), range("c"), range("d"), range("e"), range("f")});
       },
       std::string(kInvalid) + "The KeySchema exceeds the maximum allowed number of RANGE key attributes"},
      {"an attribute twice in an index",
       [](auto& r) { set_index_key(r, {hash("a"), hash("b"), range("a")}); },
       "The KeySchema contains multiple key attributes with the same name"},
      {"an attribute as hash and range of an index",
       [](auto& r) { set_index_key(r, {hash("a"), range("a")}); },
       "Both the Hash Key and the Range Key element in the KeySchema have the same name"},
  };
}

TEST(TableLimits, RefusesEveryMistake) {
  TestDatabase db(StoreKind::Memory);
  std::vector<Refused> mistakes;
  for (const auto& some :
       {name_and_key_mistakes(), definition_and_billing_mistakes(), index_name_and_kind_mistakes(),
        projection_and_count_mistakes(), index_key_mistakes()}) {
    std::ranges::copy(some, std::back_inserter(mistakes));
  }
  for (const Refused& mistake : mistakes) {
    const testing::ScopedTrace trace("", 0, mistake.name);
    CreateTableRequest request = good_table();
    mistake.spoil(request);
    const auto created = db->create_table(request);
    ASSERT_FALSE(created);
    EXPECT_EQ(created.error().code(), ErrorCode::Validation);
    EXPECT_EQ(created.error().message(), mistake.message);
    EXPECT_THAT(db.dump(), IsEmpty());
  }
}

TEST(TableLimits, NamesAreText) {
  TestDatabase db(StoreKind::Memory);
  for (const auto spoil :
       {+[](CreateTableRequest& r) { r.attribute_definitions[0].name = r.key_schema[0].name = "\xff"; },
        +[](CreateTableRequest& r) { r.local_indexes[0].projection.attributes = {"\xff"}; }}) {
    CreateTableRequest request = good_table();
    spoil(request);
    const auto created = db->create_table(request);
    ASSERT_FALSE(created);
    EXPECT_EQ(created.error().code(), ErrorCode::Serialization) << created.error().message();
    EXPECT_THAT(db.dump(), IsEmpty());
  }
}

TEST(TableLimits, TakesAsManyIndexesAsAllowed) {
  TestDatabase db(StoreKind::Memory);
  CreateTableRequest request = good_table();
  add_global_indexes(request, 19, {ProjectionType::Include, {"p", "q", "r", "s", "t"}});
  for (int i = 0; i < 4; ++i)
    request.local_indexes.push_back({"local" + std::to_string(i), {hash("pk"), range("a")}, {}});
  for (int i = 0; i < 4; ++i)
    request.local_indexes[0].projection.attributes.push_back("x" + std::to_string(i));
  ASSERT_TRUE(db->create_table(request));  // 19 × 5 + 5 = 100 projected attributes
  ASSERT_TRUE(db->put_item(
      {.table_name = "Music", .item = item(R"({pk: "p", sk: 1, a: b"1", p: 1, x: "x", x3: 3, other: 1})")}));
  EXPECT_EQ(db->describe_table({"Music"})->table.index_statistics.size(), 25U);
  db.expect_consistent("Music");
}

TEST(TableLimits, TakesFourAndFourKeyAttributes) {
  TestDatabase db(StoreKind::Memory);
  CreateTableRequest request = good_table();
  set_index_key(request,
                {hash("a"), hash("b"), hash("c"), hash("d"), range("e"), range("f"), range("g"), range("h")});
  const auto created = db->create_table(request);
  ASSERT_TRUE(created);
  EXPECT_EQ(created->table.global_indexes[0].key_schema.size(), 8U);
}

}  // namespace
}  // namespace tavola::engine
