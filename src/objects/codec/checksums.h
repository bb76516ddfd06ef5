// The checksums with which clients of S3 protect objects, of a text that arrives in pieces.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace tavola::objects {

enum class Checksum : std::uint8_t { Crc32, Crc32c, Crc64Nvme, Sha1, Sha256 };

// Returns the checksum that a header ("x-amz-checksum-crc32", in any case) or an algorithm ("CRC32") names.
std::optional<Checksum> checksum_of_header(std::string_view name);
std::optional<Checksum> checksum_of_algorithm(std::string_view name);
// "x-amz-checksum-crc32", "CRC32", and the name of its XML element, "ChecksumCRC32".
std::string_view header_of(Checksum checksum);
std::string_view algorithm_of(Checksum checksum);
std::string element_of(Checksum checksum);

// Thread safety: none.
class RunningChecksum {
 public:
  virtual ~RunningChecksum() = default;
  virtual void add(std::string_view piece) = 0;
  // Returns the bytes of the checksum of everything added; of a number, the highest byte first. Must be called last.
  virtual std::string finish() = 0;
};

std::unique_ptr<RunningChecksum> begin(Checksum checksum);
std::unique_ptr<RunningChecksum> begin_md5();
std::unique_ptr<RunningChecksum> begin_sha256();

}  // namespace tavola::objects
