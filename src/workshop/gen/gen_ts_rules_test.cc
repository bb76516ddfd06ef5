#include "workshop/gen/gen_ts_rules.h"

#include <gtest/gtest.h>

#include "design/model/vocabulary.h"

namespace tavola::workshop {
namespace {

TEST(TsRules, DurationsAreSecondsBesideFieldsThatCountThem) {
  design::Entity entity;
  const auto add = [&entity](const std::string& name, const char* type) {
    design::Attribute& field = entity.fields.emplace_back();
    field.name = name;
    field.type = *design::parse_type(type);
  };
  add("seconds", "timestamp(epoch_s)");
  add("ms", "timestamp(epoch_ms)");
  const auto translated = [&entity](std::string_view text) {
    const auto rule = design::Rule::parse(text, design::Rule::Form::Value, design::Vocabulary(&entity));
    return rule ? ts_value_of(*rule, {.entity = &entity}) : "no rule";
  };
  EXPECT_EQ(translated("seconds + 90d"), "plus(it.seconds, 7776000)");
  EXPECT_EQ(translated("seconds + 90d - 1h"), "minus(plus(it.seconds, 7776000), 3600)");
  EXPECT_EQ(translated("ms + 1s"), "plus(it.ms, 1000)");
  EXPECT_EQ(translated("now() + 1s"), "plus(t.now, 1000)");
}

}  // namespace
}  // namespace tavola::workshop
