#pragma once

#include <memory>

#include "files/compression.h"

namespace tavola::files {

std::unique_ptr<Compressor> new_gzip_compressor();
std::unique_ptr<Decompressor> new_gzip_decompressor();

}  // namespace tavola::files
