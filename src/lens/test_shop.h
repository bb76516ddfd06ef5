// A small governed shop in memory, for tests of the lenses.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include <tavola/table.h>

#include "base/test_clock.h"
#include "design/load.h"
#include "json/reader.h"
#include "lens/lens.h"
#include "runner/runner.h"

namespace tavola::lens {

inline constexpr std::string_view kShopDesign = R"(design: 1
name: shop
table: { name: shop, hash: PK, range: SK, entity_attribute: kind }
indexes:
  byCategory: { hash: GSI1PK, range: GSI1SK, project: [name] }
entities:
  Shop:
    key: { PK: SHOP#<shopId>, SK: META }
    ids: { shopId: string }
    attributes: { name: { type: string, required: true }, email: { type: email, sensitive: true } }
  Product:
    title: Thing for sale
    key: { PK: SHOP#<shopId>, SK: PRODUCT#<productId> }
    index: { byCategory: { hash: CATEGORY#<category>, range: PRODUCT#<productId>, when: stock > 0 } }
    ids: { shopId: { type: string, ref: Shop }, productId: string }
    attributes:
      name: { type: string, required: true }
      category: string
      stock: { type: integer, default: 0, min: 0 }
  Review:
    key: { PK: PRODUCT#<productId>, SK: REVIEW#<reviewId> }
    ids: { productId: string, reviewId: string }
    attributes: { shopId: { type: string, required: true }, product: { type: string, ref: Product }, stars: integer }
patterns:
  productsOf: { query: Product, via: table, hash: SHOP#<shopId>, range: begins_with PRODUCT# }
  everything: { query: Product, via: table, hash: SHOP#<shopId>, accept: { mixed-query: "It is a test." } }
  inCategory: { query: Product, via: byCategory, hash: CATEGORY#<category>, filter: "name <> 'Bulb'" }
  cheap: { union: [productsOf, inCategory] }
  stockOf: { aggregate: productsOf, by: [category], compute: { units: sum(stock) } }
operations:
  sell:
    read: { shop: { get: Shop } }
    steps:
      - update: Product
        as: sold
        require: { that: "stock >= :quantity", otherwise: SOLD_OUT }
        set: { stock: stock - :quantity }
    params: { quantity: { type: integer, min: 1 } }
    returns: sold
)";

// The shop s1 has two products: a lamp in a category, and a bulb that is out of stock.
class ShopTest : public testing::Test {
 protected:
  ShopTest() : ShopTest(kShopDesign) {}
  explicit ShopTest(std::string_view text)
      : design_(loaded(text)), database_(open_in_memory()), table_(*database_, "shop") {
    const auto prepared = runner::Runner({.database = *database_, .design = design_}).prepare_table();
    EXPECT_TRUE(prepared) << prepared.error().message();
  }

  void SetUp() override { fill(); }
  virtual void fill() {
    put({{"PK", "SHOP#s1"}, {"SK", "META"}, {"name", "Corner"}, {"email", "a@example.com"}});
    put({{"PK", "SHOP#s1"}, {"SK", "PRODUCT#p1"}, {"name", "Lamp"}, {"category", "light"}, {"stock", 3}});
    put({{"PK", "SHOP#s1"}, {"SK", "PRODUCT#p2"}, {"name", "Bulb"}, {"category", "light"}});
  }

  void put(const Item& item) {
    const Result<void> done = table_.put(item);
    ASSERT_TRUE(done) << done.error().message();
  }

  // Returns the answer of a lens; the message of the error if there is one.
  std::string seen(std::string_view lens, std::string_view question,
                   Sensitive sensitive = Sensitive::Masked) {
    const auto answer = look(
        {.design = design_, .database = *database_, .clock = clock_, .sensitive = sensitive}, lens, question);
    return answer ? *answer : answer.error().message();
  }
  json::Node answer(std::string_view lens, std::string_view question) {
    const std::string text = seen(lens, question);
    auto node = json::parse(text);
    EXPECT_TRUE(node) << text;
    return node ? *node : json::Node();
  }

  static design::Design loaded(std::string_view text) {
    design::Loaded loaded = design::load(text, "shop.yaml");
    for (const design::Diagnostic& one : loaded.diagnostics) {
      if (!loaded.design) ADD_FAILURE() << one.message;
    }
    return loaded.design ? *std::move(loaded.design) : design::Design();
  }

  design::Design design_;
  std::unique_ptr<Database> database_;
  Table table_;
  TestClock clock_;
};

}  // namespace tavola::lens
