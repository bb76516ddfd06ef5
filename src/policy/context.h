// The condition keys of a request, as AWS names them, which a policy's conditions may test.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tavola::policy {

enum class Key : std::uint8_t {
  CurrentTime,
  EpochTime,
  PrincipalAccount,
  PrincipalArn,
  PrincipalType,
  RequestedRegion,
  ResourceAccount,
  SecureTransport,
  SourceIp,
  UserId,
  UserName,
  Attributes,
  EnclosingOperation,
  FullTableScan,
  LeadingKeys,
  ReturnConsumedCapacity,
  ReturnValues,
  Select,
};
inline constexpr std::size_t kKeys = 18;
using KeySet = std::bitset<kKeys>;

enum class KeyType : std::uint8_t { Text, Arn, Boolean, Time, Address };

struct KeyInfo {
  std::string_view name;
  Key key;
  KeyType type;
  bool has_several_values = false;
};
// Returns null if Tavola does not support the key. Keys are case-insensitive.
const KeyInfo* find_key(std::string_view name);
const KeyInfo& info_of(Key key);
std::string all_key_names();

// The values of a request's condition keys. A key without values is absent.
class Context {
 public:
  void set(Key key, std::string value) { of(key) = {std::move(value)}; }
  void set(Key key, std::vector<std::string> values) { of(key) = std::move(values); }
  // Returns null if it is absent.
  const std::vector<std::string>* find(Key key) const {
    const std::vector<std::string>& values = values_[std::to_underlying(key)];
    return values.empty() ? nullptr : &values;
  }

 private:
  std::vector<std::string>& of(Key key) { return values_[std::to_underlying(key)]; }
  std::array<std::vector<std::string>, kKeys> values_;
};

}  // namespace tavola::policy
