// --dev-login: people say who they are, and are believed. For development and tests, on an address of this machine only
// (check_host_options). The login is that of production: an issuer in this program (openid/dev_issuer.h), and OpenIdLogin in front of it.
#pragma once

#include <memory>
#include <vector>

#include "systems/host/openid/dev_issuer.h"
#include "systems/host/openid/openid_login.h"

namespace tavola::systems {

class DevLogin final : public OpenIdLogin {
 public:
  DevLogin(std::unique_ptr<DevIssuer> issuer, Parts parts)
      : OpenIdLogin(std::move(parts)), issuer_(std::move(issuer)) {}

  const DevIssuer& issuer() const { return *issuer_; }
  // Makes the application a client of the issuer.
  void served_at(std::span<const std::string> urls) override;

 private:
  const std::unique_ptr<DevIssuer> issuer_;
};

}  // namespace tavola::systems
