#include "workshop/sample/sample.h"

#include <map>
#include <set>

#include <gtest/gtest.h>

#include "design/items/entity_rules.h"
#include "design/model/field_value.h"
#include "workshop/sample/matching_text.h"
#include "workshop/test_designs.h"
#include "workshop/texts/words.h"

namespace tavola::workshop {
namespace {

using design::Attribute;
using design::Copy;
using design::Decoded;
using design::Design;
using design::Entity;
using design::Lifecycle;

class SampleOf : public testing::TestWithParam<std::string> {
 protected:
  const Design& design() const { return design_of(GetParam()); }

  // Returns the items of the first seed, which are made once for all tests.
  const std::vector<Sampled>& items(Size size) const {
    static std::map<std::pair<std::string, Size>, std::vector<Sampled>> made;
    const auto [found, is_new] = made.try_emplace({GetParam(), size});
    if (is_new) found->second = sampled(design(), size);
    return found->second;
  }
};

INSTANTIATE_TEST_SUITE_P(Designs, SampleOf, testing::ValuesIn(design_files()), test_name);

TEST_P(SampleOf, HasTheSizeThatWasAskedFor) {
  const std::size_t small = items(Size::Small).size();
  EXPECT_GE(small, 50U);
  EXPECT_LE(small, 110U);
  const std::size_t medium = items(Size::Medium).size();
  EXPECT_GE(medium, 1'000U);
  EXPECT_LE(medium, 2'000U);
  EXPECT_GE(items(Size::Large).size(), 10'000U);
}

TEST_P(SampleOf, EveryItemIsWhatItWasMadeAs) {
  for (const Sampled& one : items(Size::Medium)) {
    const Result<Item> item = design::to_item(design(), *one.entity, one.fields);
    ASSERT_TRUE(item) << item.error().message() << to_json(one.fields);
    const Decoded decoded = design::decode(design(), *item);
    ASSERT_EQ(decoded.entity, one.entity) << decoded.why_none << to_json(*item);
    EXPECT_EQ(to_json(decoded.fields), to_json(one.fields));
    const Result<void> kept = design::check_rules(design(), *one.entity, one.fields);
    EXPECT_TRUE(kept) << kept.error().message() << to_json(one.fields);
    for (const Attribute& field : one.entity->fields) {
      const auto value = one.fields.find(field.name);
      EXPECT_FALSE(field.required && value == one.fields.end()) << one.entity->name << "." << field.name;
      if (value == one.fields.end()) continue;
      const auto why = design::why_not(field, value->second);
      EXPECT_FALSE(why) << one.entity->name << "." << field.name << " " << why.value_or("")
                        << to_json(value->second);
    }
  }
}

TEST_P(SampleOf, TheSameSeedGivesTheSameItems) {
  const std::vector<Item> items = sampled_items(design(), Size::Small, 7);
  EXPECT_EQ(items, sampled_items(design(), Size::Small, 7));
  EXPECT_NE(items, sampled_items(design(), Size::Small, 8));
}

TEST_P(SampleOf, NoKeyStandsTwice) {
  std::set<std::string> keys;
  for (const Sampled& one : items(Size::Medium)) {
    const Result<Item> key = design::key_of(design(), *one.entity, one.fields);
    ASSERT_TRUE(key);
    EXPECT_TRUE(keys.insert(to_json(*key)).second) << to_json(*key);
  }
}

TEST_P(SampleOf, EveryStateIsThere) {
  std::map<std::string, std::set<std::string>> seen;
  for (const Sampled& one : items(Size::Small)) {
    for (const Lifecycle& lifecycle : one.entity->lifecycles) {
      const std::string& field = lifecycle.attribute.empty() ? lifecycle.name : lifecycle.attribute;
      seen[one.entity->name + "." + lifecycle.name].insert(one.fields.at(field).string());
    }
  }
  for (const Entity& entity : design().entities) {
    for (const Lifecycle& lifecycle : entity.lifecycles) {
      EXPECT_EQ(seen[entity.name + "." + lifecycle.name].size(), lifecycle.states.size()) << lifecycle.name;
    }
  }
}

TEST_P(SampleOf, NothingHappensAfterNow) {
  for (const Sampled& one : items(Size::Medium)) {
    for (const Attribute& field : one.entity->fields) {
      const auto value = one.fields.find(field.name);
      if (!field.type.is_timestamp() || value == one.fields.end() || field.name == design().table.ttl)
        continue;
      const auto moment = design::read_moment(field.type, value->second);
      ASSERT_TRUE(moment);
      EXPECT_LE(*moment, kNow) << one.entity->name << "." << field.name;
    }
  }
}

TEST_P(SampleOf, RefsPointAtWhatIsThere) {
  const std::vector<Sampled>& all = items(Size::Medium);
  std::map<std::string, std::set<std::string>> ids;
  for (const Sampled& one : all) {
    for (const std::string& field : one.entity->key_fields())
      ids[one.entity->name].insert(to_json(one.fields.at(field)));
  }
  for (const Sampled& one : all) {
    for (const Attribute& field : one.entity->fields) {
      const auto value = one.fields.find(field.name);
      if (field.ref.empty() || value == one.fields.end()) continue;
      EXPECT_TRUE(ids[field.ref].contains(to_json(value->second))) << one.entity->name << "." << field.name;
    }
  }
}

TEST_P(SampleOf, UniqueFieldsAreUnique) {
  std::set<std::string> seen;
  for (const Sampled& one : items(Size::Large)) {
    for (const Attribute& field : one.entity->fields) {
      if (!field.unique || !one.fields.contains(field.name)) continue;
      std::string mark = one.entity->name + to_json(one.fields.at(field.name));
      for (const std::string& scope : field.unique->within) mark += to_json(one.fields.at(scope));
      EXPECT_TRUE(seen.insert(mark).second) << mark;
    }
  }
}

std::map<std::string, std::vector<Item>> by_entity(const std::vector<Sampled>& all) {
  std::map<std::string, std::vector<Item>> found;
  for (const Sampled& one : all) found[one.entity->name].push_back(one.fields);
  return found;
}

TEST(Sample, CountersCountWhatIsThere) {
  auto made = by_entity(sampled(design_of("fus-main.yaml"), Size::Medium));
  std::map<std::string, std::pair<Number, Number>> counted;
  for (const Item& rating : made["Rating"]) {
    auto& [count, sum] = counted[rating.at("site").string()];
    count = *(count + Number(1));
    sum = *(sum + rating.at("stars").number());
  }
  EXPECT_FALSE(counted.empty());
  for (const Item& site : made["Site"]) {
    const auto& [count, sum] = counted[site.at("site").string()];
    EXPECT_EQ(site.at("ratingCount").number(), count);
    EXPECT_EQ(site.at("ratingSum").number(), sum);
  }
}

TEST(Sample, MirrorsAndFanoutsAreWhatTheirSourcesSay) {
  auto made = by_entity(sampled(design_of("fus-main.yaml"), Size::Medium));
  std::size_t tags = 0;
  for (const Item& site : made["Site"]) tags += site.contains("tags") ? site.at("tags").list().size() : 0;
  EXPECT_EQ(made["SiteTag"].size(), tags);
  EXPECT_EQ(made["SiteComment"].size(), made["Comment"].size());
  auto files = by_entity(sampled(design_of("text-analyzer-history.yaml"), Size::Small));
  EXPECT_FALSE(files["File"].empty());
  EXPECT_EQ(files["OwnerHistory"].size(), files["File"].size());
}

TEST(Sample, ASaleIsOfAProductOfItsShopAsThatWas) {
  auto made = by_entity(sampled(design_of("InventorySystem.yaml"), Size::Medium));
  std::map<std::string, Item> products;
  for (const Item& product : made["Product"]) products.emplace(product.at("productId").string(), product);
  EXPECT_FALSE(made["Sale"].empty());
  for (const Item& sale : made["Sale"]) {
    const Item& product = products.at(sale.at("productId").string());
    EXPECT_EQ(sale.at("shopId"), product.at("shopId"));
    EXPECT_EQ(sale.at("productName"), product.at("name"));
    EXPECT_EQ(sale.at("unitPrice"), product.at("unitPrice"));
    EXPECT_EQ(sale.at("totalAmount").number(),
              *(sale.at("quantity").number() * sale.at("unitPrice").number()));
  }
  for (const Item& change : made["Transaction"]) {
    EXPECT_EQ(change.at("type").string() == "OUT", change.at("quantityChange").number().is_negative());
  }
}

TEST(MatchingText, MatchesItsPattern) {
  for (const std::string_view pattern :
       {"[A-Z]{3}-\\d{4}", "^(DE|AT|CH)$", "[a-z0-9_-]{3,16}", "(?:ab|c)+d?", "x.*", "[^a-y]"}) {
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
      Dice dice(seed);
      const auto text = matching_text(pattern, dice);
      ASSERT_TRUE(text) << pattern;
      Attribute field;
      field.pattern = std::string(pattern);
      EXPECT_FALSE(design::why_not(field, *text)) << pattern << " " << *text;
    }
  }
  Dice dice(1);
  for (const std::string_view pattern : {"(?=a)b", "[a", "(a", "a{2", "\\1", "a)"}) {
    EXPECT_FALSE(matching_text(pattern, dice)) << pattern;
  }
}

TEST(Words, OfAnIdentifier) {
  using Expected = std::vector<std::string>;
  EXPECT_EQ(words_of("notificationEmail"), (Expected{"notification", "email"}));
  EXPECT_EQ(words_of("last_crawled_start"), (Expected{"last", "crawled", "start"}));
  EXPECT_EQ(words_of("OWNED_SHOP"), (Expected{"owned", "shop"}));
  EXPECT_EQ(words_of("top10Words"), (Expected{"top10", "words"}));
  EXPECT_TRUE(words_of("#").empty());
}

// The retries find an order of two times, also of days.
TEST(Sample, KeepsRulesThatCompareTimes) {
  for (const std::string type : {"timestamp", "timestamp(epoch_ms)", "date"}) {
    const Design design = load_design(
        "design: 1\n"
        "name: hotel\n"
        "table: { name: hotel, hash: PK, range: SK }\n"
        "entities:\n"
        "  Booking:\n"
        "    key: { PK: ROOM#<room>, SK: BOOKING#<id> }\n"
        "    ids: { room: string, id: string }\n"
        "    attributes: { start: { type: \"" +
        type + "\", required: true }, end: { type: \"" + type +
        "\", required: true } }\n"
        "    rules: { endsAfterStart: start < end }\n");
    EXPECT_GE(sampled(design, Size::Small).size(), 50U) << type;
  }
}

}  // namespace
}  // namespace tavola::workshop
