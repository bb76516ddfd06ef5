// The lenses by themselves: questions and dispatch.
#include "lens/lens.h"

#include "lens/test_shop.h"

namespace tavola::lens {
namespace {

class LensTest : public ShopTest {};

TEST_F(LensTest, RefusesWrongQuestions) {
  EXPECT_EQ(
      seen("facet", "{}"), "there is no lens facet; there are " + [] {
        std::string names;
        for (const Lens& one : all_lenses()) names += (names.empty() ? "" : ", ") + std::string(one.name);
        return names;
      }());
  EXPECT_EQ(seen("facets", ""), "items is required");
  EXPECT_EQ(seen("facets", "[]"), "the question must be a JSON object");
  EXPECT_EQ(seen("facets", "{\"items\":[],\"limit\":1}"),
            "the question has no member `limit`; it may have: items");
  EXPECT_EQ(seen("facets", "{\"items\":{}}"), "items must be a list of items");
  EXPECT_EQ(seen("facets", "{\"items\":[5]}"),
            "items must be an item in DynamoDB JSON, like {\"PK\": {\"S\": \"x\"}}");
  EXPECT_EQ(seen("partition", R"({"hash":{"S":"x"},"limit":0})"), "limit must be an integer from 1 to 1000");
  EXPECT_EQ(seen("partition", R"({"hash":{"S":"x"},"index":"none"})"), "the design has no index none");
  EXPECT_TRUE(seen("partition", R"({"hash":"x"})").starts_with("hash must be an item in DynamoDB JSON"));
}

}  // namespace
}  // namespace tavola::lens
