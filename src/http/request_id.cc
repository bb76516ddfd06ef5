#include "http/request_id.h"

#include <cstddef>
#include <string_view>

namespace tavola::http {

std::string RequestIds::next() {
  constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ012345";
  constexpr std::size_t kLength = 52;
  std::uint64_t first = run_;
  std::uint64_t second = count_.fetch_add(1, std::memory_order_relaxed) + run_ / 3;
  std::string id;
  id.reserve(kLength);
  for (std::size_t i = 0; i < kLength; ++i) {
    std::uint64_t& source = i % 2 == 0 ? first : second;
    id.push_back(kLetters[source >> 59]);
    source = source * 0x9E3779B97F4A7C15 + 1;
  }
  return id;
}

}  // namespace tavola::http
