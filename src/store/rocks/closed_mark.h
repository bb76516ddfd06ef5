// CLOSED: what Tavola wrote before it kept SYNCED (synced_facts.h): how long RocksDB's files were when the store was closed,
// or when a checkpoint was made. It is read for directories of that time, and not written any more.
//
//   MANIFEST-000005 168
//   000004.log 5120
//
// It holds as long as CURRENT names that manifest: every opening begins a new one.
#pragma once

#include <filesystem>

#include <tavola/error.h>

namespace tavola::store {

inline constexpr const char* kClosedFile = "CLOSED";

// Fails with Corrupt when a file is missing, or shorter than CLOSED says, or when its records are broken. A CLOSED
// that cannot be read, or is not there, says nothing.
Result<void> check_closed_mark(const std::filesystem::path& directory);

}  // namespace tavola::store
