// Counters on the short way against the long one: random requests to a table whose items are counted in several ways.
#include "design/rules/compiled_counters.h"

#include <map>
#include <string>

#include <gtest/gtest.h>

#include "base/test_files.h"
#include "design/load.h"
#include "design/model/plain_json.h"
#include "design/model/timestamps.h"
#include "design/rules/govern_writes.h"
#include "design/rules/write_rules.h"
#include "value/optional_item.h"
#include "value/test_generators.h"

namespace tavola::design {
namespace {

// Two counters in one item, one with a condition; groups by a field that changes and by a computed one; items that are created and one
// that must exist; sums of values that may be missing.
constexpr const char* kSales = R"yaml(design: 1
name: sales
table: { name: sales, hash: PK, range: SK, entity_attribute: kind }
indexes:
  byRevenue: { hash: GSI1PK, range: { name: revenue, type: number }, project: all }
entities:
  Sale:
    key: { PK: SHOP#<shop>, SK: SALE#<sale> }
    ids: { shop: string, sale: string }
    attributes:
      product: { type: string, required: true }
      state: { type: enum, values: [NEW, PAID], default: NEW }
      amount: { type: number, max: 500 }
      units: { type: integer, default: 1 }
      soldAt: { type: timestamp, required: true }
  ShopTotals:
    key: { PK: SHOP#<shop>, SK: TOTALS }
    index: { byRevenue: { hash: SHOPS, range: <revenue> } }
    attributes: { shop: { type: string, required: true }, sales: integer, revenue: number, paid: integer }
  DayTotals:
    key: { PK: SHOP#<shop>, SK: DAY#<day> }
    ids: { shop: string, day: string }
    attributes: { revenue: number }
  Product:
    key: { PK: PRODUCT#<product>, SK: META }
    attributes: { product: { type: string, max_length: 8 }, label: string, units: integer }
copies:
  perShop: { kind: counter, from: Sale, to: ShopTotals, count: sales, sum: { revenue: amount }, create: true }
  paid: { kind: counter, from: Sale, to: ShopTotals, count: paid, when: state = PAID, create: true }
  perDay:
    kind: counter
    from: Sale
    to: DayTotals
    key: { day: date(soldAt) }
    sum: { revenue: amount * units }
    create: true
  perProduct: { kind: counter, from: Sale, to: Product, sum: { units: units } }
patterns:
  sale: { get: Sale }
)yaml";

// Knows everything, and which way asked for it.
class KnownTable final : public StoredItems {
 public:
  const std::optional<Item>* find(const PackedItem& key) const override {
    is_asked_by_long_way = true;
    const auto found = items_.find(key.bytes());
    return found == items_.end() ? &nothing_ : &found->second;
  }
  std::optional<std::optional<ItemView>> find_packed(const PackedItem& key) const override {
    is_asked_by_short_way = true;
    const auto found = packed_.find(key.bytes());
    return found == packed_.end() ? std::optional<ItemView>() : std::optional(found->second.view());
  }
  Result<std::optional<FoundItems>> ask(const Pattern&, const Item&, std::size_t) const override {
    return FoundItems();
  }

  void store(const Item& key, const std::optional<PackedItem>& after) {
    const std::string id = packed_key(key).bytes();
    items_.erase(id);
    packed_.erase(id);
    if (!after) return;
    items_.emplace(id, after->unpack());
    packed_.emplace(id, *after);
  }
  std::optional<Item> stored(const Item& key) const {
    const auto found = items_.find(packed_key(key).bytes());
    return found == items_.end() ? std::nullopt : found->second;
  }

  mutable bool is_asked_by_short_way = false;
  mutable bool is_asked_by_long_way = false;

 private:
  std::map<std::string, std::optional<Item>, std::less<>> items_;
  std::map<std::string, PackedItem, std::less<>> packed_;
  const std::optional<Item> nothing_;
};

// Returns all that a decision says, as text.
std::string shown_decision(const Result<RuledWrites>& ruled) {
  if (!ruled) return ruled.error().message();
  std::string text;
  for (const RuledWrites::Change& one : ruled->changes) {
    text += (one.write ? "write " + std::to_string(*one.write) : to_json(one.key.unpack())) + " for " +
            std::to_string(one.cause) + ": " +
            (one.after ? to_plain_json(Value(one.after->unpack())) : "nothing") + "\n";
  }
  for (const RuledWrites::Violation& one : ruled->violations)
    text += "violation of " + std::to_string(one.write) + ": " + one.error.message() + "\n";
  return text + (ruled->is_waiting ? "waiting" : "");
}

class RandomSales {
 public:
  RandomSales() : random_(rc::Random(20'262), 100) {}

  std::uint64_t below(std::uint64_t count) { return random_.below(count); }

  // Returns the item as a client wants it; nothing deletes it.
  std::optional<Item> wanted(const Item& key, const std::optional<Item>& before) {
    if (before && below(6) == 0) return std::nullopt;
    if (key.at("SK") == Value("META")) return product(key);
    Item sale = before && below(3) > 0 ? *before : new_sale(key);
    for (std::uint64_t i = below(3); i > 0; --i) change(sale);
    return sale;
  }

  Item any_key() {
    if (below(8) == 0) return {{"PK", "PRODUCT#p" + std::to_string(below(3))}, {"SK", "META"}};
    return {{"PK", "SHOP#s" + std::to_string(below(2))}, {"SK", "SALE#" + std::to_string(below(8))}};
  }

 private:
  Item product(Item key) {
    key["label"] = "l" + std::to_string(below(3));
    return key;
  }

  Item new_sale(Item key) {
    key["product"] = any_product();
    key["soldAt"] = any_moment();
    if (below(4) > 0) key["amount"] = static_cast<std::int64_t>(below(9));
    return key;
  }

  Value any_product() { return Value("p" + std::to_string(below(30) == 0 ? 1'000'000'000 : below(3))); }
  Value any_moment() { return Value("2026-01-0" + std::to_string(1 + below(3)) + "T00:00:00Z"); }

  void change(Item& sale) {
    switch (below(7)) {
      case 0:
        sale["product"] = any_product();
        break;
      case 1:
        sale["state"] = below(2) == 0 ? "NEW" : "PAID";
        break;
      case 2:
        sale["amount"] = static_cast<std::int64_t>(below(9)) - 2;
        break;
      case 3:
        sale.erase("amount");
        break;
      case 4:
        sale["units"] = static_cast<std::int64_t>(below(3));
        break;
      case 5:
        sale["soldAt"] = any_moment();
        break;
      default:
        sale["amount"] = below(4) == 0 ? Value("a text") : Value(600);  // both are refused
    }
  }

  Dice random_;
};

// Decides one request both ways, and stores what it changes. Returns whether the short way changed counters.
bool decide_both_ways(const Design& design, const WriteRules& rules, RandomSales& sales, KnownTable& table) {
  std::vector<UnpackedWrite> writes;
  std::vector<Item> keys;
  for (std::uint64_t i = 1 + sales.below(3) / 2 * sales.below(3); i > 0; --i) {
    Item key = sales.any_key();
    if (std::ranges::find(keys, key) != keys.end()) continue;
    const std::optional<Item> before = table.stored(key);
    writes.push_back({.key = packed_key(key), .before = before, .after = sales.wanted(key, before)});
    keys.push_back(std::move(key));
  }
  std::vector<std::optional<PackedItem>> images;
  for (const UnpackedWrite& write : writes) {
    for (const std::optional<Item>& item : {write.before, write.after})
      images.push_back(item ? std::optional(pack(*item).value()) : std::nullopt);
  }
  std::vector<WantedWrite> wanted;
  for (std::size_t i = 0; i < writes.size(); ++i)
    wanted.push_back({.before = view_of(images[2 * i]), .after = view_of(images[2 * i + 1])});
  const Ambient ambient{.now = parse_iso8601("2026-03-01T12:00:00Z").value(), .random = &Random::system()};

  const Result<RuledWrites> long_way = govern_writes(design, writes, ambient, table);
  table.is_asked_by_short_way = table.is_asked_by_long_way = false;
  const Result<RuledWrites> ruled = rules.decide(wanted, ambient, table);
  EXPECT_EQ(shown_decision(ruled), shown_decision(long_way));
  if (!ruled || !ruled->violations.empty()) return false;
  const bool is_short = table.is_asked_by_short_way && !table.is_asked_by_long_way;
  if (is_short && writes.size() == 1 && !writes[0].before) {
    std::vector<PackedItem> likely;
    rules.append_likely_keys(*wanted[0].after, likely);
    for (const RuledWrites::Change& one : ruled->changes) {
      EXPECT_TRUE(one.write || std::ranges::find(likely, one.key) != likely.end())
          << to_json(one.key.unpack()) << " is not known before the item is read";
    }
  }
  for (const RuledWrites::Change& one : ruled->changes)
    table.store(one.write ? keys[*one.write] : one.key.unpack(), one.after);
  return is_short;
}

TEST(CompiledCountersTest, CountAsTheLongWayDoes) {
  const Loaded loaded = load(kSales, "sales.yaml");
  ASSERT_TRUE(loaded.design) << loaded.diagnostics.front().message;
  const WriteRules rules(*loaded.design);
  RandomSales sales;
  KnownTable table;
  int counted = 0;
  constexpr int kRequests = 4000;
  for (int i = 0; i < kRequests && !testing::Test::HasFailure(); ++i)
    counted += decide_both_ways(*loaded.design, rules, sales, table) ? 1 : 0;
  EXPECT_GT(counted, 1000) << "most requests that count go the short way";
}

}  // namespace
}  // namespace tavola::design
