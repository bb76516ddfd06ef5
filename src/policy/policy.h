// A resource-based policy in AWS's policy language: who may do what with a table or a stream.
//
//   TAVOLA_TRY(Policy policy, parse_policy(text, Target::Table));
//   switch (evaluate(policy, asked)) ...
//
// Elements that Tavola does not evaluate are refused when the policy is parsed, never ignored later.
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

// The resource that a policy is attached to: it decides which actions and resources the policy may name.
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
  std::vector<Condition> conditions{};  // all of them must hold; those of one operator are adjacent
};

struct Policy {
  std::string version{};
  std::optional<std::string> id{};
  std::vector<Statement> statements{};
  KeySet mentioned{};  // the condition keys that a verdict may depend on

  bool mentions(Key key) const { return mentioned.test(std::to_underlying(key)); }
};

inline constexpr std::size_t kPolicyBytesMax = 20480;  // including blanks

// Fails with Validation in AWS's words, as far as they are known (docs/POLICIES.md names the sources).
Result<Policy> parse_policy(std::string_view text, Target target);

// Returns the policy as AWS does: without blanks, names in a fixed order, lists of one element as that element,
// accounts as ARNs. Parsing it gives the same policy.
std::string to_text(const Policy& policy);

// A request, as policies see it.
struct Asked {
  std::string_view action;    // "dynamodb:GetItem"
  std::string_view resource;  // the ARN of a table, an index or a stream
  std::string_view user;      // the caller's ARN
  std::string_view account;   // the caller's account
  const Context& context;
};

enum class Verdict : std::uint8_t {
  Undecided,  // the policy does not mention it: the caller's other permissions decide
  Allowed,
  Denied,  // even if something else allows it
};

// An Allow for the account as a whole leaves the choice of users to the account: it decides nothing for a user (IAM
// guide, "AWS account principals").
Verdict evaluate(const Policy& policy, const Asked& asked);

// The error for an invalid policy document.
Error invalid_document(std::string_view what);
// The error for a principal that does not exist.
Error invalid_principal(std::string_view who);

}  // namespace tavola::policy
