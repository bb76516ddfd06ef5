#pragma once

#include <memory>

#include "transfer/formats/item_reader.h"

namespace tavola::transfer {

std::unique_ptr<ItemReader> new_line_reader(std::unique_ptr<ByteSource> source, Wrapping wrapping);

}  // namespace tavola::transfer
