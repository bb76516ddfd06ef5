#include "cli/policy_command.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "policy/policy.h"

namespace tavola::cli {
namespace {

using testing::HasSubstr;

constexpr const char* kRole = "arn:aws:iam::123456789012:role/tavola";
constexpr const char* kTableArn = "arn:aws:dynamodb:eu-central-1:123456789012:table/InventorySystem";

std::string inventory() { return std::string(TAVOLA_SOURCE_DIR) + "/designs/InventorySystem.yaml"; }

policy::Verdict verdict(const policy::Policy& policy, std::string_view action, const std::string& user) {
  policy::Context context;
  context.set(policy::Key::PrincipalArn, user);
  return policy::evaluate(
      policy,
      {.action = action, .resource = kTableArn, .user = user, .account = "123456789012", .context = context});
}

TEST(DesignPolicy, NobodyButTheRoleWrites) {
  const Output printed = run(PolicyOptions{.file = inventory(), .role = kRole, .region = "eu-central-1"});
  ASSERT_EQ(printed.exit_code, 0) << printed.err;
  const Result<policy::Policy> policy = policy::parse_policy(printed.out, policy::Target::Table);
  ASSERT_TRUE(policy) << policy.error().message();
  const std::string other = "arn:aws:iam::123456789012:role/batch";
  for (const char* action : {"dynamodb:PutItem", "dynamodb:UpdateItem", "dynamodb:DeleteItem",
                             "dynamodb:BatchWriteItem", "dynamodb:PartiQLUpdate"}) {
    EXPECT_EQ(verdict(*policy, action, other), policy::Verdict::Denied) << action;
    EXPECT_EQ(verdict(*policy, action, kRole), policy::Verdict::Undecided) << action;
  }
  EXPECT_EQ(verdict(*policy, "dynamodb:GetItem", other), policy::Verdict::Undecided);
}

TEST(DesignPolicy, ARoleIsAnArnOfOne) {
  for (const char* role :
       {"tavola", "arn:aws:iam::12:role/tavola", "arn:aws:iam::123456789012:user/tavola"}) {
    const Output refused = run(PolicyOptions{.file = inventory(), .role = role, .region = "eu-central-1"});
    EXPECT_NE(refused.exit_code, 0) << role;
    EXPECT_THAT(refused.err, HasSubstr("--role must be the ARN of a role"));
  }
}

}  // namespace
}  // namespace tavola::cli
