#pragma once

#include <memory>

#include "files/compression.h"

namespace tavola::files {

std::unique_ptr<Compressor> new_zstd_compressor();
std::unique_ptr<Decompressor> new_zstd_decompressor();

}  // namespace tavola::files
