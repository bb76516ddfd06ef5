// --dev-login: people say who they are, and are believed. For development and tests, on an address of this machine only
// (check_host_options).
#pragma once

#include <vector>

#include "systems/host/identity_provider.h"

namespace tavola::systems {

class DevLogin final : public IdentityProvider {
 public:
  // The login page proposes these people.
  explicit DevLogin(std::vector<design::Identity> people) : people_(std::move(people)) {}

  std::string_view name() const override { return "dev"; }
  void describe(json::Writer& json) const override;
  // Takes {"user": "anna", "groups": ["owner"]}.
  LoginStep answer(const http::Request& request) override;

 private:
  const std::vector<design::Identity> people_;
};

}  // namespace tavola::systems
