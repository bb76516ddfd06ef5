// The pages of DevIssuer: who logs in, its keys, and what went wrong.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tavola/error.h>

#include "design/roles/access.h"
#include "http/message.h"
#include "systems/host/openid/parameters.h"

namespace tavola::systems {

// Asks who logs in. The form repeats the request of the client.
http::Response choose_page(const std::vector<design::Identity>& people, const Parameters& request,
                           std::string_view wrong = {});

// Returns the person of the form; nullopt if it was cancelled. Fails in words for people.
Result<std::optional<design::Identity>> chosen_person(const Parameters& form,
                                                      const std::vector<design::Identity>& people);

// Shows the ids of the published keys, the newest first.
http::Response issuer_page(std::string_view url, const std::vector<std::string>& keys);
http::Response refused_page(std::string_view why);

}  // namespace tavola::systems
