// A writer started as a process of its own, and its end by SIGKILL.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <sys/types.h>

#include "tests/crash/writer.h"

namespace tavola::crash {

// When to kill: so long after the start, or so long after the first line of the journal.
struct Moment {
  enum class Since : std::uint8_t { Start, FirstLine };
  Since since = Since::Start;
  std::chrono::microseconds delay{};
};

struct End {
  bool killed = false;    // otherwise it ended by itself, which it must not
  std::string problem{};  // why, in words, when not killed
};

// Starts this program as a writer, hands each whole line of its journal to `line`, kills it at `moment` and
// waits for its end. A line cut off by the kill is dropped.
End run_and_kill(WriterOptions options, const Moment& moment,
                 const std::function<void(std::string_view)>& line);

}  // namespace tavola::crash
