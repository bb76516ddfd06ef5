// Retries: throttled requests, and requests to a busy server, are repeated after growing pauses. Failed connections and
// internal errors of a server are retried for a shorter time: a connection can be made again, but a full disk stays
// full.
#pragma once

#include <tavola/error.h>

#include "moving/patience.h"

namespace tavola::files {

using moving::is_passing;
using moving::Pause;

// Returns the pause of production; tests do not wait.
Pause sleep();

class Patience {
 public:
  explicit Patience(const Pause& pause) : pause_(pause) {}

  // Waits and returns whether to try again: false after some minutes without success.
  bool wait();
  // Waits after an error; returns false if the error is permanent, or was one of the connection for half a
  // minute.
  bool wait_after(const Error& error);
  void made_progress() { tries_ = 0; }

 private:
  const Pause& pause_;
  int tries_ = 0;
};

}  // namespace tavola::files
