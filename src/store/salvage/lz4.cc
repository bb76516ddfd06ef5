#include "store/salvage/lz4.h"

#include <cstdint>

namespace tavola::store {
namespace {

// Reads the sequences of a block: [token u8] [literals] [distance u16] …, where the upper half of the token is the number of
// literals, and the lower one that of the bytes to repeat. The last sequence ends with its literals.
class Sequences {
 public:
  Sequences(std::string_view compressed, std::size_t bytes) : in_(compressed), wanted_(bytes) {}

  std::optional<Decompressed> read() {
    while (true) {
      if (at_ >= in_.size()) return std::nullopt;
      const std::uint8_t token = byte();
      if (!copy_literals(token >> 4U)) return std::nullopt;
      if (out_.size() == wanted_) return Decompressed{std::move(out_), at_};
      if (!repeat(token & 15U)) return std::nullopt;
    }
  }

 private:
  std::uint8_t byte() { return static_cast<std::uint8_t>(in_[at_++]); }

  // Adds the bytes that follow if half a token cannot hold the length. Returns nullopt if it exceeds the wanted size.
  std::optional<std::size_t> whole_length(std::size_t length) {
    constexpr std::size_t kGoesOn = 15;
    constexpr std::uint8_t kByteGoesOn = 255;
    if (length < kGoesOn) return length;
    while (at_ < in_.size() && length <= wanted_) {
      const std::uint8_t more = byte();
      length += more;
      if (more != kByteGoesOn) return length;
    }
    return std::nullopt;
  }

  bool copy_literals(std::size_t half_token) {
    const std::optional<std::size_t> length = whole_length(half_token);
    if (!length || *length > in_.size() - at_ || *length > wanted_ - out_.size()) return false;
    out_ += in_.substr(at_, *length);
    at_ += *length;
    return true;
  }

  bool repeat(std::size_t half_token) {
    constexpr std::size_t kShortest = 4;
    if (in_.size() - at_ < 2) return false;
    const std::size_t low = byte();
    const std::size_t distance = low | std::size_t{byte()} << 8U;
    const std::optional<std::size_t> length = whole_length(half_token);
    if (distance == 0 || distance > out_.size() || !length) return false;
    if (*length + kShortest > wanted_ - out_.size()) return false;
    // Byte by byte: the repeated bytes may overlap the written ones.
    for (std::size_t i = 0; i < *length + kShortest; ++i) out_ += out_[out_.size() - distance];
    return true;
  }

  const std::string_view in_;
  const std::size_t wanted_;
  std::size_t at_ = 0;
  std::string out_;
};

}  // namespace

std::optional<Decompressed> decompress_lz4(std::string_view compressed, std::size_t bytes) {
  return Sequences(compressed, bytes).read();
}

}  // namespace tavola::store
