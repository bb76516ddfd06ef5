// Texts that go out and come back: nobody without the secret can read, change or make one.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tavola {

// AES-256-GCM, as letters, digits, '-' and '_'. The same text in the same context gives the same seal. A secret is best
// 32 random bytes.
std::string seal(std::string_view secret, std::string_view text, std::string_view context);
// The text; nothing when it was not sealed with this secret for this context.
std::optional<std::string> unseal(std::string_view secret, std::string_view sealed, std::string_view context);

}  // namespace tavola
