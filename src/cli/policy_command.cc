#include "cli/policy_command.h"

#include <string_view>

#include "json/writer.h"
#include "policy/policy.h"
#include "server/design_file.h"

namespace tavola::cli {
namespace {

constexpr std::string_view kRolePrefix = "arn:aws:iam::";
constexpr std::size_t kAccountDigits = 12;
constexpr int kTrouble = 2;

// All that changes items, PartiQL's statements among it.
constexpr std::string_view kWrites[] = {
    "dynamodb:BatchWriteItem", "dynamodb:DeleteItem", "dynamodb:PartiQLDelete", "dynamodb:PartiQLInsert",
    "dynamodb:PartiQLUpdate",  "dynamodb:PutItem",    "dynamodb:UpdateItem"};

Output policy_failed(const std::string& why) {
  return {.err = "tavola: " + why + "\n", .exit_code = kTrouble};
}

// Returns the account of a role; empty if the ARN is not that of one.
std::string account_of(const std::string& role) {
  if (!role.starts_with(kRolePrefix)) return {};
  const std::string account = role.substr(kRolePrefix.size(), kAccountDigits);
  const bool is_number = account.find_first_not_of("0123456789") == std::string::npos;
  const bool is_role = role.substr(kRolePrefix.size() + account.size()).starts_with(":role/");
  return is_number && account.size() == kAccountDigits && is_role ? account : std::string();
}

std::string policy_text(const PolicyOptions& options, const std::string& table_arn) {
  std::string text;
  json::Writer json(text);
  json.begin_object();
  json.name("Version").text("2012-10-17");
  json.name("Statement").begin_list();
  json.begin_object();
  json.name("Sid").text("OnlyTavolaWrites");
  json.name("Effect").text("Deny");
  json.name("Principal").text("*");
  json.name("Action").begin_list();
  for (const std::string_view action : kWrites) json.text(action);
  json.end_list();
  json.name("Resource").text(table_arn);
  json.name("Condition").begin_object();
  json.name("ArnNotEquals").begin_object();
  json.name("aws:PrincipalArn").text(options.role);
  json.end_object();
  json.end_object();
  json.end_object();
  json.end_list();
  json.end_object();
  return text;
}

}  // namespace

Output run(const PolicyOptions& options) {
  const std::string account = account_of(options.role);
  if (account.empty())
    return policy_failed("--role must be the ARN of a role, like arn:aws:iam::123456789012:role/tavola");
  const Result<design::Design> design = server::runnable_design(options.file);
  if (!design) return policy_failed(design.error().message());
  const std::string table = options.table.empty() ? design->table.name : options.table;
  const std::string text =
      policy_text(options, "arn:aws:dynamodb:" + options.region + ":" + account + ":table/" + table);
  const Result<policy::Policy> parsed = policy::parse_policy(text, policy::Target::Table);
  if (!parsed) return policy_failed(parsed.error().message());
  return {.out = text + "\n"};
}

}  // namespace tavola::cli
