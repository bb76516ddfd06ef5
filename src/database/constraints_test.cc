#include "database/constraints.h"

#include <gtest/gtest.h>

#include "database/enum_names.h"

namespace tavola {
namespace {

TEST(Constraints, AreToldTogetherUpToTen) {
  Constraints constraints;
  EXPECT_TRUE(constraints.check());
  constraints.check_at_least(1, std::nullopt, "limit");
  constraints.check_at_least(1, 1, "limit");
  constraints.check_at_most(100, 100, "limit");
  constraints.check_enum(Select::Count, "select");
  constraints.check_enum(std::optional<Select>(), "select");
  EXPECT_TRUE(constraints.check());
  constraints.check_at_least(1, 0, "limit");
  EXPECT_EQ(
      constraints.check().error().message(),
      "1 validation error detected: Value '0' at 'limit' failed to satisfy constraint: Member must have "
      "value greater than or equal to 1");
  constraints.check_at_most(100, 101, "limit");
  EXPECT_EQ(
      constraints.check().error().message(),
      "2 validation errors detected: Value '0' at 'limit' failed to satisfy constraint: Member must have "
      "value greater than or equal to 1; Value '101' at 'limit' failed to satisfy constraint: Member must "
      "have value less than or equal to 100");
  for (int i = 0; i < 20; ++i) constraints.check_enum(static_cast<KeyType>(9), "keyType");
  EXPECT_TRUE(constraints.check().error().message().starts_with("10 validation errors detected: "));
}

TEST(Constraints, EchoesAreCut) {
  Constraints constraints;
  constraints.add_broken(std::string(5'000'000, 'x'), "tableName", "be short");
  constraints.add_broken("v", std::string(5'000'000, 'm'), "be short");
  const std::string message = constraints.check().error().message();
  EXPECT_LT(message.size(), 10'000U);
  EXPECT_NE(
      message.find(
          "xxx...' at 'tableName' failed to satisfy constraint: Member must be short; Value 'v' at 'mmm"),
      std::string::npos);
  Constraints whole_characters;
  whole_characters.add_broken(std::string(4095, 'x') + "\u00e9", "m", "be short");
  EXPECT_NE(whole_characters.check().error().message().find("x...' at"), std::string::npos);
}

TEST(EnumNames, GoBothWays) {
  EXPECT_EQ(enum_name(BillingMode::PayPerRequest), "PAY_PER_REQUEST");
  EXPECT_EQ(find_enum<BillingMode>("PAY_PER_REQUEST"), BillingMode::PayPerRequest);
  EXPECT_EQ(find_enum<BillingMode>("pay_per_request"), std::nullopt);
  EXPECT_EQ(find_enum_name(static_cast<BillingMode>(2)), std::nullopt);
  EXPECT_EQ(enum_name(static_cast<BillingMode>(2)), "");
  EXPECT_EQ(listed_enum_names<ReturnConsumedCapacity>(), "[INDEXES, TOTAL, NONE]");
}

}  // namespace
}  // namespace tavola
