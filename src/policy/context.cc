#include "policy/context.h"

#include <algorithm>
#include <iterator>

#include "base/ascii.h"

namespace tavola::policy {
namespace {

// Infos in the order of the enum.
constexpr KeyInfo kInfos[] = {
    {"aws:CurrentTime", Key::CurrentTime, KeyType::Time},
    {"aws:EpochTime", Key::EpochTime, KeyType::Time},
    {"aws:PrincipalAccount", Key::PrincipalAccount, KeyType::Text},
    {"aws:PrincipalArn", Key::PrincipalArn, KeyType::Arn},
    {"aws:PrincipalType", Key::PrincipalType, KeyType::Text},
    {"aws:RequestedRegion", Key::RequestedRegion, KeyType::Text},
    {"aws:ResourceAccount", Key::ResourceAccount, KeyType::Text},
    {"aws:SecureTransport", Key::SecureTransport, KeyType::Boolean},
    {"aws:SourceIp", Key::SourceIp, KeyType::Address},
    {"aws:userid", Key::UserId, KeyType::Text},
    {"aws:username", Key::UserName, KeyType::Text},
    {"dynamodb:Attributes", Key::Attributes, KeyType::Text, true},
    {"dynamodb:EnclosingOperation", Key::EnclosingOperation, KeyType::Text},
    {"dynamodb:FullTableScan", Key::FullTableScan, KeyType::Boolean},
    {"dynamodb:LeadingKeys", Key::LeadingKeys, KeyType::Text, true},
    {"dynamodb:ReturnConsumedCapacity", Key::ReturnConsumedCapacity, KeyType::Text},
    {"dynamodb:ReturnValues", Key::ReturnValues, KeyType::Text},
    {"dynamodb:Select", Key::Select, KeyType::Text},
};
static_assert(std::size(kInfos) == kKeys);

}  // namespace

const KeyInfo* find_key(std::string_view name) {
  const auto* const found =
      std::ranges::find_if(kInfos, [&](const KeyInfo& info) { return same_text(info.name, name); });
  return found == std::end(kInfos) ? nullptr : found;
}

const KeyInfo& info_of(Key key) { return kInfos[std::to_underlying(key)]; }

std::string all_key_names() {
  std::string names;
  for (const KeyInfo& info : kInfos) names += (names.empty() ? "" : ", ") + std::string(info.name);
  return names;
}

}  // namespace tavola::policy
