// The copies lens: what the design keeps beside an item, its differences, their repair.
#include "database/as_is_database.h"
#include "lens/test_shop.h"

namespace tavola::lens {
namespace {

constexpr std::string_view kWithCopies = R"(design: 1
name: shop
table: { name: shop, hash: PK, range: SK }
entities:
  Shop:
    key: { PK: SHOP#<shopId>, SK: META }
    ids: { shopId: string }
    attributes:
      name: { type: string, required: true }
      phone: { type: string, sensitive: true, unique: { otherwise: PHONE_TAKEN } }
      products: { type: integer, default: 0 }
  ShopName:
    key: { PK: NAMES, SK: SHOP#<shopId> }
    ids: { shopId: string }
    attributes: { name: string }
  Product:
    key: { PK: SHOP#<shopId>, SK: PRODUCT#<productId> }
    ids: { shopId: string, productId: string }
    attributes: { price: integer, double: { type: integer, derive: price * 2 } }
copies:
  shopNames: { kind: mirror, from: Shop, to: ShopName, carry: [name], mode: transaction }
  productCount: { kind: counter, from: Product, to: Shop, count: products }
)";

class CopiesTest : public ShopTest {
 protected:
  CopiesTest() : ShopTest(kWithCopies) {}
  void fill() override {
    put({{"PK", "SHOP#s1"}, {"SK", "META"}, {"name", "Corner"}, {"phone", "123"}});
    put({{"PK", "SHOP#s1"}, {"SK", "PRODUCT#p1"}, {"price", 2}});
  }
  void put_as_is(const Item& item) {
    AsIsDatabase as_is(*database_);
    ASSERT_TRUE(Table(as_is, "shop").put(item));
  }

  static constexpr std::string_view kShop = R"({"key":{"PK":{"S":"SHOP#s1"},"SK":{"S":"META"}}})";
};

TEST_F(CopiesTest, ShowsWhatStandsBesideAnItem) {
  const json::Node seen = answer("copies", kShop);
  EXPECT_TRUE(seen.find("problems")->elements.empty());
  const auto& beside = seen.find("beside")->elements;
  ASSERT_EQ(beside.size(), 2U);
  EXPECT_EQ(beside[0].text_at("kind"), "mirror");
  EXPECT_EQ(beside[0].find("key")->find("SK")->text_at("S"), "SHOP#s1");
  EXPECT_EQ(beside[0].text_at("exists"), "true");
  EXPECT_EQ(beside[1].text_at("kind"), "unique");
  EXPECT_EQ(beside[1].find("key"), nullptr);  // the key of the guard holds the sensitive value
  EXPECT_EQ(beside[1].text_at("exists"), "true");
}

TEST_F(CopiesTest, ACopyLeadsToItsSourceAndAnItemToItsCounter) {
  const json::Node copy = answer("copies", R"({"key":{"PK":{"S":"NAMES"},"SK":{"S":"SHOP#s1"}}})");
  EXPECT_EQ(copy.find("source")->text_at("entity"), "Shop");
  EXPECT_EQ(copy.find("source")->text_at("exists"), "true");
  const json::Node product = answer("copies", R"({"key":{"PK":{"S":"SHOP#s1"},"SK":{"S":"PRODUCT#p1"}}})");
  ASSERT_EQ(product.find("beside")->elements.size(), 1U);
  EXPECT_EQ(product.find("beside")->elements[0].text_at("kind"), "counter");
  EXPECT_EQ(product.find("beside")->elements[0].find("item")->text_at("entity"), "Shop");
}

TEST_F(CopiesTest, FindsAndRepairsADifferentCopy) {
  put_as_is({{"PK", "NAMES"}, {"SK", "SHOP#s1"}, {"name", "Other"}});
  const json::Node found = answer("copies", kShop);
  ASSERT_EQ(found.find("problems")->elements.size(), 1U);
  EXPECT_EQ(found.find("problems")->elements[0].text_at("rule"), "copy-different");
  EXPECT_EQ(found.find("problems")->elements[0].text_at("text"), "name is \"Other\", should be \"Corner\"");
  EXPECT_EQ(table_.get({{"PK", "NAMES"}, {"SK", "SHOP#s1"}})->value().at("name"), Value("Other"));

  const json::Node repaired =
      answer("copies", R"({"key":{"PK":{"S":"SHOP#s1"},"SK":{"S":"META"}},"repair":true})");
  EXPECT_EQ(repaired.text_at("repaired"), "1");
  EXPECT_TRUE(repaired.find("problems")->elements.empty());
  EXPECT_EQ(table_.get({{"PK", "NAMES"}, {"SK", "SHOP#s1"}})->value().at("name"), Value("Corner"));
}

TEST_F(CopiesTest, RepairsADerivedValue) {
  put_as_is({{"PK", "SHOP#s1"}, {"SK", "PRODUCT#p1"}, {"price", 2}, {"double", 5}});
  const std::string key = R"({"key":{"PK":{"S":"SHOP#s1"},"SK":{"S":"PRODUCT#p1"}})";
  EXPECT_TRUE(seen("copies", key + "}").contains(R"("rule":"derived-value","about":"Product.double")"));
  EXPECT_EQ(answer("copies", key + ",\"repair\":true}").text_at("repaired"), "1");
  EXPECT_EQ(table_.get({{"PK", "SHOP#s1"}, {"SK", "PRODUCT#p1"}})->value().at("double"), Value(4));
}

}  // namespace
}  // namespace tavola::lens
