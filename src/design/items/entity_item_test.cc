// From fields to items and back: by examples, and for random entities.
#include "design/items/entity_item.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "design/test_entities.h"

namespace tavola::design {
namespace {

struct Counting : Random {
  std::uint64_t next() override { return ++last; }
  std::uint64_t last = 0;
};

Counting& counting() {
  static Counting random;
  return random;
}

Ambient ambient() { return {WallTime(std::chrono::milliseconds(1'706'702'400'123)), &counting()}; }

Attribute field(std::string name, std::string_view type) {
  Attribute field;
  field.name = std::move(name);
  field.type = type_named(type);
  return field;
}

Attribute made_of(std::string name, std::string_view type, std::string_view value) {
  Attribute made = field(std::move(name), type);
  made.value = must_parse(value);
  return made;
}

IndexEntry entry(std::string index, std::string_view hash, std::string_view range) {
  return {.index = std::move(index),
          .hash = {.from = must_parse(hash), .lifecycle = {}, .at = {}},
          .range = KeySource{.from = must_parse(range), .lifecycle = {}, .at = {}},
          .when = {},
          .at = {}};
}

Index index(std::string name, std::string hash, std::string range) {
  Index index;
  index.name = std::move(name);
  index.hash.name = std::move(hash);
  index.range = KeyAttribute{.name = std::move(range), .at = {}};
  return index;
}

// A catalogue of rated sites whose indexes are keyed by data, and shops whose crawls have states.
Design example() {
  Design design;
  design.table.hash.name = "PK";
  design.table.range = KeyAttribute{.name = "SK", .at = {}};
  design.table.entity_attribute = "entityType";
  design.indexes = {index("byStars", "starRating", "siteId"), index("GSI2", "gsi2_pk", "gsi2_sk"),
                    index("byEntity", "entityType", "entitySk")};
  design.indexes[0].hash.type = Type::Number;

  Entity rating;
  rating.name = "Rating";
  rating.hash = must_parse("USER#<user>");
  rating.range = must_parse("SITE#<site>");
  rating.fields = {field("user", "string"), field("site", "string"), field("stars", "integer"),
                   made_of("starRating", "integer", "<stars>"), made_of("siteId", "string", "SITE#<site>")};
  rating.fields[0].stored = rating.fields[1].stored = false;
  rating.fields[2].required = true;
  rating.fields[2].min = 1;
  rating.fields[2].max = 5;
  rating.indexes = {entry("byStars", "<starRating>", "<siteId>")};

  Entity shop;
  shop.name = "Shop";
  shop.hash = must_parse("SHOP#<domain>");
  shop.range = must_parse("META#");
  shop.fields = {made_of("entityType", "string", "SHOP"),
                 field("domain", "string"),
                 field("country", "string"),
                 field("started", "timestamp"),
                 field("updatedAt", "timestamp(epoch_ms)"),
                 field("code", "uuid")};
  shop.fields[2].format = must_parse("COUNTRY#<cc>");
  shop.fields[4].automatic = Attribute::Auto::Update;
  shop.fields[5].generate = Attribute::Generate::Uuid;
  Lifecycle crawl;
  crawl.name = "crawl";
  crawl.index = "GSI2";
  crawl.states.resize(2);
  crawl.states[0].name = "NEVER";
  crawl.states[0].key = must_parse("NEVER#");
  crawl.states[1].name = "PROGRESS";
  crawl.states[1].key = must_parse("PROGRESS#<started>");
  shop.lifecycles = {crawl};
  shop.indexes = {{.index = "GSI2",
                   .hash = {.from = must_parse("<country>"), .lifecycle = {}, .at = {}},
                   .range = KeySource{.from = {}, .lifecycle = "crawl", .at = {}},
                   .when = {},
                   .at = {}}};
  design.entities = {rating, shop};
  return design;
}

Result<Item> stored(const Design& design, std::string_view entity, Item fields) {
  TAVOLA_TRY(const Item whole,
             complete(*design.find_entity(entity), std::move(fields), Occasion::Creation, ambient()));
  return to_item(design, *design.find_entity(entity), whole);
}

TEST(EntityItem, HasKeysIndexKeysAndWhatIsComputed) {
  const Design design = example();
  EXPECT_EQ(to_json(*stored(design, "Rating", {{"user", "u1"}, {"site", "s1"}, {"stars", 5.0_n}})),
            to_json(Item{{"PK", "USER#u1"},
                         {"SK", "SITE#s1"},
                         {"entityType", "Rating"},
                         {"stars", 5},
                         {"starRating", 5},
                         {"siteId", "SITE#s1"}}));
  EXPECT_EQ(to_json(*stored(design, "Shop", {{"domain", "x.de"}, {"country", "DE"}, {"code", "c1"}})),
            to_json(Item{{"PK", "SHOP#x.de"},
                         {"SK", "META#"},
                         {"entityType", "SHOP"},
                         {"domain", "x.de"},
                         {"country", "COUNTRY#DE"},
                         {"code", "c1"},
                         {"updatedAt", 1'706'702'400'123},
                         {"gsi2_pk", "COUNTRY#DE"},
                         {"gsi2_sk", "NEVER#"}}));
}

TEST(EntityItem, KeepsAStateThatIsInNoIndex) {
  const Design design = example();
  const Item item = *stored(design, "Shop", {{"domain", "x.de"}, {"code", "c1"}});
  EXPECT_FALSE(item.contains("gsi2_pk"));
  EXPECT_EQ(item.at("gsi2_sk"), Value("NEVER#"));
  EXPECT_EQ(decode(design, item).fields.at("crawl"), Value("NEVER"));
}

TEST(EntityItem, Refuses) {
  const Design design = example();
  for (const auto& [entity, fields, message] : std::vector<std::tuple<const char*, Item, const char*>>{
           {"Rating", {{"user", "u"}, {"site", "s"}}, "stars is required"},
           {"Rating", {{"user", "u"}, {"site", "s"}, {"stars", nullptr}}, "stars is required"},
           {"Rating", {{"user", "u"}, {"site", "s"}, {"stars", 6}}, "stars must be ≤ 5 (was 6)"},
           {"Rating", {{"user", "u"}, {"stars", 5}}, "site is required: it is part of the key"},
           {"Rating",
            {{"user", "u#v"}, {"site", "s"}, {"stars", 5}},
            "user may not contain '#', which separates the parts of a key (was \"u#v\")"},
           {"Shop",
            {{"domain", "x"}, {"crawl", "GONE"}},
            "crawl must be a state of crawl (was {\"S\":\"GONE\"})"},
           {"Shop", {{"domain", "x"}, {"crawl", "PROGRESS"}}, "started is required when crawl is PROGRESS"},
           {"Shop",
            {{"domain", "x"}, {"country", "D#E"}},
            "country must look like COUNTRY#<cc> (was \"D#E\")"},
       }) {
    const auto item = stored(design, entity, fields);
    ASSERT_FALSE(item) << entity << " " << message;
    EXPECT_EQ(item.error().message(), message);
    EXPECT_EQ(item.error().code(), ErrorCode::Validation);
  }
  Design circle = example();
  circle.entities[0].fields.push_back(made_of("a", "string", "<b>"));
  circle.entities[0].fields.push_back(made_of("b", "string", "<a>"));
  EXPECT_EQ(stored(circle, "Rating", {{"user", "u"}, {"site", "s"}, {"stars", 5}}).error().message(),
            "a depends on itself");
}

TEST(EntityItem, MomentsAreThoseOfTheirOccasions) {
  using Auto = Attribute::Auto;
  Entity entity;
  entity.hash = must_parse("<id>");
  entity.fields = {field("id", "string"), field("c", "timestamp"), field("u", "timestamp"),
                   field("t", "timestamp")};
  entity.fields[1].automatic = Auto::Create;
  entity.fields[2].automatic = Auto::Update;
  entity.fields[3].automatic = Auto::Transition;
  const std::string before = "2000-01-01T00:00:00Z";
  const std::string now = "2024-01-31T12:00:00Z";
  const Item old{{"id", "1"}, {"c", before}, {"u", before}, {"t", before}};
  const auto after = [&](Occasion occasion) { return *complete(entity, old, occasion, ambient()); };
  EXPECT_EQ(after(Occasion::Creation), (Item{{"id", "1"}, {"c", now}, {"u", now}, {"t", now}}));
  EXPECT_EQ(after(Occasion::Change), (Item{{"id", "1"}, {"c", before}, {"u", now}, {"t", before}}));
  EXPECT_EQ(after(Occasion::Transition), (Item{{"id", "1"}, {"c", before}, {"u", now}, {"t", now}}));
}

TEST(EntityItem, OnlyWhatIsNewGetsIdsDefaultsAndStates) {
  const Design design = example();
  const Entity& shop = *design.find_entity("Shop");
  const Item fresh = *complete(shop, {{"domain", "x"}}, Occasion::Creation, ambient());
  EXPECT_EQ(fresh.at("code").string().size(), 36U);
  EXPECT_EQ(fresh.at("crawl"), Value("NEVER"));
  const Item changed = *complete(shop, {{"domain", "x"}}, Occasion::Change, ambient());
  EXPECT_FALSE(changed.contains("code"));
  EXPECT_FALSE(changed.contains("crawl"));
}

// ---- Decoding

TEST(Decode, TellsWhy) {
  const Design design = example();
  for (const auto& [item, why] : std::vector<std::pair<Item, const char*>>{
           {{{"SK", "x"}}, "the item has no PK"},
           {{{"PK", "x"}}, "the item has no SK"},
           {{{"PK", "X#1"}, {"SK", "Y"}}, "no entity has a key like PK=X#1, SK=Y"},
           {{{"PK", 1}, {"SK", "Y"}}, "no entity has a key like PK=1, SK=Y"},
           {{{"PK", "SHOP#x"}, {"SK", "META#"}, {"domain", "y"}},
            "domain is \"y\", but PK=SHOP#x, SK=META# says \"x\""},
           {{{"PK", "SHOP#x"}, {"SK", "META#"}, {"entityType", "Rating"}},
            "entityType is \"Rating\", but PK=SHOP#x, SK=META# is a key of Shop"},
       }) {
    const Decoded decoded = decode(design, item);
    EXPECT_EQ(decoded.entity, nullptr);
    EXPECT_EQ(decoded.why_none, why);
  }
}

TEST(Decode, FillsInWhatAnIndexDoesNotProject) {
  const Design design = example();
  const Decoded shop = decode(design, {{"PK", "SHOP#x"},
                                       {"SK", "META#"},
                                       {"gsi2_pk", "COUNTRY#DE"},
                                       {"gsi2_sk", "PROGRESS#2024-01-31T12:00:00Z"}});
  ASSERT_EQ(shop.entity, design.find_entity("Shop")) << shop.why_none;
  EXPECT_EQ(shop.fields, (Item{{"domain", "x"},
                               {"country", "COUNTRY#DE"},
                               {"crawl", "PROGRESS"},
                               {"started", "2024-01-31T12:00:00Z"}}));
}

TEST(Decode, KeepsWhatNobodyDeclaredButForeignKeys) {
  const Design design = example();
  const Decoded rating = decode(design, {{"PK", "USER#u"},
                                         {"SK", "SITE#s"},
                                         {"entityType", "Rating"},
                                         {"starRating", 5},
                                         {"gsi2_pk", "left over"},
                                         {"note", "nice"}});
  ASSERT_NE(rating.entity, nullptr) << rating.why_none;
  EXPECT_EQ(rating.fields, (Item{{"user", "u"}, {"site", "s"}, {"starRating", 5}, {"note", "nice"}}));
}

TEST(Decode, IsNoneWhereTwoFit) {
  Design design = example();
  design.table.entity_attribute.clear();
  design.entities.push_back(design.entities.front());
  design.entities.back().name = "Twin";
  EXPECT_EQ(decode(design, {{"PK", "USER#u"}, {"SK", "SITE#s"}}).why_none,
            "PK=USER#u, SK=SITE#s could be a key of Rating, Twin");
}

// ---- Laws

struct Scene {
  explicit Scene(Dice dice) {
    RandomDesign random(dice);
    design = random.design();
    entity = &design.entities[dice.below(design.entities.size())];
    given = random.instance(*entity);
  }
  Design design;
  const Entity* entity = nullptr;
  Item given;
};

RC_GTEST_PROP(EntityItem, ComesBack, ()) {
  const Scene scene(*arbitrary_dice());
  const auto fields = complete(*scene.entity, scene.given, Occasion::Creation, ambient());
  if (!fields) RC_FAIL(fields.error().message());
  for (const auto& [name, value] : scene.given) {
    if (name != "category") RC_ASSERT(fields->at(name) == value);
  }
  const auto item = to_item(scene.design, *scene.entity, *fields);
  if (!item) RC_FAIL(item.error().message());
  const Decoded decoded = decode(scene.design, *item);
  RC_ASSERT(decoded.why_none == "");
  RC_ASSERT(decoded.entity == scene.entity);
  RC_ASSERT(decoded.fields == *fields);
  RC_ASSERT(key_of(scene.design, *scene.entity, decoded.fields)->at("PK") == item->at("PK"));
}

RC_GTEST_PROP(EntityItem, CompletingAgainChangesNothing, ()) {
  const Scene scene(*arbitrary_dice());
  const auto once = complete(*scene.entity, scene.given, Occasion::Creation, ambient());
  if (!once) RC_FAIL(once.error().message());
  RC_ASSERT(complete(*scene.entity, *once, Occasion::Change, ambient()).value() == *once);
}

RC_GTEST_PROP(Decode, KnowsTheEntityByTheKeysAlone, ()) {
  const Scene scene(*arbitrary_dice());
  const Item fields = complete(*scene.entity, scene.given, Occasion::Creation, ambient()).value();
  const Item item = to_item(scene.design, *scene.entity, fields).value();
  Item projected;
  for (const char* name : {"PK", "SK", "gsi1_pk", "gsi1_sk", "gsi2_pk", "gsi2_sk"}) {
    if (item.contains(name)) projected[name] = item.at(name);
  }
  const Decoded decoded = decode(scene.design, projected);
  RC_ASSERT(decoded.entity == scene.entity);
  for (const std::string& name : scene.entity->key_fields())
    RC_ASSERT(decoded.fields.at(name) == fields.at(name));
  for (const auto& [name, value] : decoded.fields) RC_ASSERT(fields.at(name) == value);
}

RC_GTEST_PROP(Decode, IsOneEntityOrNoneWithAReason, ()) {
  Dice dice = *arbitrary_dice();
  const Scene scene(dice);
  Item item = to_item(scene.design, *scene.entity,
                      complete(*scene.entity, scene.given, Occasion::Creation, ambient()).value())
                  .value();
  // Damaged at one or two positions, mostly keys.
  for (std::size_t left = 1 + dice.below(2); left > 0; --left) {
    const std::string name(dice.pick({"PK", "SK", "kind", "id", "sort", "gsi2_sk", "a1"}));
    if (dice.coin()) {
      item.erase(name);
    } else {
      item[name] =
          dice.coin() ? dice.value(2) : Value(dice.pick({"E1#a", "E1#1#P#2", "META", "R#1#", "E2", "DONE#"}));
    }
  }
  const Decoded decoded = decode(scene.design, item);
  RC_ASSERT((decoded.entity == nullptr) == !decoded.why_none.empty());
  if (decoded.entity == nullptr) return;
  const auto key = key_of(scene.design, *decoded.entity, decoded.fields);
  RC_ASSERT(key.has_value());
  for (const auto& [name, value] : *key) RC_ASSERT(item.at(name) == value);
}

}  // namespace
}  // namespace tavola::design
