// The chain of places that credentials come from, and their renewal.
#pragma once

#include <memory>
#include <optional>

#include <tavola/connect.h>

#include "base/clock.h"
#include "base/locks.h"
#include "remote/credential_places.h"

namespace tavola::remote {

// Finds credentials at the first place that has some, keeps them, and renews them before they expire. Thread safety: all methods; threads
// that need credentials which are being looked up wait.
class CredentialChain {
 public:
  explicit CredentialChain(Environment environment, const Clock& clock = Clock::system());

  // Fails with AccessDenied. Credentials that could not be renewed are returned as long as they are valid.
  Result<Credentials> get();

 private:
  Result<FoundCredentials> find();

  const Environment environment_;
  const Clock& clock_;
  HttpClient http_;
  Mutex mutex_;
  std::optional<FoundCredentials> latest_ TAVOLA_GUARDED_BY(mutex_);
  WallTime next_try_ TAVOLA_GUARDED_BY(mutex_){};
};

// Returns the credentials in the variables or in the keys of the profile: those that need no request.
Result<Credentials> local_credentials(const Environment& environment);

}  // namespace tavola::remote
