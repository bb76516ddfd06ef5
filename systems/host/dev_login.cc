#include "systems/host/dev_login.h"

#include <algorithm>

namespace tavola::systems {

void DevLogin::served_at(std::span<const std::string> urls) {
  std::vector<std::string> origins;
  for (const std::string& url : urls) {
    origins.push_back(url);
    // Browsers know this machine by several names.
    const std::size_t host = url.find("://") + 3;
    const std::string port = url.substr(std::min(url.rfind(':'), url.size()));
    for (const char* const name : {"localhost", "127.0.0.1", "[::1]"})
      origins.push_back(url.substr(0, host) + name + port);
  }
  issuer_->allow(std::move(origins));
}

}  // namespace tavola::systems
