#include "server/process/parent_death.h"

#include <csignal>
#include <string>
#include <unistd.h>
#ifdef __linux__
#include <cerrno>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <thread>
#endif

namespace tavola::server {
namespace {

#ifdef __linux__
// Has SIGTERM sent when the process `parent` ends. Linux before 5.3 can only tell the end of the thread that started this process.
bool watch(int parent) {
  const int process = static_cast<int>(syscall(SYS_pidfd_open, parent, 0));
  if (process < 0) return prctl(PR_SET_PDEATHSIG, SIGTERM) == 0;
  // Nobody waits for this thread: it ends with the process.
  std::thread([process] {
    pollfd ended{.fd = process, .events = POLLIN, .revents = 0};
    while (poll(&ended, 1, -1) < 0 && errno == EINTR) {
    }
    kill(getpid(), SIGTERM);
  }).detach();
  return true;
}
#endif

}  // namespace

Result<void> end_with_parent(const ParentDeath& wish) {
  if (!wish.ends_server) return {};
#ifdef __linux__
  const int parent = wish.parent.value_or(getppid());
  if (!watch(parent))
    return fail(Error(ErrorCode::Io, "--die-with-parent: the system refuses to watch the parent process"));
  // A parent that ended before the call above is not watched; this process has another one since.
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
