// The ids in x-amzn-RequestId: as long as AWS's, 52 letters and digits.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "base/random.h"

namespace tavola::http {

// Thread safety: all methods.
class RequestIds {
 public:
  // Starts with random digits, so that the ids differ from those of other runs and servers.
  explicit RequestIds(Random& random = Random::system()) : run_(random.next()) {}

  std::string next();

 private:
  const std::uint64_t run_;
  std::atomic<std::uint64_t> count_ = 0;
};

}  // namespace tavola::http
