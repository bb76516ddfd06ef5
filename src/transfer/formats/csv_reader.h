#pragma once

#include <memory>

#include "transfer/formats/item_reader.h"

namespace tavola::transfer {

// Fails with Validation when the header is no header.
Result<std::unique_ptr<ItemReader>> new_csv_reader(std::unique_ptr<ByteSource> source,
                                                   const ReadOptions& options);

}  // namespace tavola::transfer
