// Two fronts on one database that governs nothing, each behind a meter of its own. For tests only.
#pragma once

#include <array>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "base/test_clock.h"
#include "design/load.h"
#include "engine/engine.h"
#include "engine/test_notation.h"
#include "governed/governed_database.h"
#include "governed/test_metered_database.h"
#include "store/store.h"

namespace tavola::governed {

inline constexpr const char* kShop = R"yaml(design: 1
name: shop
table: { name: shop, hash: PK, range: SK }
indexes:
  topics: { hash: byTopic, range: SK, project: all }
entities:
  Note:
    key: { PK: NOTE#<note>, SK: META }
    ids: { note: string }
    index: { topics: { hash: TOPIC#<topic>#<grade>, range: META } }
    attributes:
      text: { type: string, required: true }
      topic: string
      grade: string
      n: integer
  Shop:
    key: { PK: SHOP#<shop>, SK: META }
    ids: { shop: string }
    attributes:
      name: { type: string, required: true }
      products: { type: integer, default: 0 }
  Product:
    key: { PK: SHOP#<shop>, SK: PRODUCT#<product> }
    ids: { shop: string, product: string }
    attributes:
      sku: { type: string, required: true, unique: true }
      stock: { type: integer, default: 0 }
copies:
  counting: { kind: counter, from: Product, to: Shop, count: products }
)yaml";

inline PackedItem item(const std::string& text) { return *pack(*engine::Notation(text).item()); }

inline PutItemRequest put(const std::string& text) { return {.table_name = "shop", .item = item(text)}; }

inline UpdateItemRequest update(const std::string& key, const std::string& expression,
                                const std::string& values) {
  UpdateItemRequest request{.table_name = "shop", .key = item(key), .update_expression = expression};
  request.values = item(values);
  if (expression.contains("#t")) request.names.emplace("#t", "text");
  return request;
}

// A design is changed as fast as it can be; nobody looks by himself in this time.
inline constexpr WatchTimes kAtOnce{.between = std::chrono::minutes(1),
                                    .valid = std::chrono::minutes(1),
                                    .between_in_change = std::chrono::minutes(1),
                                    .valid_in_change = std::chrono::minutes(1),
                                    .announced = std::chrono::milliseconds(0),
                                    .settles = std::chrono::milliseconds(0)};

class TestFronts {
 public:
  explicit TestFronts(const std::string& design, WatchTimes times = kAtOnce)
      : times_(times), engine_(store::open_memory(), clock_) {
    for (std::size_t i = 0; i < fronts_.size(); ++i) {
      meters_[i] = std::make_unique<MeteredDatabase>(engine_);
      auto front = open_on(*meters_[i], design);
      EXPECT_TRUE(front) << front.error().message();
      fronts_[i] = *std::move(front);
    }
  }

  engine::Engine& engine() { return engine_; }
  TestClock& clock() { return clock_; }
  GovernedDatabase& front(std::size_t at) { return *fronts_[at]; }
  MeteredDatabase& remote(std::size_t at) { return *meters_[at]; }

  Result<std::unique_ptr<GovernedDatabase>> open_front(const std::string& design) {
    return open_on(engine_, design);
  }

  // Returns the item as it is in the table; empty if there is none.
  Item stored(const std::string& key) {
    const auto found = engine_.get_item({.table_name = "shop", .key = item(key), .consistent_read = true});
    EXPECT_TRUE(found);
    return found && found->item ? found->item->unpack() : Item();
  }

 private:
  Result<std::unique_ptr<GovernedDatabase>> open_on(Database& remote, const std::string& text) {
    const design::Loaded loaded = design::load(text, "shop.yaml");
    if (!loaded.design) return fail(Error::validation("the design of the test has mistakes"));
    const std::array designs{*loaded.design};
    return GovernedDatabase::open(
        remote, designs, clock_,
        {.lease_clock = &clock_, .watch_times = times_, .index_lag = std::chrono::milliseconds(0)});
  }

  const WatchTimes times_;
  TestClock clock_;
  engine::Engine engine_;
  std::array<std::unique_ptr<MeteredDatabase>, 2> meters_;
  std::array<std::unique_ptr<GovernedDatabase>, 2> fronts_;
};

}  // namespace tavola::governed
