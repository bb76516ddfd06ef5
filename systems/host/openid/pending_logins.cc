#include "systems/host/openid/pending_logins.h"

#include <algorithm>

#include "base/digest.h"

namespace tavola::systems {

void PendingLogins::add(const std::string& state, PendingLogin login) {
  const WallTime now = clock_.now();
  const MutexLock lock(mutex_);
  if (by_state_hash_.size() >= kCountMax) {
    std::erase_if(by_state_hash_, [&](const auto& one) { return now - one.second.begun > kTime; });
  }
  if (by_state_hash_.size() >= kCountMax) {
    by_state_hash_.erase(
        std::ranges::min_element(by_state_hash_, {}, [](const auto& one) { return one.second.begun; }));
  }
  by_state_hash_.insert_or_assign(sha256({state}), Kept{std::move(login), now});
}

Result<PendingLogin> PendingLogins::take(std::string_view state, std::string_view browser) {
  const std::string hash = sha256({state});
  const MutexLock lock(mutex_);
  const auto found = by_state_hash_.find(hash);
  if (found == by_state_hash_.end()) {
    return fail(Error::validation("This login was not begun here, or it has been completed already."));
  }
  // Another browser's attempt must not end the login of the right one.
  if (!same_secret(found->second.login.browser, browser)) {
    return fail(
        Error::validation("This login was begun in another browser, or the browser takes no cookies."));
  }
  Kept kept = std::move(found->second);
  by_state_hash_.erase(found);
  if (clock_.now() - kept.begun > kTime) {
    return fail(Error::validation("This login took longer than ten minutes."));
  }
  return std::move(kept.login);
}

}  // namespace tavola::systems
