// Facets, and the lanes of a partition.
#include "lens/test_shop.h"

namespace tavola::lens {
namespace {

class KeysTest : public ShopTest {};

TEST_F(KeysTest, FacetsCountEntitiesAndExplainTheUnknown) {
  EXPECT_EQ(seen("facets", R"({"items":[
      {"PK":{"S":"SHOP#s1"},"SK":{"S":"META"},"kind":{"S":"Shop"}},
      {"PK":{"S":"SHOP#s1"},"SK":{"S":"PRODUCT#p1"}},
      {"PK":{"S":"SHOP#s2"},"SK":{"S":"PRODUCT#p9"}},
      {"PK":{"S":"SHOP#s1"},"SK":{"S":"META"},"kind":{"S":"Product"}},
      {"PK":{"S":"X#1"},"SK":{"S":"Y"}},
      {"PK":{"S":"$unique#x"},"SK":{"S":"$unique"}}]})"),
            R"({"items":[{"entity":"Shop"},{"entity":"Product"},{"entity":"Product"},)"
            R"({"why":"kind is \"Product\", but PK=SHOP#s1, SK=META is a key of Shop"},)"
            R"({"why":"no entity has a key like PK=X#1, SK=Y"},{"record":true}],)"
            R"("entities":[{"entity":"Shop","title":"","count":1,"sensitive":["email"]},)"
            R"({"entity":"Product","title":"Thing for sale","count":2,"sensitive":[]},)"
            R"({"entity":"Review","title":"","count":0,"sensitive":[]}],"unknown":2})");
}

TEST_F(KeysTest, APartitionHasALaneForEachEntity) {
  EXPECT_EQ(
      seen("partition", R"({"hash":{"S":"SHOP#s1"},"limit":2})"),
      R"({"hash":{"attribute":"PK","value":{"S":"SHOP#s1"}},"count":2,)"
      R"("next":{"PK":{"S":"SHOP#s1"},"SK":{"S":"PRODUCT#p1"}},"lanes":[)"
      R"({"entity":"Shop","title":"","range":"META","patterns":["everything"],"items":[{"entity":"Shop",)"
      R"("key":{"PK":{"S":"SHOP#s1"},"SK":{"S":"META"}},"item":{"PK":{"S":"SHOP#s1"},"SK":{"S":"META"},)"
      R"("email":{"S":"***"},"kind":{"S":"Shop"},"name":{"S":"Corner"}},"masked":["email"],)"
      R"("parts":{"PK":[{"text":"SHOP#"},{"text":"s1","field":"shopId"}],"SK":[{"text":"META"}]}}]},)"
      R"({"entity":"Product","title":"Thing for sale","range":"PRODUCT#<productId>",)"
      R"("patterns":["productsOf","everything"],"items":[{"entity":"Product",)"
      R"("key":{"PK":{"S":"SHOP#s1"},"SK":{"S":"PRODUCT#p1"}},"item":{"GSI1PK":{"S":"CATEGORY#light"},)"
      R"("GSI1SK":{"S":"PRODUCT#p1"},"PK":{"S":"SHOP#s1"},"SK":{"S":"PRODUCT#p1"},"category":{"S":"light"},)"
      R"("kind":{"S":"Product"},"name":{"S":"Lamp"},"stock":{"N":"3"}},"masked":[],)"
      R"("parts":{"PK":[{"text":"SHOP#"},{"text":"s1","field":"shopId","ref":{"entity":"Shop",)"
      R"("key":{"PK":{"S":"SHOP#s1"},"SK":{"S":"META"}}}}],)"
      R"("SK":[{"text":"PRODUCT#"},{"text":"p1","field":"productId"}]}}]}],"unknown":[]})");
}

TEST_F(KeysTest, ThePartitionOfAnIndexHasItsKeys) {
  const std::string lanes = seen("partition", R"({"hash":{"S":"CATEGORY#light"},"index":"byCategory"})");
  EXPECT_TRUE(
      lanes.contains(R"("hash":{"attribute":"GSI1PK","value":{"S":"CATEGORY#light"}},"count":1,"next":null)"))
      << lanes;
  EXPECT_TRUE(lanes.contains(R"("patterns":["inCategory"])")) << lanes;
  EXPECT_TRUE(lanes.contains(R"("GSI1PK":[{"text":"CATEGORY#"},{"text":"light","field":"category"}])"))
      << lanes;
}

TEST_F(KeysTest, APartitionIsReadPageByPage) {
  const json::Node rest = answer(
      "partition", R"({"hash":{"S":"SHOP#s1"},"page":{"PK":{"S":"SHOP#s1"},"SK":{"S":"PRODUCT#p1"}}})");
  EXPECT_EQ(rest.text_at("count"), "1");
  EXPECT_EQ(rest.find("next")->kind, json::Node::Kind::Null);
}

TEST_F(KeysTest, SensitiveAttributesAreShownWhenAskedFor) {
  const std::string question = R"({"hash":{"S":"SHOP#s1"}})";
  EXPECT_FALSE(seen("partition", question).contains("a@example.com"));
  EXPECT_TRUE(seen("partition", question, Sensitive::Shown).contains(R"("email":{"S":"a@example.com"})"));
}

}  // namespace
}  // namespace tavola::lens
