// Sealed texts, which clients hold and send back: nobody can read, change or make one without the secret.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tavola {

// Encrypts with AES-256-GCM and returns letters, digits, '-' and '_'. A text gives the same seal each time in the same
// context. A secret should be 32 random bytes.
std::string seal(std::string_view secret, std::string_view text, std::string_view context);
// Returns the text; nullopt if it was not sealed with this secret for this context.
std::optional<std::string> unseal(std::string_view secret, std::string_view sealed, std::string_view context);

}  // namespace tavola
