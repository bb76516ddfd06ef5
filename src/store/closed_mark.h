// CLOSED: how long RocksDB's files were when the store was closed, or when a checkpoint was made.
//
//   MANIFEST-000005 168
//   000004.log 5120
//
// RocksDB takes the first half of a manifest for a whole one: such a store opens empty, and its data files are deleted
// because nothing knows them. A log that ends early opens too, without its last writes. Both files only grow, and every
// opening begins new ones, so what CLOSED says stays true for ever: as long as CURRENT names that manifest, nothing was
// written since. When CURRENT names another one, CLOSED says nothing.
//
// What it cannot tell: a manifest that is cut after the store was killed, and before it was closed in order.
#pragma once

#include <filesystem>

#include <tavola/error.h>

namespace tavola::store {

// To be called when all that RocksDB wrote is synced and nothing writes any more. When it cannot be written (a full
// disk), there is no mark.
void write_closed_mark(const std::filesystem::path& directory);
// The same for a checkpoint, of the manifest alone: a checkpoint's log may end in the middle of a record.
void write_checkpoint_mark(const std::filesystem::path& directory);

// Fails with Corrupt when a file is missing, or shorter than CLOSED says, or when the log's records are broken. A CLOSED
// that nobody can read says nothing.
Result<void> check_closed_mark(const std::filesystem::path& directory);

}  // namespace tavola::store
