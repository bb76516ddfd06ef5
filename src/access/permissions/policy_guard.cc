#include "access/permissions/policy_guard.h"

#include "base/timestamps.h"
#include "wire/codec/shapes.h"

namespace tavola::access {
namespace {

constexpr std::size_t kParsedMax = 10'000;

policy::Target target_of(std::string_view resource) {
  return resource.contains('/') ? policy::Target::Stream : policy::Target::Table;
}

std::string user_arn(const ServerIdentity& server, std::string_view name) {
  return "arn:aws:iam::" + server.account + ":user/" + std::string(name);
}

}  // namespace

Result<std::shared_ptr<const policy::Policy>> ParsedPolicies::parsed(const std::string& resource,
                                                                     const std::string& text) {
  {
    const SharedLock lock(mutex_);
    const auto found = entries_.find(resource);
    if (found != entries_.end() && found->second.text == text) return found->second.policy;
  }
  TAVOLA_TRY(policy::Policy policy, policy::parse_policy(text, target_of(resource)));
  auto shared = std::make_shared<const policy::Policy>(std::move(policy));
  const ExclusiveLock lock(mutex_);
  if (entries_.size() >= kParsedMax) entries_.clear();
  entries_.insert_or_assign(resource, Entry{text, shared});
  return shared;
}

policy::Context PolicyGuard::context(const policy::Policy& policy) const {
  using policy::Key;
  policy::Context context;
  const auto set = [&](Key key, const auto& value) {
    if (policy.mentions(key)) context.set(key, value());
  };
  const auto name = [&] { return visit_.user_name; };
  const auto account = [&] { return server_.account; };
  set(Key::CurrentTime, [&] { return iso8601(visit_.now); });
  set(Key::EpochTime, [&] { return std::to_string(visit_.now.time_since_epoch().count() / 1000); });
  set(Key::PrincipalAccount, account);
  set(Key::PrincipalArn, [&] { return user_arn(server_, visit_.user_name); });
  set(Key::PrincipalType, [] { return std::string("User"); });
  set(Key::RequestedRegion, [&] { return server_.region; });
  set(Key::ResourceAccount, account);
  set(Key::SecureTransport, [&] { return std::string(visit_.is_encrypted ? "true" : "false"); });
  if (!visit_.address.empty()) set(Key::SourceIp, [&] { return visit_.address; });
  set(Key::UserId, name);
  set(Key::UserName, name);
  return context;
}

policy::Verdict PolicyGuard::judge(const policy::Policy& policy, const Question& question) const {
  policy::Context all = context(policy);
  if (question.details != nullptr && policy.mentioned.any()) (*question.details)(policy, all);
  const std::string action = "dynamodb:" + std::string(question.action);
  const std::string resource = wire::table_arn(server_, question.resource);
  const std::string user = user_arn(server_, visit_.user_name);
  return policy::evaluate(
      policy,
      {.action = action, .resource = resource, .user = user, .account = server_.account, .context = all});
}

Result<std::optional<policy::Verdict>> PolicyGuard::ask(const Question& question) const {
  const std::string owner(question.owner);
  const Result<GetResourcePolicyResponse> found = database_.get_resource_policy({.resource = owner});
  if (!found) {
    const ErrorCode code = found.error().code();
    if (code == ErrorCode::PolicyNotFound || code == ErrorCode::ResourceNotFound) {
      return std::optional<policy::Verdict>();
    }
    return fail(found.error());
  }
  TAVOLA_TRY(const std::shared_ptr<const policy::Policy> policy, parsed_.parsed(owner, found->policy));
  return std::optional(judge(*policy, question));
}

Result<void> PolicyGuard::check_principals(const policy::Policy& policy) const {
  const std::string root = "arn:aws:iam::" + server_.account + ":root";
  const std::string users = user_arn(server_, "");
  for (const policy::Statement& statement : policy.statements) {
    for (const std::string& arn : statement.principals.arns) {
      if (arn == root) continue;
      const bool is_known =
          arn.starts_with(users) && visit_.knows_user && visit_.knows_user(arn.substr(users.size()));
      if (!is_known) return fail(policy::invalid_principal(arn));
    }
  }
  return {};
}

}  // namespace tavola::access
