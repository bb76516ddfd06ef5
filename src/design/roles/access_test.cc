// testdata/access: a person, an act, and the decision.
#include "design/roles/access.h"

#include <gtest/gtest.h>

#include "base/test_files.h"
#include "design/items/entity_item.h"
#include "design/language/reading.h"
#include "design/load.h"
#include "design/model/plain_json.h"
#include "design/roles/groups.h"
#include "yaml/parse.h"

namespace tavola::design {
namespace {

Design design_of(const std::string& name) {
  const std::string path = TAVOLA_SOURCE_DIR "/designs/" + name;
  Loaded loaded = load(text_of_file(path), path);
  for (const Diagnostic& problem : loaded.diagnostics) ADD_FAILURE() << problem.message;
  return *std::move(loaded.design);
}

Item item_of(const yaml::Node& map) {
  const Value value = plain_value(map);
  return value.type() == Type::Map ? Item(value.map()) : Item();
}

Identity identity_of(const yaml::Node& who) {
  return {text_at(who, "sub"), texts_at(who, "groups"), texts_at(who, "permissions")};
}

// Returns the parameters of the run; for an item, its fields.
Result<Item> decide(const Design& design, const yaml::Node& one) {
  const Identity who = identity_of(*one.find("who"));
  const Item with = item_of(*one.find("with"));
  if (const yaml::Node* const run = one.find("run")) return may_run(design, who, run->text, with);
  const bool reads = one.find("read") != nullptr;
  const Entity* const entity = design.find_entity(text_at(one, reads ? "read" : "write"));
  EXPECT_NE(entity, nullptr);
  TAVOLA_CHECK(may_use(design, who, reads ? ItemAct::Read : ItemAct::Write, *entity, with));
  return with;
}

TEST(Access, IsAsTheCasesSay) {
  const Design design = design_of("fus-main.yaml");
  const std::string text = text_of_file(TAVOLA_SOURCE_DIR "/src/design/testdata/access/fus-main.yaml");
  const yaml::Document document = yaml::parse(text);
  ASSERT_TRUE(document.problems.empty());
  for (const yaml::Node& one : document.root.find("cases")->items) {
    SCOPED_TRACE("line " + std::to_string(one.span.begin.line));
    const Result<Item> decided = decide(design, one);
    if (const yaml::Node* const refused = one.find("refused")) {
      ASSERT_FALSE(decided);
      EXPECT_EQ(decided.error().message(), refused->text);
      EXPECT_EQ(decided.error().code(), ErrorCode::AccessDenied);
      const auto* const forbidden = decided.error().detail<Forbidden>();
      ASSERT_NE(forbidden, nullptr);
      EXPECT_EQ(forbidden->nobody, text_at(*one.find("who"), "sub").empty());
      continue;
    }
    ASSERT_TRUE(decided) << decided.error().message();
    const yaml::Node* const then = one.find("then");
    EXPECT_EQ(to_plain_json(*decided), to_plain_json(item_of(then != nullptr ? *then : *one.find("with"))));
  }
}

// A badge makes its holder a member of a team, unless it is revoked.
constexpr std::string_view kClub = R"(design: 1
name: club
table: { name: club, hash: PK, range: SK }
indexes:
  byHolder: { hash: byHolder, range: SK }
entities:
  Badge:
    key: { PK: BADGE#<badge>, SK: BADGE }
    ids: { badge: string }
    index: { byHolder: { hash: <holder>, range: BADGE } }
    attributes: { holder: string, team: string, revoked: boolean, note: string, by: { type: string, only: caller() } }
  Team:
    key: { PK: TEAM#<team>, SK: TEAM }
    ids: { team: string }
    attributes: { rights: set<string>, note: string }
patterns:
  badgesOf: { query: Badge, via: byHolder, hash: <holder>, filter: NOT exists(revoked) }
  team: { get: Team }
operations:
  open: { steps: [{ check: Team }] }
  close: { steps: [{ check: Team }] }
roles:
  keeper: { is: keepers, run: [open], write: [Badge, Team] }
  chief: { is: chiefs, extends: keeper, run: [close] }
groups: { member_of: badgesOf.team, permissions: team.rights }
)";

class Club : public testing::Test {
 protected:
  Club() {
    Loaded loaded = load(kClub, "club.yaml");
    for (const Diagnostic& problem : loaded.diagnostics)
      if (problem.severity == Severity::Error) ADD_FAILURE() << problem.message;
    design_ = *std::move(loaded.design);
  }

  static Item badge(std::string_view holder, std::string_view team) {
    return {{"PK", Value("BADGE#1")},
            {"SK", Value("BADGE")},
            {"holder", Value(holder)},
            {"team", Value(team)},
            {"byHolder", Value(holder)}};
  }
  static Item with(Item item, const std::string& name, Value value) {
    item[name] = std::move(value);
    return item;
  }
  static Item team(std::vector<std::string> rights) {
    return {
        {"PK", Value("TEAM#a")}, {"SK", Value("TEAM")}, {"rights", Value(*StringSet::of(std::move(rights)))}};
  }

  // Returns the refusal for a person in these groups; empty if they may.
  std::string refusal(std::vector<std::string> groups, const Granted& wanted) const {
    const AskGroups ask = [](const Pattern& pattern, const std::string& about) -> Result<std::vector<Item>> {
      if (pattern.name != "team" || about != "others") return std::vector<Item>();
      return std::vector<Item>{{{"rights", Value(*StringSet::of({"close"}))}}};
    };
    Giver anna{{.sub = "anna", .groups = std::move(groups)}};
    const Result<void> may = may_grant(design_, anna, wanted, ask);
    return may ? std::string() : may.error().message();
  }

  using Texts = std::vector<std::string>;
  Design design_;
};

TEST_F(Club, GivesWhatAPatternFindsAnew) {
  const Item annas = badge("anna", "chiefs");
  EXPECT_EQ(granted(design_, {}, annas).groups, Texts({"chiefs"}));
  EXPECT_EQ(granted(design_, badge("ben", "chiefs"), annas).groups, Texts({"chiefs"}));
  EXPECT_EQ(granted(design_, with(annas, "revoked", Value(true)), annas).groups, Texts({"chiefs"}));
  EXPECT_EQ(granted(design_, badge("anna", "keepers"), annas).groups, Texts({"chiefs"}));
  EXPECT_TRUE(granted(design_, annas, with(annas, "note", Value("x"))).empty());
  EXPECT_TRUE(granted(design_, annas, std::nullopt).empty());
  EXPECT_EQ(granted(design_, team({"open"}), team({"close", "open"})).permissions, Texts({"close"}));
  EXPECT_TRUE(granted(design_, team({"close", "open"}), team({"open"})).empty());
}

TEST_F(Club, GivesOnlyWhatTheGiverHas) {
  EXPECT_EQ(refusal({"keepers"}, {.permissions = {"open"}, .groups = {}}), "");
  EXPECT_EQ(refusal({"keepers"}, {.permissions = {"open", "close"}, .groups = {}}),
            "anna does not have the permission close, and cannot grant it to a group");
  EXPECT_EQ(refusal({"chiefs"}, {.permissions = {"open", "close"}, .groups = {"chiefs", "others"}}), "");
  EXPECT_EQ(
      refusal({"keepers"}, {.permissions = {}, .groups = {"others"}}),
      "anna does not have the permission close, and cannot make anybody a member of others, which has it");
  EXPECT_EQ(refusal({}, {.permissions = {"read:Team"}, .groups = {}}),
            "anna does not have the permission read:Team, and cannot grant it to a group");
}

TEST_F(Club, LooksUpTheGroupsOfAGiverOnce) {
  for (const bool fails : {false, true}) {
    int lookups = 0;
    const AskGroups ask = [&](const Pattern& pattern, const std::string&) -> Result<std::vector<Item>> {
      if (pattern.name != "badgesOf") return std::vector<Item>();
      ++lookups;
      if (fails) return fail(Error::internal("the disk is gone"));
      return std::vector<Item>{{{"team", Value("keepers")}}};
    };
    Giver anna{{.sub = "anna"}};
    for (int i = 0; i < 3; ++i)
      EXPECT_EQ(may_grant(design_, anna, {.permissions = {"open"}, .groups = {}}, ask).has_value(), !fails);
    EXPECT_EQ(lookups, 1);
  }
}

TEST_F(Club, LooksUpSoManyGroupsOfOnePerson) {
  const auto known = [&](std::size_t count) {
    return with_groups(design_, {.sub = "anna"}, [&](const Pattern& pattern, const std::string&) {
      std::vector<Item> found;
      for (std::size_t i = 0; pattern.name == "badgesOf" && i < 2 * count; ++i)
        found.push_back({{"team", Value("team" + std::to_string(i / 2))}});
      return Result<std::vector<Item>>(std::move(found));
    });
  };
  EXPECT_EQ(known(kGroupsMax)->groups.size(), kGroupsMax);
  EXPECT_EQ(known(kGroupsMax + 1).error().message(),
            "anna is in 1001 groups; at most 1000 are supported. Remove them from some.");
}

TEST_F(Club, KnowsWhoWroteABadge) {
  const Caller anna{.sub = "anna"};
  const Caller nobody;
  const Item item = with(badge("ben", "keepers"), "by", Value("ben"));
  EXPECT_TRUE(check_only(design_, {}, item, {}));
  EXPECT_TRUE(check_only(design_, {}, with(item, "by", Value("anna")), {.caller = &anna}));
  EXPECT_TRUE(check_only(design_, item, with(item, "note", Value("x")), {.caller = &anna}));
  EXPECT_EQ(check_only(design_, {}, item, {.caller = &anna}).error().message(),
            "Tavola: Badge.by is caller(), which is \"anna\" (was \"ben\"); leave it out [club.yaml:11]");
  EXPECT_EQ(
      check_only(design_, {}, item, {.caller = &nobody}).error().message(),
      "Tavola: Badge.by is caller(), and nobody is logged in (was \"ben\"); leave it out [club.yaml:11]");
  const Item given{{"badge", Value("1")}, {"holder", Value("ben")}};
  const Entity& entity = *design_.find_entity("Badge");
  EXPECT_EQ(complete(entity, given, Occasion::Creation, {.caller = &anna})->at("by"), Value("anna"));
  EXPECT_FALSE(complete(entity, given, Occasion::Creation, {})->contains("by"));
  EXPECT_FALSE(complete(entity, with(given, "by", Value("ben")), Occasion::Creation, {.caller = &anna}));
}

TEST(Access, IsForAllWhereThereAreNoRoles) {
  const Design design = design_of("InventorySystem.yaml");
  ASSERT_TRUE(design.roles.empty());
  EXPECT_TRUE(may_run(design, {}, "createShop", {}));
  EXPECT_TRUE(may_use(design, {}, ItemAct::Write, design.entities.front(), {}));
}

}  // namespace
}  // namespace tavola::design
