// Rows of aggregates, compared with plain loops over the items.
#include "design/requests/aggregate.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "design/load.h"
#include "design/model/plain_json.h"

namespace tavola::design {
namespace {

constexpr std::string_view kTill = R"yaml(design: 1
name: till
table: { name: till, hash: PK, range: SK }
entities:
  Sale:
    key: { PK: SHOP#<shop>, SK: SALE#<sale> }
    attributes:
      shop: { type: string, required: true }
      sale: { type: string, required: true }
      product: string
      amount: number
      weight: number
      at: timestamp
      tags: list<string>
patterns:
  sales: { query: Sale, via: table, hash: SHOP#<shop> }
  byProduct:
    aggregate: sales
    by: [product]
    compute:
      sales: count()
      amounts: count(amount)
      sum: sum(amount)
      least: min(amount)
      most: max(amount)
      mean: avg(amount)
      weighted: round(avg(amount * weight, weight), 3)
    order: sum desc
  top: { aggregate: sales, by: [product], compute: { n: count() }, order: n desc, limit: 2 }
  days: { aggregate: sales, by: { day: "day(at, :zone)" }, compute: { n: count(), first: min(product) }, order: desc }
  all:
    aggregate: sales
    compute: { n: count(), sum: sum(amount), mean: avg(amount), least: min(amount), first: min(product), tags: min(tags) }
  each: { aggregate: sales, by: [sale], compute: { n: count() } }
  counted: { aggregate: sales, compute: { n: count() } }
)yaml";

const Design& till() {
  static const Design design = [] {
    Loaded loaded = load(kTill, "till.yaml");
    for (const Diagnostic& one : loaded.diagnostics) {
      if (one.severity == Severity::Error) ADD_FAILURE() << to_text(one, kTill);
    }
    return *std::move(loaded.design);
  }();
  return design;
}

Result<std::vector<Item>> rows_of(std::string_view name, const std::vector<Item>& items,
                                  const Item& parameters = {}) {
  const Pattern& pattern = *till().find_pattern(name);
  Aggregation aggregation(pattern, parameters, {});
  for (const Item& item : items) TAVOLA_CHECK(aggregation.add(item));
  return std::move(aggregation).rows(pattern.limit);
}

std::string shown(const Result<std::vector<Item>>& rows) {
  if (!rows) return rows.error().message();
  std::string text;
  for (const Item& row : *rows) text += to_plain_json(row) + "\n";
  return text;
}

Number number(const char* text) { return *Number::parse(text); }

TEST(Aggregate, AMissingValueIsAGroupOfItsOwnAndIsNotCounted) {
  EXPECT_EQ(
      shown(rows_of("byProduct", {{{"product", "a"}, {"amount", number("0.1")}, {"weight", 1}},
                                  {{"product", "a"}, {"amount", number("0.2")}, {"weight", 2}},
                                  {{"product", "a"}},
                                  {{"amount", 7}}})),
      R"({"amounts":1,"least":7,"mean":7,"most":7,"sales":1,"sum":7})"
      "\n"
      R"({"amounts":2,"least":0.1,"mean":0.15,"most":0.2,"product":"a","sales":3,"sum":0.3,"weighted":0.167})"
      "\n");
}

TEST(Aggregate, WithoutGroupsThereIsOneRow) {
  EXPECT_EQ(shown(rows_of("all", {})), "{\"n\":0,\"sum\":0}\n");
  EXPECT_EQ(shown(rows_of("byProduct", {})), "");
  EXPECT_EQ(
      shown(rows_of("all",
                    {{{"product", "b"}, {"amount", 1}}, {{"product", "a"}, {"amount", 1}}, {{"amount", 0}}})),
      R"({"first":"a","least":0,"mean":0.6666666667,"n":3,"sum":2})"
      "\n");
}

TEST(Aggregate, TheFirstRowsOfTheOrderAreReturned) {
  const std::vector<Item> items{{{"product", "a"}}, {{"product", "b"}}, {{"product", "b"}},
                                {{"product", "c"}}, {{"product", "d"}}, {{"product", "d"}}};
  EXPECT_EQ(shown(rows_of("top", items)), "{\"n\":2,\"product\":\"b\"}\n{\"n\":2,\"product\":\"d\"}\n");
}

TEST(Aggregate, PeriodsAreThoseOfATimeZone) {
  const std::vector<Item> items{{{"product", "x"}, {"at", "2024-01-31T12:00:00Z"}},
                                {{"product", "a"}, {"at", "2024-01-31T23:59:59Z"}},
                                {{"product", "b"}, {"at", "2024-02-01T00:00:00Z"}},
                                {{"product", "c"}}};
  EXPECT_EQ(
      shown(rows_of("days", items, {{"zone", "UTC"}})),
      "{\"day\":\"2024-02-01\",\"first\":\"b\",\"n\":1}\n{\"day\":\"2024-01-31\",\"first\":\"a\",\"n\":2}\n"
      "{\"first\":\"c\",\"n\":1}\n");
}

TEST(Aggregate, SaysWhatItCannotComputeWith) {
  EXPECT_EQ(shown(rows_of("all", {{{"amount", "much"}}})), "sum: sum needs numbers");
  EXPECT_EQ(shown(rows_of("all", {{{"tags", List{Value("a")}}}})),
            "tags: min needs numbers, or texts, and not both");
  EXPECT_EQ(shown(rows_of("all", {{{"product", "a"}}, {{"product", 1}}})),
            "first: min needs numbers, or texts, and not both");
}

TEST(Aggregate, HasABoundForItsGroups) {
  Aggregation aggregation(*till().find_pattern("each"), Item(), {});
  for (std::size_t i = 0; i < Aggregation::kGroupsMax; ++i)
    ASSERT_TRUE(aggregation.add({{"sale", std::to_string(i)}}));
  EXPECT_TRUE(aggregation.add({{"sale", "0"}})) << "known groups go on";
  const Result<void> refused = aggregation.add({{"sale", "one more"}});
  ASSERT_FALSE(refused);
  EXPECT_TRUE(refused.error().message().starts_with("each has more than 10000 groups"))
      << refused.error().message();
}

TEST(Aggregate, HasABoundForItsBytes) {
  std::vector<Item> items;
  for (int i = 0; i < 50; ++i)
    items.push_back({{"product", std::to_string(100 + i) + std::string(380'000, 'x')}});
  EXPECT_TRUE(shown(rows_of("byProduct", items)).starts_with("byProduct has groups of more than 16 MB; "));
  items.resize(40);
  EXPECT_EQ(rows_of("byProduct", items)->size(), 40U);
}

TEST(Aggregate, HasABoundForItsItems) {
  Aggregation aggregation(*till().find_pattern("counted"), Item(), {});
  const Item sale;
  for (std::size_t i = 0; i < Aggregation::kItemsMax; ++i) ASSERT_TRUE(aggregation.add(sale));
  const Result<void> refused = aggregation.add(sale);
  ASSERT_FALSE(refused);
  EXPECT_TRUE(refused.error().message().starts_with("counted reads more than 1000000 items"))
      << refused.error().message();
}

// A plain loop over cents, with integers.
struct Plain {
  std::int64_t sales = 0;
  std::int64_t amounts = 0;
  std::int64_t cents = 0;
  std::int64_t least = 0;
  std::int64_t most = 0;
};

RC_GTEST_PROP(AggregateProperty, EqualsAPlainLoopOverTheItems, ()) {
  std::map<std::string, Plain> plain;
  std::vector<Item> items;
  const auto cents_of = [](std::int64_t cents) {
    return Number::from_parts(cents < 0, static_cast<Number::Digits>(cents < 0 ? -cents : cents), -2);
  };
  for (int i = *rc::gen::inRange(0, 40); i > 0; --i) {
    const std::string product = *rc::gen::element<std::string>("a", "b", "c", "d");
    Item& item = items.emplace_back(Item{{"product", product}});
    Plain& group = plain[product];
    ++group.sales;
    if (*rc::gen::weightedElement<bool>({{1, false}, {5, true}})) {
      const std::int64_t cents = *rc::gen::inRange<std::int64_t>(-100'000, 100'000);
      item["amount"] = cents_of(cents);
      group.least = group.amounts == 0 ? cents : std::min(group.least, cents);
      group.most = group.amounts == 0 ? cents : std::max(group.most, cents);
      group.cents += cents;
      ++group.amounts;
    }
  }
  const Result<std::vector<Item>> rows = rows_of("byProduct", items);
  RC_ASSERT(rows.has_value());
  RC_ASSERT(rows->size() == plain.size());
  std::optional<Number> before;
  for (const Item& row : *rows) {
    const Plain& group = plain.at(row.at("product").string());
    RC_ASSERT(row.at("sales") == Value(group.sales));
    RC_ASSERT(row.at("amounts") == Value(group.amounts));
    RC_ASSERT(row.at("sum") == Value(cents_of(group.cents)));
    RC_ASSERT(row.contains("mean") == (group.amounts > 0));
    if (group.amounts > 0) {
      RC_ASSERT(row.at("least") == Value(cents_of(group.least)));
      RC_ASSERT(row.at("most") == Value(cents_of(group.most)));
      // Ten digits after the point, halves away from zero, in whole numbers.
      const std::int64_t scaled = group.cents * 100'000'000;
      const std::int64_t magnitude = scaled < 0 ? -scaled : scaled;
      const std::int64_t rounded = (2 * magnitude + group.amounts) / (2 * group.amounts);
      RC_ASSERT(row.at("mean") ==
                Value(Number::from_parts(scaled < 0, static_cast<Number::Digits>(rounded), -10)));
    }
    const bool descends =
        !before || row.at("sum").number() <= *before;  // RC_ASSERT evaluates both sides of ||
    RC_ASSERT(descends);
    before = row.at("sum").number();
  }
}

}  // namespace
}  // namespace tavola::design
