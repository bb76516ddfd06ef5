// Trying again: what was throttled, or what a server was too busy for, is asked for again after pauses that grow.
#pragma once

#include <chrono>
#include <functional>

#include <tavola/error.h>

namespace tavola::files {

// How one waits; tests do not.
using Pause = std::function<void(std::chrono::milliseconds)>;
Pause sleep();

// Whether the same request may succeed later.
bool may_pass(const Error& error);

class Patience {
 public:
  explicit Patience(const Pause& pause) : pause_(pause) {}

  // Waits, and says whether to try again: not when it was in vain for some minutes.
  bool wait();
  void made_progress() { tries_ = 0; }

 private:
  const Pause& pause_;
  int tries_ = 0;
};

}  // namespace tavola::files
