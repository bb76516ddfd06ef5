// Patterns and operations through the lenses: why not, explanations, runs.
#include "lens/test_shop.h"

namespace tavola::lens {
namespace {

class PatternsTest : public ShopTest {
 protected:
  // Returns the checks of the first part that fail: "filter: …".
  std::string failed(std::string_view key, std::string_view pattern, std::string_view parameters) {
    const json::Node seen = answer(
        "why-not", R"({"key":{"PK":{"S":"SHOP#s1"},"SK":{"S":")" + std::string(key) + R"("}},"pattern":")" +
                       std::string(pattern) + R"(","parameters":)" + std::string(parameters) + "}");
    std::string text;
    if (seen.find("parts") == nullptr) return text;
    for (const json::Node& check : seen.find("parts")->elements[0].find("checks")->elements) {
      if (check.text_at("holds") == "false")
        text += check.text_at("what") + ": " + check.text_at("text") + "\n";
    }
    EXPECT_EQ(text.empty(), seen.find("parts")->elements[0].text_at("found") == "true");
    return text;
  }
};

TEST_F(PatternsTest, WhyNotNamesTheCheckThatFails) {
  EXPECT_EQ(failed("PRODUCT#p1", "productsOf", R"({"shopId":"s1"})"), "");
  EXPECT_EQ(failed("PRODUCT#p1", "productsOf", R"({"shopId":"s2"})"),
            "partition: PK is \"SHOP#s1\"; asked for is \"SHOP#s2\".\n");
  EXPECT_EQ(failed("META", "productsOf", R"({"shopId":"s1"})"),
            "entity: productsOf returns Product; this is of Shop.\n"
            "range: SK is \"META\"; asked for is what begins with \"PRODUCT#\".\n");
  EXPECT_EQ(failed("PRODUCT#p9", "productsOf", R"({"shopId":"s1"})"),
            "item: There is no item with this key.\n");
  EXPECT_EQ(failed("PRODUCT#p2", "inCategory", R"({"category":"light"})"),
            "index: The item is not in byCategory: stock > 0 does not hold: stock is 0.\n"
            "partition: GSI1PK is absent; asked for is \"CATEGORY#light\".\n"
            "filter: The filter is name <> 'Bulb': name is \"Bulb\".\n");
}

TEST_F(PatternsTest, WhyNotLooksAtEachPartOfAUnion) {
  const json::Node seen =
      answer("why-not", R"({"key":{"PK":{"S":"SHOP#s1"},"SK":{"S":"PRODUCT#p2"}},"pattern":"cheap",
                                               "parameters":{"shopId":"s1","category":"light"}})");
  EXPECT_EQ(seen.text_at("found"), "true");
  ASSERT_EQ(seen.find("parts")->elements.size(), 2U);
  EXPECT_EQ(seen.find("parts")->elements[1].text_at("found"), "false");
}

TEST_F(PatternsTest, WhyNotChecksTheQuestion) {
  const std::string key = R"({"key":{"PK":{"S":"SHOP#s1"},"SK":{"S":"META"}})";
  EXPECT_EQ(seen("why-not", key + "}"), "pattern is required");
  EXPECT_EQ(seen("why-not", key + R"(,"pattern":"none"})"), "the design has no pattern none");
  EXPECT_EQ(seen("why-not", key + R"(,"pattern":"productsOf"})"), "shopId is required");
}

TEST_F(PatternsTest, ARunCountsWhatItReadAndReturned) {
  const json::Node page = answer("run", R"({"pattern":"everything","parameters":{"shopId":"s1"},"limit":2})");
  EXPECT_EQ(page.text_at("returned"), "2");
  EXPECT_EQ(page.text_at("scanned"), "3");  // the shop lies in the partition, too
  const json::Node& lamp = page.find("entities")->elements[0];
  EXPECT_EQ(lamp.text_at("entity"), "Product");
  EXPECT_EQ(lamp.find("key")->find("SK")->text_at("S"), "PRODUCT#p1");
  EXPECT_EQ(lamp.find("fields")->text_at("stock"), "3");
  EXPECT_EQ(page.find("requests")->elements[0].text_at("operation"), "Query");
}

TEST_F(PatternsTest, ARunHasPages) {
  const json::Node first =
      answer("run", R"({"pattern":"productsOf","parameters":{"shopId":"s1"},"limit":1})");
  const json::Node second =
      answer("run", R"({"pattern":"productsOf","parameters":{"shopId":"s1"},"limit":5,"page":")" +
                        first.text_at("next") + "\"}");
  ASSERT_EQ(second.find("entities")->elements.size(), 1U);
  EXPECT_EQ(second.find("entities")->elements[0].find("fields")->text_at("name"), "Bulb");
  EXPECT_EQ(second.find("next")->kind, json::Node::Kind::Null);
}

TEST_F(PatternsTest, TheRowsOfAnAggregateHaveNoKey) {
  const json::Node rows = answer("run", R"({"pattern":"stockOf","parameters":{"shopId":"s1"}})");
  ASSERT_EQ(rows.find("entities")->elements.size(), 1U);
  EXPECT_EQ(rows.find("entities")->elements[0].find("fields")->text_at("units"), "3");
  EXPECT_EQ(rows.find("entities")->elements[0].find("key")->kind, json::Node::Kind::Null);
}

TEST_F(PatternsTest, APatternIsExplainedBeforeItRuns) {
  const std::string explained = seen("explain", R"({"pattern":"productsOf","parameters":{"shopId":"s1"}})");
  EXPECT_TRUE(explained.contains(R"("operation":"Query")")) << explained;
  EXPECT_TRUE(explained.contains("SHOP#s1")) << explained;
}

TEST_F(PatternsTest, AnOperationShowsItsTransactionAndChangesNothing) {
  const std::string question =
      R"({"operation":"sell","parameters":{"shopId":"s1","productId":"p1","quantity":)";
  const json::Node explained = answer("explain", question + "2}}");
  EXPECT_EQ(explained.find("writes")->find("writes")->text_at("operation"), "TransactWriteItems");
  bool has_refusal = false;
  for (const json::Node& cause : explained.find("writes")->find("causes")->elements) {
    has_refusal = has_refusal || cause.text_at("name") == "SOLD_OUT";
  }
  EXPECT_TRUE(has_refusal);
  EXPECT_EQ(table_.get({{"PK", "SHOP#s1"}, {"SK", "PRODUCT#p1"}})->value().at("stock"), Value(3));
}

TEST_F(PatternsTest, ARefusalIsExplainedInWords) {
  const json::Node missing =
      answer("explain", R"({"operation":"sell","parameters":{"shopId":"s9","productId":"p1","quantity":1}})");
  ASSERT_NE(missing.find("refused"), nullptr);
  EXPECT_EQ(missing.find("refused")->text_at("name"), "NOT_FOUND");
  EXPECT_EQ(
      seen("explain", R"({"operation":"sell","parameters":{"shopId":"s1","productId":"p1","quantity":0}})"),
      "quantity must be ≥ 1 (was 0)");
}

}  // namespace
}  // namespace tavola::lens
