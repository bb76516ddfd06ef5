// A store with deferred acknowledgements, without a database on it: every write takes the next number, adds an
// entry under it and stores the number, so that an impossible state, with one write missing among others, is
// detected at once.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>

#include "tests/crash/agreement.h"
#include "tests/crash/writer.h"

namespace tavola::crash {

// The process that is killed. Prints "D 17" when the store reported write 17 as durable, and when a response
// contained it.
int write_deferred(const WriterOptions& options);

// Returns the number in a line of such a process; nullopt for any other line.
std::optional<std::uint64_t> durable_number(std::string_view line);

// Opens the store: it must hold exactly the writes from the first to some number, which is at least `durable`.
// Performs a further write.
Violations check_deferred(const std::filesystem::path& directory, std::uint64_t durable);

}  // namespace tavola::crash
