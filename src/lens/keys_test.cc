// Facets, and the lanes of a partition.
#include "lens/test_shop.h"

namespace tavola::lens {
namespace {

class KeysTest : public ShopTest {};

constexpr std::string_view kWithAList = R"(design: 1
name: shop
table: { name: shop, hash: PK, range: SK }
entities:
  Tag: { key: { PK: TAG#<tagId>, SK: META }, ids: { tagId: string } }
  Post:
    key: { PK: POST#<postId>, SK: META }
    ids: { postId: string }
    attributes: { tags: { type: list<string>, ref: Tag } }
)";

class ListsTest : public ShopTest {
 protected:
  ListsTest() : ShopTest(kWithAList) {}
  void fill() override {}
};

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
      R"("patterns":["productsOf","everything","cheap","stockOf"],"items":[{"entity":"Product",)"
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
  EXPECT_TRUE(lanes.contains(R"("patterns":["inCategory","cheap"])")) << lanes;
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

TEST_F(KeysTest, TheTreeCountsByTemplate) {
  EXPECT_EQ(seen("tree", "{}"),
            R"({"read":3,"next":null,"unknown":0,"samples":[],"branches":[{"hash":"SHOP#<shopId>","items":3,)"
            R"("partitions":1,"largest":[{"value":{"S":"SHOP#s1"},"items":3}],"entities":[)"
            R"({"entity":"Shop","title":"","range":"META","items":1,"patterns":["everything"]},)"
            R"({"entity":"Product","title":"Thing for sale","range":"PRODUCT#<productId>","items":2,)"
            R"("patterns":["productsOf","everything","cheap","stockOf"]}]}]})");
  EXPECT_EQ(
      seen("tree", R"({"index":"byCategory"})"),
      R"({"read":1,"next":null,"unknown":0,"samples":[],"branches":[{"hash":"CATEGORY#<category>","items":1,)"
      R"("partitions":1,"largest":[{"value":{"S":"CATEGORY#light"},"items":1}],"entities":[)"
      R"({"entity":"Product","title":"Thing for sale","range":"PRODUCT#<productId>","items":1,)"
      R"("patterns":["inCategory","cheap"]}]}]})");
}

TEST_F(KeysTest, TheTreeIsReadInParts) {
  const std::string first = seen("tree", R"({"items":2})");
  EXPECT_TRUE(first.starts_with(R"({"read":2,"next":{"PK":{"S":"SHOP#s1"},"SK":{"S":"PRODUCT#p1"}})"))
      << first;
  const std::string rest = seen("tree", R"({"page":{"PK":{"S":"SHOP#s1"},"SK":{"S":"PRODUCT#p1"}}})");
  EXPECT_TRUE(rest.starts_with(R"({"read":1,"next":null)")) << rest;
}

TEST_F(KeysTest, ThePartsOfTheTreeCountEachPartitionOnce) {
  put({{"PK", "SHOP#s2"}, {"SK", "META"}, {"name", "Market"}});
  std::int64_t partitions = 0;
  std::string question = R"({"items":1})";
  for (int part = 0; part < 10; ++part) {
    const json::Node tree = answer("tree", question);
    for (const json::Node& branch : tree.find("branches")->elements)
      partitions += std::stoll(branch.text_at("partitions"));
    const json::Node& next = *tree.find("next");
    if (next.kind == json::Node::Kind::Null) break;
    const auto text = [&](const char* key) { return next.find(key)->text_at("S"); };
    question =
        R"({"items":1,"page":{"PK":{"S":")" + text("PK") + R"("},"SK":{"S":")" + text("SK") + R"("}}})";
  }
  EXPECT_EQ(partitions, 2);
}

// A shop whose design only counts violations, so that a write may break it.
class UncheckedKeysTest : public ShopTest {
 protected:
  UncheckedKeysTest() : ShopTest("enforce: warn\n" + std::string(kShopDesign)) {}
};

TEST_F(UncheckedKeysTest, AnItemOfNoEntityHidesWhatAnyEntityHides) {
  put({{"PK", "SHOP#s1"}, {"SK", "OLD"}, {"email", "a@example.com"}});
  const std::string question = R"({"hash":{"S":"SHOP#s1"}})";
  const std::string lanes = seen("partition", question);
  EXPECT_FALSE(lanes.contains("a@example.com")) << lanes;
  EXPECT_TRUE(lanes.contains(R"("SK":{"S":"OLD"},"email":{"S":"***"}},"masked":["email"])")) << lanes;
  EXPECT_TRUE(seen("partition", question, Sensitive::Shown)
                  .contains(R"("SK":{"S":"OLD"},"email":{"S":"a@example.com"})"));
}

TEST_F(KeysTest, ReferencesLeadInBothDirections) {
  for (const char* review : {"r1", "r2"}) {
    put({{"PK", "PRODUCT#p1"}, {"SK", "REVIEW#" + std::string(review)}, {"shopId", "s1"}, {"product", "p1"}});
  }
  put({{"PK", "PRODUCT#p1"}, {"SK", "REVIEW#r3"}, {"shopId", "s1"}, {"product", "p2"}});
  const json::Node review =
      answer("references", R"({"key":{"PK":{"S":"PRODUCT#p1"},"SK":{"S":"REVIEW#r1"}}})");
  ASSERT_EQ(review.find("names")->elements.size(), 1U);
  EXPECT_EQ(review.find("names")->elements[0].text_at("exists"), "true");

  const std::string shop = seen("references", R"({"key":{"PK":{"S":"SHOP#s1"},"SK":{"S":"META"}}})");
  EXPECT_TRUE(shop.contains(
      R"("namedBy":[{"entity":"Product","field":"shopId","index":"","hash":{"S":"SHOP#s1"},)"
      R"("range":"PRODUCT#","count":2,"more":false,)"
      R"("samples":[{"PK":{"S":"SHOP#s1"},"SK":{"S":"PRODUCT#p1"}},)"
      R"({"PK":{"S":"SHOP#s1"},"SK":{"S":"PRODUCT#p2"}}],"patterns":["productsOf","everything","cheap","stockOf"]}])"))
      << shop;
}

TEST_F(ListsTest, OfManyReferencesTheFirstHundredAreFollowed) {
  List tags;
  for (int i = 0; i < 150; ++i) tags.emplace_back(std::to_string(i));
  put({{"PK", "POST#1"}, {"SK", "META"}, {"tags", std::move(tags)}});
  const json::Node post = answer("references", R"({"key":{"PK":{"S":"POST#1"},"SK":{"S":"META"}}})");
  EXPECT_EQ(post.find("names")->elements.size(), 100U);
}

TEST_F(KeysTest, AReferenceThatNoKeyBeginsWithIsExplained) {
  const std::string product = seen("references", R"({"key":{"PK":{"S":"SHOP#s1"},"SK":{"S":"PRODUCT#p1"}}})");
  EXPECT_TRUE(product.contains(R"("names":[{"field":"shopId","entity":"Shop","key":{"PK":{"S":"SHOP#s1"},)"
                               R"("SK":{"S":"META"}},"exists":true}])"))
      << product;
  EXPECT_TRUE(product.contains(
      R"("namedBy":[{"entity":"Review","field":"product",)"
      R"("why":"no key of Review begins with what `product` says: only a scan finds them"}])"))
      << product;
}

TEST_F(KeysTest, TheIndexLensShowsTheEntry) {
  const std::string lamp = seen("indexes", R"({"key":{"PK":{"S":"SHOP#s1"},"SK":{"S":"PRODUCT#p1"}}})");
  EXPECT_TRUE(lamp.contains(
      R"("indexes":[{"index":"byCategory","title":"","local":false,"hash":"CATEGORY#<category>",)"
      R"("range":"PRODUCT#<productId>","keys":{"GSI1PK":{"S":"CATEGORY#light"},)"
      R"("GSI1SK":{"S":"PRODUCT#p1"}},"entry":{"entity":"Product")"))
      << lamp;
  EXPECT_TRUE(lamp.contains(
      R"("why":"","unprojected":["category","kind","stock"],"patterns":["inCategory","cheap"]}])"))
      << lamp;
}

TEST_F(KeysTest, TheIndexLensSaysWhyThereIsNoEntry) {
  const auto why = [&](const char* key) {
    return answer("indexes",
                  "{\"key\":{\"PK\":{\"S\":\"SHOP#s1\"},\"SK\":{\"S\":\"" + std::string(key) + "\"}}}")
        .find("indexes")
        ->elements[0]
        .text_at("why");
  };
  put({{"PK", "SHOP#s1"}, {"SK", "PRODUCT#p3"}, {"name", "Rope"}, {"stock", 1}});
  EXPECT_EQ(why("PRODUCT#p2"), "stock > 0 does not hold: stock is 0");
  EXPECT_EQ(why("PRODUCT#p3"), "category has no value");
  EXPECT_EQ(why("META"), "Shop has no key in byCategory");
  EXPECT_EQ(seen("indexes", R"({"key":{"PK":{"S":"SHOP#s1"},"SK":{"S":"PRODUCT#p9"}}})"),
            R"(there is no item {"PK":{"S":"SHOP#s1"},"SK":{"S":"PRODUCT#p9"}})");
}

}  // namespace
}  // namespace tavola::lens
