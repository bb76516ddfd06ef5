#include "objects/codec/checksums.h"

#include <array>
#include <bit>
#include <cstddef>
#include <cstring>
#include <openssl/evp.h>

#include "base/ascii.h"
#include "base/assert.h"

namespace tavola::objects {
namespace {

struct ChecksumName {
  Checksum checksum;
  std::string_view header;
  std::string_view algorithm;
};
constexpr std::array<ChecksumName, 5> kChecksumNames = {{
    {Checksum::Crc32, "x-amz-checksum-crc32", "CRC32"},
    {Checksum::Crc32c, "x-amz-checksum-crc32c", "CRC32C"},
    {Checksum::Crc64Nvme, "x-amz-checksum-crc64nvme", "CRC64NVME"},
    {Checksum::Sha1, "x-amz-checksum-sha1", "SHA1"},
    {Checksum::Sha256, "x-amz-checksum-sha256", "SHA256"},
}};

// Eight tables, so that eight bytes are taken per step: table i advances a byte by i further bytes of zeros.
template <class Word>
using CrcTables = std::array<std::array<Word, 256>, 8>;

template <class Word>
constexpr CrcTables<Word> crc_tables(Word polynomial) {
  CrcTables<Word> tables{};
  for (unsigned byte = 0; byte < 256; ++byte) {
    Word value = byte;
    for (int bit = 0; bit < 8; ++bit) value = (value & 1U) != 0 ? (value >> 1U) ^ polynomial : value >> 1U;
    tables[0][byte] = value;
  }
  for (std::size_t i = 1; i < tables.size(); ++i) {
    for (unsigned byte = 0; byte < 256; ++byte) {
      const Word before = tables[i - 1][byte];
      tables[i][byte] = (before >> 8U) ^ tables[0][before & 0xffU];
    }
  }
  return tables;
}

// The polynomials with their bits reversed: of IEEE 802.3, Castagnoli (RFC 3720), and NVM Express.
constexpr CrcTables<std::uint32_t> kCrc32 = crc_tables<std::uint32_t>(0xedb88320U);
constexpr CrcTables<std::uint32_t> kCrc32c = crc_tables<std::uint32_t>(0x82f63b78U);
constexpr CrcTables<std::uint64_t> kCrc64Nvme = crc_tables<std::uint64_t>(0x9a6c9329ac4bc9b5U);

template <class Word>
class RunningCrc final : public RunningChecksum {
 public:
  explicit RunningCrc(const CrcTables<Word>& tables) : tables_(tables) {}

  void add(std::string_view piece) override {
    for (; piece.size() >= 8; piece.remove_prefix(8)) {
      std::uint64_t word = 0;
      std::memcpy(&word, piece.data(), sizeof word);
      if constexpr (std::endian::native == std::endian::big) word = __builtin_bswap64(word);
      word ^= state_;
      state_ = 0;
      for (std::size_t i = 0; i < 8; ++i) state_ ^= tables_[7 - i][(word >> (8 * i)) & 0xffU];
    }
    for (const char c : piece)
      state_ = (state_ >> 8U) ^ tables_[0][(state_ ^ static_cast<unsigned char>(c)) & 0xffU];
  }

  std::string finish() override {
    const Word value = static_cast<Word>(~state_);
    std::string bytes;
    for (std::size_t i = sizeof(Word); i-- > 0;) bytes += static_cast<char>(value >> (8 * i));
    return bytes;
  }

 private:
  const CrcTables<Word>& tables_;
  Word state_ = static_cast<Word>(~Word{0});
};

class RunningDigest final : public RunningChecksum {
 public:
  explicit RunningDigest(const EVP_MD* kind) : state_(EVP_MD_CTX_new(), &EVP_MD_CTX_free) {
    const bool ok = state_ != nullptr && EVP_DigestInit_ex2(state_.get(), kind, nullptr) == 1;
    TAVOLA_ASSERT(ok);
  }

  void add(std::string_view piece) override {
    const bool ok = EVP_DigestUpdate(state_.get(), piece.data(), piece.size()) == 1;
    TAVOLA_ASSERT(ok);
  }

  std::string finish() override {
    std::string digest(EVP_MAX_MD_SIZE, '\0');
    unsigned size = 0;
    const bool ok =
        EVP_DigestFinal_ex(state_.get(), reinterpret_cast<unsigned char*>(digest.data()), &size) == 1;
    TAVOLA_ASSERT(ok);
    digest.resize(size);
    return digest;
  }

 private:
  std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX*)> state_;
};

const ChecksumName& named(Checksum checksum) { return kChecksumNames[static_cast<std::size_t>(checksum)]; }

}  // namespace

std::optional<Checksum> checksum_of_header(std::string_view name) {
  for (const ChecksumName& one : kChecksumNames)
    if (same_text(one.header, name)) return one.checksum;
  return std::nullopt;
}

std::optional<Checksum> checksum_of_algorithm(std::string_view name) {
  for (const ChecksumName& one : kChecksumNames)
    if (same_text(one.algorithm, name)) return one.checksum;
  return std::nullopt;
}

std::string_view header_of(Checksum checksum) { return named(checksum).header; }
std::string_view algorithm_of(Checksum checksum) { return named(checksum).algorithm; }
std::string element_of(Checksum checksum) { return "Checksum" + std::string(algorithm_of(checksum)); }

std::unique_ptr<RunningChecksum> begin(Checksum checksum) {
  switch (checksum) {
    case Checksum::Crc32:
      return std::make_unique<RunningCrc<std::uint32_t>>(kCrc32);
    case Checksum::Crc32c:
      return std::make_unique<RunningCrc<std::uint32_t>>(kCrc32c);
    case Checksum::Crc64Nvme:
      return std::make_unique<RunningCrc<std::uint64_t>>(kCrc64Nvme);
    case Checksum::Sha1:
      return std::make_unique<RunningDigest>(EVP_sha1());
    case Checksum::Sha256:
      return begin_sha256();
  }
  return begin_sha256();
}

std::unique_ptr<RunningChecksum> begin_md5() { return std::make_unique<RunningDigest>(EVP_md5()); }
std::unique_ptr<RunningChecksum> begin_sha256() { return std::make_unique<RunningDigest>(EVP_sha256()); }

}  // namespace tavola::objects
