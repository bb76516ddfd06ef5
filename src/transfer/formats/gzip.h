#pragma once

#include <memory>

#include "transfer/formats/compression.h"

namespace tavola::transfer {

std::unique_ptr<Compressor> new_gzip_compressor();
std::unique_ptr<Decompressor> new_gzip_decompressor();

}  // namespace tavola::transfer
