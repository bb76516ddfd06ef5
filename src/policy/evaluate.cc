#include <algorithm>

#include "base/ascii.h"
#include "policy/policy.h"

namespace tavola::policy {
namespace {

std::string root_of(std::string_view account) { return "arn:aws:iam::" + std::string(account) + ":root"; }

bool lists(const Principals& principals, std::string_view arn) {
  return std::ranges::find(principals.arns, arn) != principals.arns.end();
}

// NotPrincipal exempts the principals it names. AWS requires the account beside a user; the account exempts none of its
// users.
bool concerns(const Statement& statement, const Asked& asked) {
  const Principals& principals = statement.principals;
  if (principals.negated) return !lists(principals, asked.user);
  if (principals.anyone || lists(principals, asked.user)) return true;
  return statement.effect == Effect::Deny && lists(principals, root_of(asked.account));
}

bool matches(const Names& names, std::string_view text, const Context& context) {
  const bool any = std::ranges::any_of(
      names.patterns, [&](const Pattern& pattern) { return pattern.matches(text, context); });
  return any != names.negated;
}

bool applies(const Statement& statement, const Asked& asked) {
  return concerns(statement, asked) && matches(statement.actions, asked.action, asked.context) &&
         matches(statement.resources, asked.resource, asked.context) &&
         std::ranges::all_of(statement.conditions,
                             [&](const Condition& condition) { return condition.holds(asked.context); });
}

}  // namespace

Verdict evaluate(const Policy& policy, const Asked& asked) {
  Verdict verdict = Verdict::Undecided;
  for (const Statement& statement : policy.statements) {
    if (!applies(statement, asked)) continue;
    if (statement.effect == Effect::Deny) return Verdict::Denied;
    verdict = Verdict::Allowed;
  }
  return verdict;
}

}  // namespace tavola::policy
