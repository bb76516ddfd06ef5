// A writer started as a separate process, and killed by SIGKILL.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <sys/types.h>

#include "tests/crash/writer.h"

namespace tavola::crash {

// The time of the kill: after the start, or after the first line of the journal.
struct Moment {
  enum class Since : std::uint8_t { Start, FirstLine };
  Since since = Since::Start;
  std::chrono::microseconds delay{};
};

struct End {
  bool killed = false;    // otherwise it ended by itself, which is a failure
  std::string problem{};  // why it was not killed
};

// Starts this program as a writer, calls `line` with each whole line of its journal, kills it at `moment` and
// waits for its end. Drops a line that the kill cut off.
End run_and_kill(WriterOptions options, const Moment& moment,
                 const std::function<void(std::string_view)>& line);

}  // namespace tavola::crash
