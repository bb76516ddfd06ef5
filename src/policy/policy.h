// A resource-based policy in AWS's policy language: who may do what with a table or a stream.
//
//   TAVOLA_TRY(Policy policy, parse_policy(text, Target::Table));
//   switch (evaluate(policy, asked)) ...
//
// What Tavola does not evaluate is refused when the policy is parsed, never ignored later: a policy means what it says.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tavola/error.h>

#include "policy/condition.h"
#include "policy/context.h"
#include "policy/pattern.h"

namespace tavola::policy {

enum class Effect : std::uint8_t { Allow, Deny };

// What a policy is attached to: it decides which actions and resources it may name.
enum class Target : std::uint8_t { Table, Stream };

// Principal or NotPrincipal.
struct Principals {
  bool negated = false;
  bool is_bare_star = false;        // "*", not {"AWS": "*"}
  bool anyone = false;              // "*"
  std::vector<std::string> arns{};  // of users and of accounts: arn:aws:iam::<account>:user/<name>, …:root
};

// Action or NotAction, Resource or NotResource.
struct Names {
  bool negated = false;
  std::vector<std::string> texts{};  // as written
  std::vector<Pattern> patterns{};
};

struct Statement {
  std::optional<std::string> sid{};
  Effect effect = Effect::Deny;
  Principals principals{};
  Names actions{};
  Names resources{};
  std::vector<Condition> conditions{};  // all of them must hold; of one operator beside each other
};

struct Policy {
  std::string version{};
  std::optional<std::string> id{};
  std::vector<Statement> statements{};
  KeySet mentioned{};  // the condition keys that a verdict may depend on

  bool mentions(Key key) const { return mentioned.test(std::to_underlying(key)); }
};

inline constexpr std::size_t kPolicyBytesMax = 20480;  // with its blanks

// Fails with Validation in AWS's words, as far as they are known (docs/POLICIES.md names where they come from).
Result<Policy> parse_policy(std::string_view text, Target target);

// As AWS returns it: without blanks, names in one order, lists of one element as that element, accounts as ARNs. Parsing it gives
// the same policy.
std::string to_text(const Policy& policy);

// A request, as policies see it.
struct Asked {
  std::string_view action;    // "dynamodb:GetItem"
  std::string_view resource;  // the ARN of a table, an index or a stream
  std::string_view user;      // the caller's ARN
  std::string_view account;   // the caller's
  const Context& context;
};

enum class Verdict : std::uint8_t {
  Undecided,  // the policy says nothing of it: what else the caller may do decides
  Allowed,
  Denied,  // whatever else allows it
};

// An Allow for the account as a whole leaves it to the account who of it may: it decides nothing for a user (IAM guide,
// "AWS account principals").
Verdict evaluate(const Policy& policy, const Asked& asked);

// What is invalid in a policy as a document.
Error invalid_document(std::string_view what);
// It is about somebody whom nobody knows.
Error invalid_principal(std::string_view who);

}  // namespace tavola::policy
