#include "systems/host/login_options.h"

#include "base/files.h"
#include "systems/host/dev_login.h"
#include "systems/host/openid/plain_page.h"

namespace tavola::systems {
namespace {

Result<std::string> secret_in(const std::string& file) {
  if (file.empty()) return std::string();
  TAVOLA_TRY(std::string secret, read_file(file));
  secret.erase(secret.find_last_not_of("\r\n \t") + 1);
  if (secret.empty())
    return fail(Error::validation(file + " is empty; --oidc-client-secret-file must hold a secret"));
  return secret;
}

}  // namespace

Result<std::vector<std::unique_ptr<IdentityProvider>>> login_providers(LoginParts from) {
  const HostOptions& options = from.options;
  std::vector<std::unique_ptr<IdentityProvider>> providers;
  if (!options.dev_login && options.oidc.issuer.empty()) return providers;
  const http::Asset* const sheet = style_sheet(from.assets);
  OpenIdLogin::Parts parts{.issuer = {.url = options.oidc.issuer, .client_id = options.oidc.client_id},
                           .scopes = options.oidc.scopes,
                           .program = from.program,
                           .public_url = options.public_url,
                           .is_secure = options.is_secure(),
                           .style = sheet == nullptr ? "" : std::string(sheet->path)};
  if (options.dev_login) {
    TAVOLA_TRY(
        auto issuer,
        DevIssuer::start({.client = from.program, .people = std::move(from.people), .assets = from.assets}));
    from.log.info("issuer of --dev-login", {{"issuer", issuer->url()}});
    parts.issuer.url = issuer->url();
    parts.issuer.client_id = from.program;
    providers.push_back(std::make_unique<DevLogin>(std::move(issuer), std::move(parts)));
    return providers;
  }
  TAVOLA_TRY(parts.issuer.client_secret, secret_in(options.oidc.client_secret_file));
  parts.issuer.groups_claim = options.oidc.groups_claim;
  parts.issuer.ca_bundle = options.oidc.ca_file;
  providers.push_back(std::make_unique<OpenIdLogin>(std::move(parts)));
  return providers;
}

}  // namespace tavola::systems
