#pragma once

#include <memory>

#include "transfer/formats/compression.h"

namespace tavola::transfer {

std::unique_ptr<Compressor> new_zstd_compressor();
std::unique_ptr<Decompressor> new_zstd_decompressor();

}  // namespace tavola::transfer
