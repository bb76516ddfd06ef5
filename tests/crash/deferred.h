// A store whose writes are acknowledged later, without a database on it: every write takes the next number, adds an
// entry under it and stores the number, so that a state that never was, with one write missing among others, is
// seen at once.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>

#include "tests/crash/agreement.h"
#include "tests/crash/writer.h"

namespace tavola::crash {

// The process that is killed. Says "D 17" when the store said that write 17 is durable, and when an answer showed it.
int write_deferred(const WriterOptions& options);

// The number in a line of such a process; nothing when it is no such line.
std::optional<std::uint64_t> durable_number(std::string_view line);

// Opens the store: it must hold the writes from the first to some number, which is at least `durable`, and no other.
// Takes a further write.
Violations check_deferred(const std::filesystem::path& directory, std::uint64_t durable);

}  // namespace tavola::crash
