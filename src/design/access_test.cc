// testdata/access: who, what, and what comes of it.
#include "design/access.h"

#include <gtest/gtest.h>

#include "base/test_files.h"
#include "design/load.h"
#include "design/plain_json.h"
#include "design/reading.h"
#include "yaml/parse.h"

namespace tavola::design {
namespace {

Design design_of(const std::string& name) {
  const std::string path = TAVOLA_SOURCE_DIR "/designs/" + name;
  Loaded loaded = load(read_file(path), path);
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

// The parameters it runs with; of an item's use, its fields.
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
  const std::string text = read_file(TAVOLA_SOURCE_DIR "/src/design/testdata/access/fus-main.yaml");
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

TEST(Access, IsForAllWhereThereAreNoRoles) {
  const Design design = design_of("InventorySystem.yaml");
  ASSERT_TRUE(design.roles.empty());
  EXPECT_TRUE(may_run(design, {}, "createShop", {}));
  EXPECT_TRUE(may_use(design, {}, ItemAct::Write, design.entities.front(), {}));
}

}  // namespace
}  // namespace tavola::design
