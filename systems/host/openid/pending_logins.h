// Logins that were begun here and not completed yet.
#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include <tavola/error.h>

#include "base/clock.h"
#include "base/locks.h"

namespace tavola::systems {

struct PendingLogin {
  std::string browser;       // the secret of its cookie
  std::string nonce;         // the token must have it
  std::string verifier;      // of PKCE (RFC 7636)
  std::string redirect_uri;  // the issuer sends the browser there
  std::string to;            // the view that the person wanted
};

// Thread safety: all methods.
class PendingLogins {
 public:
  static constexpr std::chrono::minutes kTime{10};
  static constexpr std::size_t kCountMax = 10'000;  // beyond it the oldest one is forgotten

  explicit PendingLogins(const Clock& clock) : clock_(clock) {}

  void add(const std::string& state, PendingLogin login);
  // Returns the login of this state and forgets it: a state serves once. Fails in words for the person.
  Result<PendingLogin> take(std::string_view state, std::string_view browser);

 private:
  struct Kept {
    PendingLogin login;
    WallTime begun;
  };
  const Clock& clock_;
  Mutex mutex_;
  std::map<std::string, Kept, std::less<>> by_state_hash_ TAVOLA_GUARDED_BY(mutex_);
};

}  // namespace tavola::systems
