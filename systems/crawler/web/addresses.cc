#include "web/addresses.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <netinet/in.h>
#include <sys/socket.h>

namespace crawler {
namespace {

struct Ipv4Block {
  std::uint32_t address;
  unsigned bits;
};

constexpr std::uint32_t ipv4(unsigned a, unsigned b, unsigned c, unsigned d) {
  return a << 24U | b << 16U | c << 8U | d;
}

// https://www.iana.org/assignments/iana-ipv4-special-registry: those that are not globally reachable, and multicast.
constexpr std::array<Ipv4Block, 16> kSpecialIpv4 = {{{ipv4(0, 0, 0, 0), 8},
                                                     {ipv4(10, 0, 0, 0), 8},
                                                     {ipv4(100, 64, 0, 0), 10},
                                                     {ipv4(127, 0, 0, 0), 8},
                                                     {ipv4(169, 254, 0, 0), 16},
                                                     {ipv4(172, 16, 0, 0), 12},
                                                     {ipv4(192, 0, 0, 0), 24},
                                                     {ipv4(192, 0, 2, 0), 24},
                                                     {ipv4(192, 88, 99, 0), 24},
                                                     {ipv4(192, 168, 0, 0), 16},
                                                     {ipv4(198, 18, 0, 0), 15},
                                                     {ipv4(198, 51, 100, 0), 24},
                                                     {ipv4(203, 0, 113, 0), 24},
                                                     {ipv4(224, 0, 0, 0), 4},
                                                     {ipv4(240, 0, 0, 0), 4},
                                                     {ipv4(255, 255, 255, 255), 32}}};

bool is_public_ipv4(std::uint32_t address) {
  return std::ranges::none_of(kSpecialIpv4, [address](const Ipv4Block& block) {
    return ((address ^ block.address) >> (32U - block.bits)) == 0;
  });
}

std::uint32_t ipv4_at(const std::array<std::uint8_t, 16>& bytes, std::size_t at) {
  return ipv4(bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]);
}

bool begins(const std::array<std::uint8_t, 16>& bytes, std::initializer_list<std::uint8_t> prefix) {
  return std::equal(prefix.begin(), prefix.end(), bytes.begin());
}

// https://www.iana.org/assignments/iana-ipv6-special-registry. Only 2000::/3 is assigned to the public internet.
bool is_public_ipv6(const std::array<std::uint8_t, 16>& bytes) {
  if (begins(bytes, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF})) return is_public_ipv4(ipv4_at(bytes, 12));
  if (begins(bytes, {0x00, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0}))
    return is_public_ipv4(ipv4_at(bytes, 12));                                // NAT64
  if (begins(bytes, {0x20, 0x02})) return is_public_ipv4(ipv4_at(bytes, 2));  // 6to4
  const bool is_assigned = (bytes[0] & 0xE0U) == 0x20;
  const bool is_protocol = begins(bytes, {0x20, 0x01}) && bytes[2] < 2;  // 2001::/23, Teredo among them
  const bool is_documentation =
      begins(bytes, {0x20, 0x01, 0x0D, 0xB8}) || (begins(bytes, {0x3F, 0xFF}) && bytes[2] < 0x10);
  return is_assigned && !is_protocol && !is_documentation;
}

}  // namespace

bool is_public_address(const sockaddr& address) {
  if (address.sa_family == AF_INET) {
    sockaddr_in in{};
    std::memcpy(&in, &address, sizeof(in));
    return is_public_ipv4(ntohl(in.sin_addr.s_addr));
  }
  if (address.sa_family == AF_INET6) {
    sockaddr_in6 in{};
    std::memcpy(&in, &address, sizeof(in));
    std::array<std::uint8_t, 16> bytes{};
    std::memcpy(bytes.data(), &in.sin6_addr, bytes.size());
    return is_public_ipv6(bytes);
  }
  return false;
}

}  // namespace crawler
