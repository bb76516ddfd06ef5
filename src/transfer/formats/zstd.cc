#include <array>
#include <zstd.h>

#include "base/assert.h"
#include "transfer/formats/compression.h"

namespace tavola::transfer {
namespace {

constexpr std::size_t kZstdPieceBytes = std::size_t{64} * 1024;
constexpr int kWindowLogMax = 27;  // 128 MB: accepts `zstd --long`, but not windows of gigabytes

struct Delete {
  void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};

class ZstdCompressor final : public Compressor {
 public:
  ZstdCompressor() : context_(ZSTD_createCCtx()) {
    TAVOLA_ASSERT(context_ != nullptr);
    ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_checksumFlag, 1);
  }
  Result<void> add(std::string_view bytes, std::string& out) override {
    if (bytes.empty()) return {};
    is_open_ = true;
    return run(bytes, ZSTD_e_continue, out);
  }
  Result<void> end_part(std::string& out) override {
    if (!is_open_) return {};
    is_open_ = false;
    return run({}, ZSTD_e_end, out);
  }

 private:
  Result<void> run(std::string_view bytes, ZSTD_EndDirective how, std::string& out) {
    ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
    for (;;) {
      ZSTD_outBuffer piece{piece_.data(), piece_.size(), 0};
      const std::size_t left = ZSTD_compressStream2(context_.get(), &piece, &in, how);
      if (ZSTD_isError(left) != 0)
        return fail(Error::internal(std::string("zstd: ") + ZSTD_getErrorName(left)));
      out.append(piece_.data(), piece.pos);
      if (how == ZSTD_e_end ? left == 0 : in.pos == in.size) return {};
    }
  }

  std::unique_ptr<ZSTD_CCtx, Delete> context_;
  bool is_open_ = false;
  std::array<char, kZstdPieceBytes> piece_{};
};

class ZstdDecompressor final : public Decompressor {
 public:
  ZstdDecompressor() : context_(ZSTD_createDCtx()) {
    TAVOLA_ASSERT(context_ != nullptr);
    ZSTD_DCtx_setParameter(context_.get(), ZSTD_d_windowLogMax, kWindowLogMax);
  }
  Result<std::size_t> take(std::string_view& bytes, std::span<char> into) override {
    ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
    ZSTD_outBuffer out{into.data(), into.size(), 0};
    if (bytes.empty() && is_between_parts_) return 0;
    const std::size_t left = ZSTD_decompressStream(context_.get(), &out, &in);
    if (ZSTD_isError(left) != 0) {
      return fail(Error::validation(
          "it is not compressed with zstd, or damaged; use --compression none for a plain file (" +
          std::string(ZSTD_getErrorName(left)) + ")"));
    }
    is_between_parts_ = left == 0;
    bytes.remove_prefix(in.pos);
    return out.pos;
  }
  bool is_between_parts() const override { return is_between_parts_; }

 private:
  std::unique_ptr<ZSTD_DCtx, Delete> context_;
  bool is_between_parts_ = true;
};

}  // namespace

std::unique_ptr<Compressor> new_zstd_compressor() { return std::make_unique<ZstdCompressor>(); }
std::unique_ptr<Decompressor> new_zstd_decompressor() { return std::make_unique<ZstdDecompressor>(); }

}  // namespace tavola::transfer
