#include "cli/tables/status_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tavola::cli {
namespace {

TEST(StatusCommand, ShowsTheGovernanceOfADesign) {
  const Result<std::string> text = governance_text(
      R"({"design": "shop", "table": "orders", "enforce": "warn",)"
      R"( "broken": [{"rule": "total >= 0", "writes": 3, "key": {"PK": "a"}}], "stuck": 1,)"
      R"( "stuckItems": [{"since": "2026-01-15T10:00:00Z", "entity": "Order", "fields": {"id":"7","n":1.5}}],)"
      R"( "unfinished": 2})");
  ASSERT_TRUE(text) << text.error().message();
  EXPECT_EQ(*text,
            "shop on the table orders: warn\n"
            "stuck: 1\n"
            "  since 2026-01-15T10:00:00Z  Order {\"id\":\"7\",\"n\":1.5}\n"
            "unfinished background work: 2\n"
            "broken rules: 1\n"
            "  3 times: total >= 0\n");
}

TEST(StatusCommand, RefusesOtherAnswers) {
  for (const char* json : {"{}", "[]", "", "<html>", R"({"broken": []})", R"({"stuckItems": []})",
                           R"({"broken": 1, "stuckItems": 2})", "broken: []\nstuckItems: []\n"}) {
    const Result<std::string> text = governance_text(json);
    ASSERT_FALSE(text) << json;
    EXPECT_EQ(text.error().code(), ErrorCode::Io);
  }
}

TEST(StatusCommand, AMemberMayBeMissing) {
  const Result<std::string> text = governance_text(R"({"broken": [{}], "stuckItems": [{"since": "x"}]})");
  ASSERT_TRUE(text) << text.error().message();
  EXPECT_THAT(*text, testing::HasSubstr("  since x"));
}

}  // namespace
}  // namespace tavola::cli
