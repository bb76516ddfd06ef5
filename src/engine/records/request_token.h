// The client request token of a transaction: the record that makes a repeated request happen once.
//
//   <fingerprint of the request: 16 bytes> <done at, milliseconds since 1970: u64>
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <tavola/requests.h>

#include "base/clock.h"

namespace tavola::engine {

// Equal for equal actions, different for different ones (128 bits of XXH3).
std::string fingerprint_of(const TransactWriteItemsRequest& request);

struct TokenRecord {
  std::string fingerprint;
  WallTime done_at;
};
std::string encode_token(const TokenRecord& record);
Result<TokenRecord> decode_token(std::string_view bytes);

}  // namespace tavola::engine
