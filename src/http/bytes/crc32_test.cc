#include "http/bytes/crc32.h"

#include <cstdint>
#include <string>

#include <gtest/gtest.h>

namespace tavola::http {
namespace {

// Bit by bit, as the polynomial is defined.
std::uint32_t by_definition(std::string_view bytes) {
  std::uint32_t crc = ~0U;
  for (const char c : bytes) {
    crc ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1U) ^ ((crc & 1U) != 0 ? 0xedb88320U : 0);
  }
  return ~crc;
}

TEST(Crc32, IsWhatDynamoDbSends) {
  EXPECT_EQ(crc32(""), 0U);
  EXPECT_EQ(crc32("123456789"), 0xcbf43926U);
  EXPECT_EQ(crc32("{}"), 2745614147U);
  EXPECT_EQ(crc32("<UnknownOperationException/>\n"), 3552371480U);
  EXPECT_EQ(crc32(R"({"__type":"com.amazon.coral.service#SerializationException"})"), 3948637019U);
  EXPECT_EQ(crc32(R"({"__type":"com.amazon.coral.service#MissingAuthenticationTokenException",)"
                  R"("message":"Request is missing Authentication Token"})"),
            2088342776U);
}

TEST(Crc32, IsRightForEveryLengthAndPlace) {
  std::string bytes;
  std::uint32_t random = 1;
  for (int i = 0; i < 1200; ++i) {
    random = random * 1664525U + 1013904223U;
    bytes += static_cast<char>(random >> 24U);
  }
  for (std::size_t size = 0; size < 1100; ++size) {
    const std::string_view part = std::string_view(bytes).substr(size % 17, size);
    ASSERT_EQ(crc32(part), by_definition(part)) << size;
  }
}

}  // namespace
}  // namespace tavola::http
