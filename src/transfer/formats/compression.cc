#include "transfer/formats/compression.h"

namespace tavola::transfer {

std::unique_ptr<Compressor> new_compressor(Compression compression) {
  return compression == Compression::Gzip ? new_gzip_compressor() : new_zstd_compressor();
}
std::unique_ptr<Decompressor> new_decompressor(Compression compression) {
  return compression == Compression::Gzip ? new_gzip_decompressor() : new_zstd_decompressor();
}

}  // namespace tavola::transfer
