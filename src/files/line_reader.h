#pragma once

#include <memory>

#include "files/item_reader.h"

namespace tavola::files {

std::unique_ptr<ItemReader> new_line_reader(std::unique_ptr<ByteSource> source, Wrapping wrapping);

}  // namespace tavola::files
