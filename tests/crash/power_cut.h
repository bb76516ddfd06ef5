// A power cut, as far as one process can play it. SIGKILL leaves the operating system's page cache intact, so
// alone it cannot show that an acknowledged write was synced. This program therefore has fsync() and
// fdatasync() of its own, which call the kernel and note how much of the file is then safe; after the kill,
// every append-only file of the store is cut back to the length that was noted. What is not played: lost
// directory entries, and files torn in the middle.
#pragma once

#include <filesystem>

#include <tavola/error.h>

namespace tavola::crash {

// From now on this process notes its syncs in `notes`. Call before any file is written.
Result<void> note_syncs_in(const std::filesystem::path& notes);

// Cuts what was not noted off the files of `store`: write-ahead logs, tables and manifests.
Result<void> cut_power(const std::filesystem::path& store, const std::filesystem::path& notes);

}  // namespace tavola::crash
