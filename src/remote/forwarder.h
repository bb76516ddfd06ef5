// Sends operations on to another server as they came: the body unchanged, signed anew.
#pragma once

#include <string>
#include <string_view>

#include <tavola/error.h>

#include "remote/retries.h"
#include "remote/target.h"

namespace tavola::remote {

// Thread safety: all methods.
class Forwarder {
 public:
  explicit Forwarder(Target target);

  // Returns the answer of the server, also one that tells an error; fails if there was none. Sends again as RetryingClient does: reads
  // always, others if the server cannot have performed them.
  Result<HttpAnswer> send(Operation operation);

 private:
  RetryingClient client_;
};

}  // namespace tavola::remote
