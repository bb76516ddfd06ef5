#pragma once

#include <memory>

#include "files/item_reader.h"

namespace tavola::files {

// Fails with Validation if the header is invalid.
Result<std::unique_ptr<ItemReader>> new_csv_reader(std::unique_ptr<ByteSource> source,
                                                   const ReadOptions& options);

}  // namespace tavola::files
