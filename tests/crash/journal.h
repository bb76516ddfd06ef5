// The journal a writer sends through a pipe: the operations it begins, and those that were acknowledged. One
// line per record, written with one write(2) of at most PIPE_BUF bytes, so lines of several threads do not
// mix and their order is the order of events: an attempt comes before its operation began, an end after it
// returned.
//
//   A 1000017 2 main own-3 12        about to do operation 1000017, kind 2 (Update), on main, key (own-3, 12)
//   K 1000017 1 0                    it was applied
//   E 1000017 disk full              it failed in a way that no healthy database fails
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "tests/crash/workload.h"

namespace tavola::crash {

struct Attempt {
  Operation operation;
};
struct Acknowledged {
  std::uint64_t id = 0;
  Outcome outcome{};
};
struct Failed {
  std::uint64_t id = 0;
  std::string message{};
};
using JournalRecord = std::variant<Attempt, Acknowledged, Failed>;

std::string to_line(const JournalRecord& record);                // ends with a newline
std::optional<JournalRecord> parse_line(std::string_view line);  // without the newline; nullopt if malformed

}  // namespace tavola::crash
