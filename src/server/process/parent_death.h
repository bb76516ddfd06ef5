// `--die-with-parent`: the server stops, as after SIGTERM, when the process that started it has ended, however it ended. So a test
// runner that is killed leaves no server behind.
#pragma once

#include <optional>

#include <tavola/error.h>

namespace tavola::server {

struct ParentDeath {
  bool ends_server = false;
  std::optional<int> parent{};  // as the starter knows it; nothing: the parent at the call
};

// From now on this process gets SIGTERM when the one that started it ends; its thread that did so may end before. To be called when
// SIGTERM is blocked (StopSignals). Fails with Io if the parent has ended already, and on systems other than Linux.
Result<void> end_with_parent(const ParentDeath& wish);

}  // namespace tavola::server
