#include "server/process/stop_signals.h"

#include <csignal>
#include <thread>
#include <unistd.h>

namespace tavola::server {

StopSignals::StopSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);  // here and in every thread that is started from now on
  std::promise<int> first;
  first_ = first.get_future().share();
  // Nobody waits for this thread: it ends with the process.
  std::thread([signals, first = std::move(first)]() mutable {
    int signal = 0;
    sigwait(&signals, &signal);
    first.set_value(signal);
    // The next one kills the process, also if it was started with SIGINT ignored, as shells start jobs in the background.
    std::signal(SIGINT, SIG_DFL);
    std::signal(SIGTERM, SIG_DFL);
    pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
    for (;;) ::pause();
  }).detach();
}

int StopSignals::wait() { return first_.get(); }

}  // namespace tavola::server
