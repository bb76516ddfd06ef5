#include "workshop/gen/rule_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "design/load.h"
#include "design/model/vocabulary.h"
#include "workshop/gen/design_json.h"
#include "workshop/gen/gen_ts.h"

namespace tavola::workshop {
namespace {

class RuleTree : public testing::Test {
 protected:
  RuleTree() {
    add("stock", "integer");
    add("status", "string");
    add("seconds", "timestamp(epoch_s)");
    add("at", "timestamp(epoch_s)");
  }

  void add(const std::string& name, const char* type) {
    design::Attribute& field = entity_.fields.emplace_back();
    field.name = name;
    field.type = *design::parse_type(type);
  }

  std::string condition(std::string_view text) const {
    return written(text, design::Rule::Form::Condition, [&](json::Writer& json, const design::Rule& rule) {
      write_condition(json, rule, scope_);
    });
  }
  std::string value(std::string_view text) const {
    return written(text, design::Rule::Form::Value, [&](json::Writer& json, const design::Rule& rule) {
      write_value(json, {.rule = rule, .in_seconds = rule.gives_moment()}, scope_);
    });
  }

 private:
  std::string written(std::string_view text, design::Rule::Form form, const auto& write) const {
    design::Vocabulary vocabulary(&entity_);
    vocabulary.add("product", &entity_);
    const auto rule = design::Rule::parse(text, form, vocabulary);
    if (!rule) return "no rule";
    std::string out;
    json::Writer json(out);
    write(json, *rule);
    return out;
  }

  design::Entity entity_;
  TreeScope scope_{.entity = &entity_, .names = {"product"}};
};

TEST_F(RuleTree, NamesFieldsParametersAndLiterals) {
  EXPECT_EQ(condition("stock < 3 AND NOT exists(product.status)"),
            R"(["and",["is","<",["it","stock"],["value",3]],)"
            R"(["not",["call","attribute_exists",["name","product","status"]]]])");
  EXPECT_EQ(condition("stock IN (1, :n) OR stock BETWEEN 1 AND 2.50"),
            R"(["or",["in",["it","stock"],["value",1],["param","n"]],)"
            R"(["between",["it","stock"],["value",1],["value",2.5]]])");
  EXPECT_EQ(value("-stock * 2"), R"(["call","*",["call","negate",["it","stock"]],["value",2]])");
  EXPECT_EQ(value("lower(join('|', status, 'A'))"),
            R"(["call","lower",["call","join",["value","|"],["it","status"],["value","A"]]])");
}

TEST_F(RuleTree, TimesAreInSecondsForFieldsThatCountThem) {
  EXPECT_EQ(value("now() + 1h"), R"(["call","seconds",["call","+",["call","now"],["value",3600000]]])");
  EXPECT_EQ(value("seconds + 90d - 1h"),
            R"(["call","-",["call","+",["it","seconds"],["value",7776000]],["value",3600]])");
}

TEST(DesignJson, HasALineForEachPart) {
  const design::Loaded loaded = design::load(R"(design: 1
name: shelf
table: { name: shelf, hash: PK }
entities:
  Book: { key: { PK: 'BOOK#<id>' }, attributes: { id: { type: string, required: true } } }
patterns:
  book: { get: Book }
)",
                                             "shelf.yaml");
  ASSERT_TRUE(loaded.design);
  const std::string json = design_json(*loaded.design);
  EXPECT_NE(json.find("\n\"Book\": {\"fields\":{\"id\":{\"type\":\"string\",\"required\":true}},"
                      "\"hash\":[\"BOOK#\",{\"field\":\"id\"}]"),
            std::string::npos)
      << json;
  EXPECT_NE(json.find("\n\"book\": {\"params\":{\"id\":"), std::string::npos) << json;
}

// Both ways of performing an operation ask for what the transition needs, as the server does.
TEST(DesignJson, ATransitionNeedsFields) {
  const design::Loaded loaded = design::load(R"(design: 1
name: shelf
table: { name: shelf, hash: PK }
entities:
  Book:
    key: { PK: 'BOOK#<id>' }
    attributes: { id: { type: string, required: true }, status: { type: enum, values: [IN, OUT] }, by: string, why: string }
    lifecycles:
      loan:
        in: status
        states: { IN: { initial: true }, OUT: {} }
        transitions:
          lend: { from: [IN], to: OUT, require: [by, why] }
patterns:
  book: { get: Book }
operations:
  lend:
    params: { by: { type: string, required: false } }
    steps:
      - { transition: Book.lend, set: { by: ':by' } }
)",
                                             "shelf.yaml");
  ASSERT_TRUE(loaded.design) << loaded.diagnostics.front().message;
  EXPECT_THAT(
      design_json(*loaded.design),
      testing::HasSubstr(R"([["call","attribute_exists",["call","first",["param","by"],["it","by"]]],)"
                         R"("REFUSED","lend needs by"],)"
                         R"([["call","attribute_exists",["call","first",["param","why"],["it","why"]]],)"
                         R"("REFUSED","lend needs why"])"));
  EXPECT_THAT(
      gen_ts(*loaded.design),
      testing::AllOf(
          testing::HasSubstr(R"(refuseUnless(has(first(p.by, it.by)), "REFUSED", "lend needs by");)"),
          testing::HasSubstr(R"(refuseUnless(has(first(p.why, it.why)), "REFUSED", "lend needs why");)")));
}

}  // namespace
}  // namespace tavola::workshop
