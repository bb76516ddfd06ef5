// The signals that stop a server, SIGINT and SIGTERM. The first asks it to stop in order; a second one ends the process at once, also
// while the server still starts.
#pragma once

#include <future>
#include <memory>

namespace tavola::server {

// At most one in a process, and made before any other thread, so that no other thread gets the signals.
class StopSignals {
 public:
  StopSignals();

  // Waits for the first signal and returns its number.
  int wait();

 private:
  std::shared_future<int> first_;
};

}  // namespace tavola::server
