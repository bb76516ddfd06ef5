#include <algorithm>
#include <array>
#include <limits>
#include <zlib.h>

#include "base/assert.h"
#include "transfer/formats/compression.h"

namespace tavola::transfer {
namespace {

constexpr int kGzipWindow = 15 + 16;  // 16: with gzip's header and checksum
constexpr int kMemory = 8;            // zlib's default
constexpr std::size_t kGzipPieceBytes = std::size_t{64} * 1024;

Error not_gzip() {
  return Error::validation(
      "it is not compressed with gzip, or damaged; use --compression none for a plain file");
}

// zlib's input is not const, but zlib does not change it.
void give(z_stream& stream, std::string_view bytes) {
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(std::min<std::size_t>(bytes.size(), std::numeric_limits<uInt>::max()));
}

class GzipCompressor final : public Compressor {
 public:
  GzipCompressor() {
    TAVOLA_ASSERT(deflateInit2(&stream_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzipWindow, kMemory,
                               Z_DEFAULT_STRATEGY) == Z_OK);
  }
  ~GzipCompressor() override { deflateEnd(&stream_); }
  GzipCompressor(const GzipCompressor&) = delete;
  GzipCompressor& operator=(const GzipCompressor&) = delete;

  Result<void> add(std::string_view bytes, std::string& out) override {
    while (!bytes.empty()) {
      give(stream_, bytes);
      const std::size_t given = stream_.avail_in;
      run(Z_NO_FLUSH, out);
      bytes.remove_prefix(given);
      is_open_ = true;
    }
    return {};
  }
  Result<void> end_part(std::string& out) override {
    if (!is_open_) return {};
    give(stream_, {});
    run(Z_FINISH, out);
    is_open_ = false;
    deflateReset(&stream_);
    return {};
  }

 private:
  void run(int flush, std::string& out) {
    int code = Z_OK;
    do {
      stream_.next_out = reinterpret_cast<Bytef*>(piece_.data());
      stream_.avail_out = static_cast<uInt>(piece_.size());
      code = deflate(&stream_, flush);
      TAVOLA_ASSERT(code != Z_STREAM_ERROR);
      out.append(piece_.data(), piece_.size() - stream_.avail_out);
    } while (stream_.avail_out == 0 || (flush == Z_FINISH && code != Z_STREAM_END));
  }

  z_stream stream_{};
  bool is_open_ = false;
  std::array<char, kGzipPieceBytes> piece_{};
};

class GzipDecompressor final : public Decompressor {
 public:
  GzipDecompressor() { TAVOLA_ASSERT(inflateInit2(&stream_, kGzipWindow) == Z_OK); }
  ~GzipDecompressor() override { inflateEnd(&stream_); }
  GzipDecompressor(const GzipDecompressor&) = delete;
  GzipDecompressor& operator=(const GzipDecompressor&) = delete;

  Result<std::size_t> take(std::string_view& bytes, std::span<char> into) override {
    if (bytes.empty() && is_between_parts_) return 0;
    give(stream_, bytes);
    const std::size_t given = stream_.avail_in;
    stream_.next_out = reinterpret_cast<Bytef*>(into.data());
    stream_.avail_out =
        static_cast<uInt>(std::min<std::size_t>(into.size(), std::numeric_limits<uInt>::max()));
    const std::size_t room = stream_.avail_out;
    const int code = inflate(&stream_, Z_NO_FLUSH);
    if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR) return fail(not_gzip());
    bytes.remove_prefix(given - stream_.avail_in);
    is_between_parts_ = code == Z_STREAM_END;
    if (is_between_parts_) inflateReset(&stream_);
    return room - stream_.avail_out;
  }
  bool is_between_parts() const override { return is_between_parts_; }

 private:
  z_stream stream_{};
  bool is_between_parts_ = true;
};

}  // namespace

std::unique_ptr<Compressor> new_gzip_compressor() { return std::make_unique<GzipCompressor>(); }
std::unique_ptr<Decompressor> new_gzip_decompressor() { return std::make_unique<GzipDecompressor>(); }

}  // namespace tavola::transfer
