#include "remote/credentials.h"

#include <utility>

namespace tavola::remote {
namespace {

using namespace std::chrono_literals;

constexpr auto kRenewedBefore = 5min;   // the end of temporary credentials
constexpr auto kBetweenAttempts = 30s;  // to renew credentials that are still valid

Error none() {
  return {ErrorCode::AccessDenied,
          "no credentials: there are none in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, "
          "AWS_WEB_IDENTITY_TOKEN_FILE, the profile "
          "in ~/.aws/credentials and ~/.aws/config (AWS_PROFILE), AWS_CONTAINER_CREDENTIALS_FULL_URI, or the "
          "metadata of an "
          "instance"};
}

}  // namespace

// The services are near; one that does not answer soon is missing.
CredentialChain::CredentialChain(Environment environment, const Clock& clock)
    : environment_(std::move(environment)),
      clock_(clock),
      http_({.connections = 1,
             .connect_timeout = 1s,
             .answer_timeout = 5s,
             .ca_bundle = environment_("AWS_CA_BUNDLE")}) {}

Result<Credentials> CredentialChain::get() {
  const MutexLock lock(mutex_);
  const WallTime now = clock_.now();
  const bool is_valid = latest_ && (!latest_->expires_at || *latest_->expires_at > now);
  const bool ends_soon = is_valid && latest_->expires_at && *latest_->expires_at - kRenewedBefore <= now;
  if (is_valid && (!ends_soon || now < next_try_)) return latest_->credentials;
  Result<FoundCredentials> found = find();
  next_try_ = now + kBetweenAttempts;
  if (found) {
    latest_ = *std::move(found);
  } else if (!is_valid) {
    return fail(std::move(found).error());
  }
  return latest_->credentials;
}

Result<FoundCredentials> CredentialChain::find() {
  const Search search{environment_, http_};
  TAVOLA_TRY(std::optional<FoundCredentials> found, from_variables(environment_));
  for (const auto place : {from_web_identity, from_profile, from_container, from_instance}) {
    if (found) return *std::move(found);
    TAVOLA_TRY(found, place(search));
  }
  if (found) return *std::move(found);
  return fail(none());
}

Result<Credentials> local_credentials(const Environment& environment) {
  for (const auto place : {from_variables, from_profile_keys}) {
    TAVOLA_TRY(const std::optional<FoundCredentials> found, place(environment));
    if (found) return found->credentials;
  }
  return fail(none());
}

}  // namespace tavola::remote

namespace tavola {

CredentialsSource default_credentials() {
  const auto chain = std::make_shared<remote::CredentialChain>(remote::system_variable);
  return [chain] { return chain->get(); };
}

}  // namespace tavola
