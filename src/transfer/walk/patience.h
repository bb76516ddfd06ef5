// Trying again: what was throttled, or what a server was too busy for, is asked for again after pauses that grow. So is what could
// not be sent, or broke in the server, for a shorter time: a connection is made again, and a disk that is full stays full.
#pragma once

#include <tavola/error.h>

#include "transfer/walk/retry.h"

namespace tavola::transfer {

// How one waits; tests do not.
Pause sleep();

class Patience {
 public:
  explicit Patience(const Pause& pause) : pause_(pause) {}

  // Waits, and says whether to try again: not when it was in vain for some minutes.
  bool wait();
  // The same after an error; not when it will not pass, or when it was one of a connection for half a minute.
  bool wait_after(const Error& error);
  void made_progress() { tries_ = 0; }

 private:
  const Pause& pause_;
  int tries_ = 0;
};

}  // namespace tavola::transfer
