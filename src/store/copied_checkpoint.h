// The checkpoint of a store without a directory of its own.
#pragma once

#include <filesystem>

#include <tavola/error.h>

#include "store/store.h"

namespace tavola::store {

// Saves the snapshot as a RocksDB store, built beside `directory` and then moved into place. Fails if it exists.
Result<void> copy_to_directory(const Snapshot& snapshot, const std::filesystem::path& directory);

}  // namespace tavola::store
