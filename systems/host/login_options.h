// The way to log in that the options of a program name.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include <tavola/error.h>

#include "http/pages/assets.h"
#include "server/log/log.h"
#include "systems/host/identity_provider.h"
#include "systems/host/options.h"

namespace tavola::systems {

struct LoginParts {
  std::string program;  // Application::Parts::name
  const HostOptions& options;
  std::span<const http::Asset> assets;   // the pages of a login look like them
  std::vector<design::Identity> people;  // --dev-login proposes them
  server::Log& log;
};
// Returns the ways to log in: one or none. Fails with a message for people.
Result<std::vector<std::unique_ptr<IdentityProvider>>> login_providers(LoginParts parts);

}  // namespace tavola::systems
