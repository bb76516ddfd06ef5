// A power cut, as far as one process can simulate it. SIGKILL leaves the operating system's page cache intact, so
// alone it cannot show that an acknowledged write was synced. This program therefore has fsync() and
// fdatasync() of its own, which call the kernel and note what is durable then: the length of a file, the names in a
// directory. (rename() and link() are noted, too: durability carries over to the new name.) After the kill, every
// append-only file of the store is cut back to the length that was noted. Behind that length a log keeps some of its
// pages and has zeros for the others, because a disk writes pages in any order. New names that were not synced are
// removed, all or none. Not simulated: deletions and replaced files that come back, and lost pages in other files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>

#include <tavola/error.h>

namespace tavola::crash {

// From now on this process notes its syncs in `notes`. Call before any file is written.
Result<void> note_syncs_in(const std::filesystem::path& notes);

struct Cut {
  std::size_t torn_logs = 0;   // that kept a page after a lost one
  std::size_t lost_names = 0;  // 1 if the store's own was lost
};

// Removes everything that was not noted from the files of a store: write-ahead logs, tables, manifests and names.
// `directory` is an absolute path without links.
Result<Cut> cut_power(const std::filesystem::path& directory, const std::filesystem::path& notes,
                      std::uint64_t seed);

}  // namespace tavola::crash
