// Which network addresses a crawler may connect to: those of the public internet, and no others unless they are allowed. A page, a
// redirect or a name server could otherwise make it read services of the machine and its network.
#pragma once

struct sockaddr;

namespace crawler {

// Returns whether an address of IPv4 or IPv6 is routed on the public internet, by IANA's registries of special-purpose addresses
// (RFC 6890 and its updates). Addresses of IPv6 that stand for one of IPv4 are judged by that one.
bool is_public_address(const sockaddr& address);

}  // namespace crawler
