// Runs testdata/*.cases: policies, requests and verdicts (testdata/README.md).
#include <span>

#include <gtest/gtest.h>

#include "expr/test_case_file.h"
#include "policy/policy.h"

namespace tavola::policy {
namespace {

constexpr std::string_view kAccount = "000000000000";

std::string replaced(std::string text, std::string_view what, std::string_view by) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size())) {
    text.replace(at, what.size(), by);
  }
  return text;
}

std::string written_out(const std::string& text) {
  return replaced(replaced(text, "$T", "arn:aws:dynamodb:local:000000000000:table"), "$U",
                  "arn:aws:iam::000000000000:user");
}

std::vector<std::string> split(std::string_view text, char by) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(by, begin), text.size());
    if (end > begin) parts.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

std::string_view name_of(Verdict verdict) {
  return verdict == Verdict::Allowed ? "allowed" : verdict == Verdict::Denied ? "denied" : "undecided";
}

// ANNA GetItem Music dynamodb:LeadingKeys=a,b
std::string verdict_of(const Policy& policy, const std::string& request) {
  const std::vector<std::string> words = split(request, ' ');
  if (words.size() < 3) return "no request: " + request;
  const std::string user = "arn:aws:iam::000000000000:user/" + words[0];
  const std::string action = "dynamodb:" + words[1];
  const std::string resource = written_out("$T/" + words[2]);
  Context context;
  context.set(Key::PrincipalArn, user);
  context.set(Key::PrincipalAccount, std::string(kAccount));
  context.set(Key::UserName, words[0]);
  for (const std::string& word : std::span(words).subspan(3)) {
    const std::size_t equals = word.find('=');
    const KeyInfo* const key = find_key(word.substr(0, equals));
    if (key == nullptr) return "no key: " + word;
    context.set(key->key, split(word.substr(equals + 1), ','));
  }
  return std::string(name_of(evaluate(
      policy,
      {.action = action, .resource = resource, .user = user, .account = kAccount, .context = context})));
}

TEST(PolicyCases, All) {
  std::size_t count = 0;
  for (const auto& file : expr::case_files(TAVOLA_SOURCE_DIR "/src/policy/testdata", ".cases")) {
    Result<Policy> policy = parse_policy("", Target::Table);
    for (const auto& [where, text] : expr::read_case_file(file)) {
      const std::size_t arrow = text.find("==>");
      const std::string left = expr::trimmed(written_out(text.substr(0, arrow)));
      const std::string expected =
          arrow == std::string::npos ? "" : expr::trimmed(written_out(text.substr(arrow + 3)));
      const std::string verb = left.substr(0, left.find(' '));
      const std::string rest = left.size() > verb.size() ? left.substr(verb.size() + 1) : "";
      const Target target = verb.starts_with("stream-") ? Target::Stream : Target::Table;
      ++count;
      if (verb == "policy" || verb == "stream-policy") {
        policy = parse_policy(rest, target);
        EXPECT_TRUE(policy) << where << ": " << policy.error().message();
        if (!policy) continue;
        EXPECT_EQ(to_text(*parse_policy(to_text(*policy), target)), to_text(*policy)) << where;
      } else if (verb == "refused" || verb == "stream-refused") {
        const Result<Policy> refused = parse_policy(rest, target);
        EXPECT_EQ(refused ? "taken" : refused.error().message(), expected) << where;
      } else if (verb == "written") {
        const Result<Policy> written = parse_policy(rest, target);
        EXPECT_EQ(written ? to_text(*written) : written.error().message(), expected) << where;
      } else {
        ASSERT_TRUE(policy) << where;
        EXPECT_EQ(verdict_of(*policy, left), expected) << where << ": " << left;
      }
    }
  }
  EXPECT_GT(count, 150U);
}

TEST(Policies, AreNotLargerThan20KB) {
  const std::string policy =
      R"({"Version":"2012-10-17","Statement":{"Effect":"Deny","Principal":"*","Action":"*","Resource":"*"}})";
  EXPECT_TRUE(parse_policy(policy + std::string(kPolicyBytesMax - policy.size(), ' '), Target::Table));
  const auto larger =
      parse_policy(policy + std::string(kPolicyBytesMax - policy.size() + 1, ' '), Target::Table);
  ASSERT_FALSE(larger);
  EXPECT_EQ(larger.error().message(),
            "One or more parameter values were invalid: Maximum policy size of 20480 bytes exceeded");
}

TEST(Policies, SayWhichKeysTheyMention) {
  const auto policy = parse_policy(
      R"({"Statement":{"Effect":"Deny","Principal":"*","Action":"*","Resource":"*",
          "Condition":{"ForAnyValue:StringEquals":{"dynamodb:LeadingKeys":"a"}}}})",
      Target::Table);
  ASSERT_TRUE(policy);
  EXPECT_TRUE(policy->mentions(Key::LeadingKeys));
  EXPECT_FALSE(policy->mentions(Key::Attributes));
}

}  // namespace
}  // namespace tavola::policy
