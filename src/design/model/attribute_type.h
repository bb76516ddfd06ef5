// The types of fields, and what a value must be like to be one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tavola/value.h>

namespace tavola::design {

struct AttributeType {
  enum class Kind : std::uint8_t {
    String,
    Number,
    Integer,
    Boolean,
    Binary,
    Uuid,
    Ulid,
    Url,
    Email,
    Phone,
    Date,
    TimestampIso,
    TimestampMs,
    TimestampS,
    Sha256,
    Md5,
    Enum,
    List,
    Set,
    Map,
    Any,
  };
  Kind kind = Kind::String;
  std::vector<AttributeType> element;  // of List and Set: exactly one
  friend bool operator==(const AttributeType&, const AttributeType&) = default;

  bool is_timestamp() const {
    return kind == Kind::TimestampIso || kind == Kind::TimestampMs || kind == Kind::TimestampS;
  }
};

// "timestamp(epoch_ms)", "list<string>"; nothing when there is no such type.
std::optional<AttributeType> parse_type(std::string_view text);
std::string type_text(const AttributeType& type);
// Every type by the name under which it is written, for messages, schemas and "did you mean".
const std::vector<std::string>& type_names();

// DynamoDB's type of its values; nothing for Any, which has no one type.
std::optional<Type> stored_type(const AttributeType& type);

}  // namespace tavola::design
