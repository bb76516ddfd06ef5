#include "server/process/parent_death.h"

#include <csignal>
#include <string>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

namespace tavola::server {

Result<void> end_with_parent(const ParentDeath& wish) {
  if (!wish.ends_server) return {};
#ifdef __linux__
  const int parent = wish.parent.value_or(getppid());
  if (prctl(PR_SET_PDEATHSIG, SIGTERM) != 0)
    return fail(Error(ErrorCode::Io, "--die-with-parent: the system refuses to watch the parent process"));
  // A parent that ended before the call above sends no signal; this process has another one since.
  if (getppid() != parent) {
    return fail(Error(ErrorCode::Io, "--die-with-parent: the process " + std::to_string(parent) +
                                         " that started the server is not its parent, or has ended"));
  }
  return {};
#else
  return fail(
      Error(ErrorCode::Io, "--die-with-parent needs Linux; stop the server from the program that starts it"));
#endif
}

}  // namespace tavola::server
