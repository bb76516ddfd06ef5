// CLOSED, the predecessor of SYNCED (synced_facts.h): the lengths of RocksDB's files when the store was closed, or when
// a checkpoint was made. Still read in old directories, no longer written.
//
//   MANIFEST-000005 168
//   000004.log 5120
//
// It is valid as long as CURRENT names that manifest: every opening starts a new one.
#pragma once

#include <filesystem>

#include <tavola/error.h>

namespace tavola::store {

inline constexpr const char* kClosedFile = "CLOSED";

// Fails with Corrupt if a file is missing or shorter than CLOSED says, or if its records are broken. A CLOSED that is
// unreadable or missing is ignored.
Result<void> check_closed_mark(const std::filesystem::path& directory);

}  // namespace tavola::store
