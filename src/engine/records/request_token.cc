#include "engine/records/request_token.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "value/key_codec.h"

namespace tavola::engine {
namespace {

constexpr std::size_t kFingerprintBytes = 16;

// Every part is preceded by its length, so that no two requests give the same bytes.
class RequestBytes {
 public:
  void add(std::string_view part) {
    append_ordered_u64(bytes_, part.size());
    bytes_.append(part);
  }
  void add(const AttributeNames& names) {
    append_ordered_u64(bytes_, names.size());
    for (const auto& [placeholder, name] : names) {
      add(std::string_view(placeholder));
      add(std::string_view(name));
    }
  }
  void operator()(const ConditionCheck& action) { add_common(Kind::ConditionCheck, action, action.key); }
  void operator()(const PutItemRequest& action) { add_common(Kind::Put, action, action.item); }
  void operator()(const DeleteItemRequest& action) { add_common(Kind::Delete, action, action.key); }
  void operator()(const UpdateItemRequest& action) {
    add_common(Kind::Update, action, action.key);
    add(std::string_view(action.update_expression));
  }
  const std::string& bytes() const { return bytes_; }

 private:
  // Fingerprints are stored: a kind keeps its number.
  enum class Kind : char { ConditionCheck = 0, Put = 1, Delete = 2, Update = 3 };

  template <class Action>
  void add_common(Kind kind, const Action& action, const PackedItem& item) {
    bytes_.push_back(std::to_underlying(kind));
    add(std::string_view(action.table_name));
    add(std::string_view(action.condition_expression));
    add(action.names);
    add(std::string_view(action.values.bytes()));
    add(std::string_view(item.bytes()));
  }

  std::string bytes_;
};

}  // namespace

std::string fingerprint_of(const TransactWriteItemsRequest& request) {
  RequestBytes bytes;
  for (const TransactWrite& action : request.actions) std::visit(bytes, action);
  const XXH128_hash_t hash = XXH3_128bits(bytes.bytes().data(), bytes.bytes().size());
  std::string fingerprint;
  append_ordered_u64(fingerprint, hash.high64);
  append_ordered_u64(fingerprint, hash.low64);
  return fingerprint;
}

std::string encode_token(const TokenRecord& record) {
  std::string bytes = record.fingerprint;
  append_ordered_u64(bytes, static_cast<std::uint64_t>(record.done_at.time_since_epoch().count()));
  return bytes;
}

Result<TokenRecord> decode_token(std::string_view bytes) {
  if (bytes.size() != kFingerprintBytes + sizeof(std::uint64_t)) {
    return fail(Error::corrupt(
        "The record of a request token is damaged. Restore the data directory from a backup."));
  }
  TokenRecord record{std::string(bytes.substr(0, kFingerprintBytes)), {}};
  std::string_view rest = bytes.substr(kFingerprintBytes);
  TAVOLA_TRY(const std::uint64_t milliseconds, read_ordered_u64(rest));
  record.done_at = WallTime(std::chrono::milliseconds(milliseconds));
  return record;
}

}  // namespace tavola::engine
