// The clients of the server: one per IPv4 address and per IPv6 /64, regardless of ports.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "base/locks.h"
#include "http/bytes/byte_budget.h"

namespace tavola::http {

// The state shared by all connections from one address. A client may hold half of what all clients may hold together,
// so that one address cannot keep the others out.
struct Client {
  Client(const ByteBudget& of_all, const ByteBudget& of_unverified)
      : budget(of_all.bytes_max() / 2), unverified(of_unverified.bytes_max() / 2) {}

  ByteBudget budget;
  ByteBudget unverified;
};

// "127.0.0.1:51234", "[::1]:51234" without the port; "unix" unchanged.
std::string_view address_of(std::string_view peer);

// Thread safety: all methods.
class Clients {
 public:
  // The budgets must outlive it.
  Clients(const ByteBudget& of_all, const ByteBudget& of_unverified)
      : of_all_(of_all), of_unverified_(of_unverified) {}

  // Returns the client of an address. It is forgotten with its last connection.
  std::shared_ptr<Client> at(std::string_view address);

 private:
  const ByteBudget& of_all_;
  const ByteBudget& of_unverified_;
  Mutex mutex_;
  std::map<std::string, std::weak_ptr<Client>, std::less<>> clients_ TAVOLA_GUARDED_BY(mutex_);
  std::size_t size_to_tidy_ TAVOLA_GUARDED_BY(mutex_) = 64;  // forgotten clients are removed at this number
};

}  // namespace tavola::http
