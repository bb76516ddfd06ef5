// Designs imported and exported: NoSQL Workbench, OneTable, CloudFormation, Terraform.
#include <algorithm>

#include <gtest/gtest.h>

#include "workshop/exchange/aws_command.h"
#include "workshop/exchange/import_data_model.h"
#include "workshop/exchange/import_tables.h"
#include "workshop/exchange/json_nodes.h"
#include "workshop/exchange/onetable.h"
#include "workshop/exchange/workbench.h"
#include "workshop/test_designs.h"

namespace tavola::workshop {
namespace {

using design::Design;
using design::Entity;
using yaml::Kind;
using yaml::Node;

std::string model(const std::string& file) {
  return read_text(TAVOLA_SOURCE_DIR "/src/workshop/testdata/models/" + file);
}

// Normalizes the order of members and of list elements, which have no meaning in a model.
std::string in_order(const Node& node) {
  std::vector<std::string> parts;
  for (const Node& item : node.items) parts.push_back(in_order(item));
  for (const yaml::Entry& entry : node.entries)
    parts.push_back(entry.key.text + ": " + in_order(entry.value));
  std::ranges::sort(parts);
  std::string text = node.is_scalar() ? to_json(node) : node.kind == Kind::List ? "[" : "{";
  for (const std::string& part : parts) text += part + "\n";
  return text;
}

class Workbench : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Models, Workbench,
                         testing::Values("library-facets.json", "sensors-table-items.json"), test_name);

TEST_P(Workbench, AModelComesOutAsItWentIn) {
  const Node original = *parse_tree(model(GetParam()));
  const auto designs = import_workbench(model(GetParam()));
  ASSERT_TRUE(designs) << designs.error().message();
  ASSERT_EQ(designs->size(), items_of(original, "DataModel").size());
  for (std::size_t i = 0; i < designs->size(); ++i) {
    const std::string& text = (*designs)[i].text;
    const auto exported = export_workbench(load_design(text), text, {});
    ASSERT_TRUE(exported) << exported.error().message();
    const Node again = *parse_tree(*exported);
    EXPECT_EQ(in_order(without(again, {"DataModel"})), in_order(without(original, {"DataModel"})));
    Node expected = items_of(original, "DataModel")[i];
    std::erase_if(expected.entries, [](const yaml::Entry& entry) {  // an empty list has no meaning
      return entry.value.kind == Kind::List && entry.value.items.empty() && entry.key.text == "TableData";
    });
    const Node& table = items_of(again, "DataModel").front();
    for (const yaml::Entry& entry : expected.entries) {
      ASSERT_NE(table.find(entry.key.text), nullptr) << entry.key.text;
      if (entry.key.text == "TableFacets" && entry.value.items.empty()) continue;
      EXPECT_EQ(in_order(*table.find(entry.key.text)), in_order(entry.value)) << entry.key.text << text;
    }
    // The exported model is imported again.
    const auto second = import_workbench(*exported);
    ASSERT_TRUE(second);
    const auto third = export_workbench(load_design(second->front().text), second->front().text, {});
    EXPECT_EQ(in_order(*parse_tree(*third)), in_order(again));
  }
}

TEST(Workbench, FacetsAreEntitiesWithTheirItemsAsExamples) {
  const auto designs = import_workbench(model("library-facets.json"));
  ASSERT_TRUE(designs);
  const Design library = load_design(designs->front().text);
  ASSERT_EQ(library.entities.size(), 3U);
  const Entity& book = *library.find_entity("Book");
  EXPECT_EQ(book.hash.text(), "BOOK#<isbn>");
  EXPECT_EQ(book.find_field("book"),
            nullptr);  // of the key that the items show; the facet's alias has another
  EXPECT_EQ(book.examples.size(), 2U);
  EXPECT_EQ(design::type_text(book.find_field("pages")->type), "number");
  // An alias that is only a name carries less information than the items.
  const Entity& loan = *library.find_entity("Loan");
  EXPECT_EQ(loan.hash.text(), "READER#<reader>");
  EXPECT_EQ(loan.range->text(), "LOAN#<loan>");
  EXPECT_EQ(loan.indexes.front().range->from->text(), "<dueAt>");
}

TEST(Workbench, ADesignOfOursBecomesAModel) {
  for (const std::string& file : design_files()) {
    const Design& ours = design_of(file);
    const std::vector<Item> items = sampled_items(ours, Size::Small);
    const auto exported = export_workbench(ours, "", items);
    ASSERT_TRUE(exported) << exported.error().message();
    const Node table = items_of(*parse_tree(*exported), "DataModel").front();
    EXPECT_EQ(items_of(table, "TableFacets").size(), ours.entities.size());
    EXPECT_EQ(items_of(table, "GlobalSecondaryIndexes").size(),
              std::ranges::count(ours.indexes, false, &design::Index::local));
    std::size_t placed = 0;
    for (const Node& facet : items_of(table, "TableFacets")) placed += items_of(facet, "TableData").size();
    EXPECT_EQ(placed, items.size());
  }
}

TEST(Workbench, SaysWhatIsNoModel) {
  EXPECT_FALSE(import_workbench("{}"));
  EXPECT_FALSE(import_workbench("{\"DataModel\": ["));
}

TEST(OneTable, ASchemaBecomesADesign) {
  const auto text = import_onetable(model("onetable.json"), "accounts");
  ASSERT_TRUE(text) << text.error().message();
  const Design accounts = load_design(*text);
  const Entity& account = *accounts.find_entity("Account");
  EXPECT_EQ(account.hash.text(), "account#<id>");
  EXPECT_EQ(account.range->text(), "Account#");
  EXPECT_EQ(account.find_field("plan")->values, (std::vector<std::string>{"free", "paid"}));
  EXPECT_EQ(account.find_field("plan")->otherwise, Value("free"));
  EXPECT_EQ(account.find_field("zip")->pattern.text(), "^[0-9]{5}$");
  EXPECT_TRUE(account.find_field("name")->unique);
  EXPECT_EQ(account.find_field("limits")->of.front().name, "users");
  EXPECT_EQ(account.find_field("createdAt")->automatic, design::Attribute::Auto::Create);
  const Entity& user = *accounts.find_entity("User");
  EXPECT_EQ(user.range->text(), "user#<number:06>");
  EXPECT_EQ(user.indexes.front().hash.from->text(), "user#<email>");
  EXPECT_EQ(design::type_text(user.find_field("tags")->type), "list<string>");
  EXPECT_TRUE(text->contains("`crypt` was left out"));
  EXPECT_FALSE(import_onetable("{\"format\": \"other\"}", "x"));
}

TEST(OneTable, TimestampsAreNamedAsConfigured) {
  const auto text = import_onetable(
      R"({"format": "onetable:1.1.0", "indexes": {"primary": {"hash": "pk", "sort": "sk"}},
          "params": {"timestamps": "create", "createdField": "born", "updatedField": "touched", "isoDates": true},
          "models": {"User": {"pk": {"type": "string", "value": "user#${id}"}, "sk": {"type": "string", "value": "user#"},
                              "id": {"type": "string", "required": true}}}})",
      "users");
  ASSERT_TRUE(text) << text.error().message();
  const Design users = load_design(*text);
  const Entity& user = *users.find_entity("User");
  EXPECT_EQ(user.find_field("born")->automatic, design::Attribute::Auto::Create);
  EXPECT_EQ(user.find_field("touched"), nullptr);
  EXPECT_EQ(user.find_field("createdAt"), nullptr);
}

TEST(Workbench, AccessPatternsArePlanned) {
  std::string text = model("sensors-table-items.json");
  text.insert(
      text.find('{') + 1,
      R"("AccessPatterns": [{"Name": "Readings of a sensor", "Description": "The last day.", "Type": "Query"}], )");
  const auto designs = import_workbench(text);
  ASSERT_TRUE(designs) << designs.error().message();
  const Design sensors = load_design(designs->front().text);
  const design::Pattern* const pattern = sensors.find_pattern("readingsOfASensor");
  ASSERT_NE(pattern, nullptr) << designs->front().text;
  EXPECT_TRUE(pattern->planned);
  EXPECT_EQ(pattern->notes.doc, "The last day. By Query.");
}

TEST(Workbench, AccessPatternsWithoutANameAreNamedByTheirDescription) {
  std::string text = model("sensors-table-items.json");
  text.insert(text.find('{') + 1, R"("AccessPatterns": ["List all sensors",
      {"Description": "Readings of a day", "OperationType": "Query", "KeyConditionExpression": "sensor = :s"}], )");
  const auto designs = import_workbench(text);
  ASSERT_TRUE(designs) << designs.error().message();
  const Design sensors = load_design(designs->front().text);
  EXPECT_NE(sensors.find_pattern("listAllSensors"), nullptr) << designs->front().text;
  const design::Pattern* const pattern = sensors.find_pattern("readingsOfADay");
  ASSERT_NE(pattern, nullptr) << designs->front().text;
  EXPECT_EQ(pattern->notes.doc, "By Query. Where sensor = :s.");
}

TEST(Workbench, AnInvertedIndexHasTheKeysOfTheTable) {
  const auto designs = import_workbench(R"({"ModelName": "Sessions", "DataModel": [{"TableName": "sessions",
      "KeyAttributes": {"PartitionKey": {"AttributeName": "PK", "AttributeType": "S"},
                        "SortKey": {"AttributeName": "SK", "AttributeType": "S"}},
      "GlobalSecondaryIndexes": [{"IndexName": "inverse", "Projection": {"ProjectionType": "ALL"},
          "KeyAttributes": {"PartitionKey": {"AttributeName": "SK", "AttributeType": "S"},
                            "SortKey": {"AttributeName": "PK", "AttributeType": "S"}}}],
      "TableData": [
          {"PK": {"S": "session#a1"}, "SK": {"S": "child#session#b1"}, "state": {"S": "open"}},
          {"PK": {"S": "session#a1"}, "SK": {"S": "child#session#b2"}, "state": {"S": "ended"}},
          {"PK": {"S": "session#a1"}, "SK": {"S": "customer#ABC"}, "token": {"S": "t"}},
          {"PK": {"S": "session#a2"}, "SK": {"S": "customer#XYZ"}, "token": {"S": "u"}}]}]})");
  ASSERT_TRUE(designs) << designs.error().message();
  const Design sessions = load_design(designs->front().text);
  const Entity* const child = sessions.find_entity("Session");
  ASSERT_NE(child, nullptr) << designs->front().text;
  EXPECT_EQ(child->range->text(), "child#session#<session2>");  // as the items begin, however few there are
  EXPECT_EQ(child->indexes.front().hash.from->text(), child->range->text());
  EXPECT_EQ(child->indexes.front().range->from->text(), child->hash.text());
}

TEST(OneTable, WhatWasExportedIsImportedAgain) {
  const Design accounts = load_design(*import_onetable(model("onetable.json"), "accounts"));
  const auto again = import_onetable(export_onetable(accounts), "accounts");
  ASSERT_TRUE(again) << again.error().message();
  const Design second = load_design(*again);
  ASSERT_EQ(second.entities.size(), accounts.entities.size());
  for (std::size_t i = 0; i < second.entities.size(); ++i) {
    EXPECT_EQ(second.entities[i].hash.text(), accounts.entities[i].hash.text());
    EXPECT_EQ(second.entities[i].range->text(), accounts.entities[i].range->text());
    EXPECT_EQ(second.entities[i].fields.size(), accounts.entities[i].fields.size()) << *again;
  }
  for (const std::string& file : design_files())
    EXPECT_TRUE(parse_tree(export_onetable(design_of(file)))) << file;
}

TEST(CloudFormation, ATableBecomesTheBeginningOfADesign) {
  const auto designs = import_cloudformation(model("cloudformation.yaml"));
  ASSERT_TRUE(designs) << designs.error().message();
  ASSERT_EQ(designs->size(), 1U);
  const Design orders = load_design(designs->front().text);
  EXPECT_EQ(orders.table.name, "Orders");  // the name in the template is not known before it runs
  EXPECT_EQ(orders.table.range->type, Type::Number);
  EXPECT_EQ(orders.table.ttl, "expiresAt");
  ASSERT_EQ(orders.indexes.size(), 1U);
  EXPECT_EQ(orders.indexes.front().projection.attributes, std::vector<std::string>{"total"});
  EXPECT_FALSE(import_cloudformation("Resources: {}"));
}

TEST(CloudFormation, TheOutputOfCdkIsATemplate) {
  const auto designs = import_cloudformation(model("cdk.template.json"));
  ASSERT_TRUE(designs) << designs.error().message();
  ASSERT_EQ(designs->size(), 1U);
  const Design orders = load_design(designs->front().text);
  EXPECT_EQ(orders.table.name, "TableCD117FA1");
  EXPECT_EQ(orders.table.billing, BillingMode::PayPerRequest);
  EXPECT_EQ(orders.table.ttl, "expireAt");
  EXPECT_EQ(orders.indexes.front().hash.name, "owner");
}

TEST(DataModel, TablesItemsAndAccessPatternsBecomeADesign) {
  const auto designs = import_data_model(model("dynamodb_data_model.json"));
  ASSERT_TRUE(designs) << designs.error().message();
  ASSERT_EQ(designs->size(), 1U);
  const std::string& text = designs->front().text;
  const Design deliveries = load_design(text);
  EXPECT_EQ(deliveries.find_entity("Parcel")->range->text(), "PARCEL#<parcelId>");
  EXPECT_EQ(deliveries.indexes.size(), 1U);
  EXPECT_TRUE(text.contains("ByRegionAndStatus was left out")) << text;
  const design::Pattern& get = *deliveries.find_pattern("getACustomer");
  EXPECT_EQ(get.entity.text, "Customer");
  const design::Pattern& parcels = *deliveries.find_pattern("parcelsOfACustomer");
  EXPECT_EQ(parcels.hash->text(), "CUSTOMER#<customerId>");
  EXPECT_EQ(parcels.range->text, "begins_with PARCEL#");
  const design::Pattern& of_driver = *deliveries.find_pattern("parcelsOfADriverTheLast");
  EXPECT_EQ(of_driver.via.text, "ByDriver");
  EXPECT_TRUE(of_driver.backwards);
  EXPECT_TRUE(deliveries.find_pattern("searchParcelsByNote")->planned);
  EXPECT_TRUE(text.contains("# - Mark a parcel as delivered (UpdateItem)")) << text;
  for (const std::string_view wrong : {"{}", R"({"tables": []})", R"({"tables": [{"TableName": "x"}]})", "["})
    EXPECT_FALSE(import_data_model(wrong)) << wrong;
}

TEST(DataModel, AConditionIsReadAsAShellWouldPassIt) {
  const AwsCommand query = parse_aws_command(
      "aws dynamodb query --key-condition-expression \"#p = :p and s between :a and :b\" "
      "--expression-attribute-names "
      "'{\"#p\": \"p\"}' --expression-attribute-values '{\":p\": {\"S\": \"x y\"}, \":a\": {\"N\": \"1\"}, "
      "\":b\": {\"N\": \"2\"}}'");
  EXPECT_EQ(key_comparison(query, "p")->value, Value("x y"));
  EXPECT_EQ(key_comparison(query, "s")->op, "between");
  EXPECT_EQ(key_comparison(query, "s")->value, Value(1));
  EXPECT_FALSE(key_comparison(query, "other"));
  EXPECT_FALSE(key_comparison(parse_aws_command("query --key-condition-expression 'p ='"), "p"));
}

TEST(CloudFormation, AProblemKeepsItsPlace) {
  const auto designs = import_cloudformation("A: !Ref Stage\nB: { a: !Ref X, a: 1 }\n");
  ASSERT_FALSE(designs);
  EXPECT_TRUE(designs.error().message().starts_with("line 2, column 17")) << designs.error().message();
}

TEST(Terraform, ATableBecomesTheBeginningOfADesign) {
  const auto designs = import_terraform(model("terraform.tf"));
  ASSERT_TRUE(designs) << designs.error().message();
  ASSERT_EQ(designs->size(), 1U);
  const Design main = load_design(designs->front().text);
  EXPECT_EQ(main.table.name, "main");
  EXPECT_EQ(main.table.name_var, "var.dynamoTableName");
  EXPECT_EQ(main.table.ttl, "expiresAt");
  EXPECT_EQ(main.indexes.front().hash.type, Type::Number);
  EXPECT_EQ(main.indexes.front().projection.attributes, (std::vector<std::string>{"note", "site"}));
  for (const std::string_view broken :
       {"resource \"aws_dynamodb_table\" \"x\" {", "x = ", "resource {", ""}) {
    EXPECT_FALSE(import_terraform(broken)) << broken;
  }
}

}  // namespace
}  // namespace tavola::workshop
