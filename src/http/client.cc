#include "http/client.h"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <cstdint>
#include <iterator>
#include <netinet/in.h>
#include <utility>

namespace tavola::http {
namespace {

// Returns the name of the client at an address. A machine has all addresses of an IPv6 network of 64 bits
// ("2001:db8::/64"); an IPv4 address in IPv6 form is one machine.
std::string name_of(std::string_view address) {
  if (!address.starts_with('[') || !address.ends_with(']')) return std::string(address);
  std::string text(address.substr(1, address.size() - 2));
  text.resize(std::min(text.find('%'), text.size()));
  in6_addr parsed{};
  if (inet_pton(AF_INET6, text.c_str(), &parsed) != 1 || IN6_IS_ADDR_V4MAPPED(&parsed))
    return std::string(address);
  std::fill(std::begin(parsed.s6_addr) + 8, std::end(parsed.s6_addr), std::uint8_t{0});
  std::array<char, INET6_ADDRSTRLEN> out{};
  if (inet_ntop(AF_INET6, &parsed, out.data(), out.size()) == nullptr) return std::string(address);
  return std::string(out.data()) + "/64";
}

}  // namespace

std::string_view address_of(std::string_view peer) { return peer.substr(0, peer.rfind(':')); }

std::shared_ptr<Client> Clients::at(std::string_view address) {
  std::string name = name_of(address);
  const MutexLock lock(mutex_);
  const auto place = clients_.find(name);
  if (place != clients_.end()) {
    if (auto client = place->second.lock()) return client;
  }
  auto client = std::make_shared<Client>(of_all_, of_unverified_);
  clients_.insert_or_assign(std::move(name), client);
  if (clients_.size() >= size_to_tidy_) {
    std::erase_if(clients_, [](const auto& entry) { return entry.second.expired(); });
    size_to_tidy_ = std::max<std::size_t>(64, 2 * clients_.size());
  }
  return client;
}

}  // namespace tavola::http
