#include "workshop/exchange/table_definitions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "workshop/test_golden.h"
#include "workshop/texts/indented_json.h"
#include "yaml/parse.h"

namespace tavola::workshop {
namespace {

using testing::HasSubstr;

TEST(IndentedJson, ShortStaysOnALine) {
  EXPECT_EQ(indented(R"({"a":[1,2],"b":{"c":"x,y: {\"z\"}"}})"),
            R"({"a": [1, 2], "b": {"c": "x,y: {\"z\"}"}})");
  EXPECT_EQ(indented("{}"), "{}");
  EXPECT_EQ(indented("7"), "7");
}

TEST(IndentedJson, LongIsOpened) {
  const std::string text(60, 'x');
  EXPECT_EQ(indented(R"({"a":")" + text + R"(","b":[")" + text + R"(",{}]})"),
            "{\n  \"a\": \"" + text + "\",\n  \"b\": [\"" + text + "\", {}]\n}");
}

TEST(TableDefinitions, OfASmallDesign) {
  expect_golden("library/create_table.json", create_table_json(library()));
  expect_golden("library/time_to_live.json", time_to_live_json(library()).value_or(""));
  expect_golden("library/cloud_formation.yaml", cloud_formation(library()));
  expect_golden("library/table.tf", terraform(library()));
}

TEST(TableDefinitions, WithoutExpiry) {
  design::Design design = library();
  design.table.ttl.clear();
  EXPECT_FALSE(time_to_live_json(design));
  EXPECT_THAT(cloud_formation(design), testing::Not(HasSubstr("TimeToLive")));
  EXPECT_THAT(terraform(design), testing::Not(HasSubstr("ttl")));
}

TEST(TableDefinitions, TerraformNamesTheTableOrItsVariable) {
  design::Design design = library();
  EXPECT_THAT(terraform(design), HasSubstr("= var.libraryTable\n"));
  design.table.name_var = "var.libraryTable";
  EXPECT_THAT(terraform(design), HasSubstr("= var.libraryTable\n"));
  design.table.name_var.clear();
  EXPECT_THAT(terraform(design), HasSubstr("= \"library\"\n"));
}

class TableDefinitionsOf : public testing::TestWithParam<std::string> {};
TEST_P(TableDefinitionsOf, AreReadable) {
  const design::Design& design = design_of(GetParam());
  EXPECT_TRUE(yaml::parse(create_table_json(design)).problems.empty());  // JSON is YAML
  const yaml::Document formation = yaml::parse(cloud_formation(design));
  EXPECT_TRUE(formation.problems.empty());
  EXPECT_NE(formation.root.find("Resources"), nullptr);
  for (const auto& index : design.indexes)
    EXPECT_THAT(terraform(design), HasSubstr("= \"" + index.name + "\"\n"));
}
INSTANTIATE_TEST_SUITE_P(Designs, TableDefinitionsOf, testing::ValuesIn(design_files()), test_name);

}  // namespace
}  // namespace tavola::workshop
