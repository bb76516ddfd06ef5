// The types of fields, and the values that each accepts.
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
  std::vector<AttributeType> element;  // of List and Set: exactly one element type
  std::uint8_t digits = 0;             // TimestampIso: of the second; Number: after the point, 0 for any
  // In String: the names of hosts, and the codes of countries (ISO 3166-1), are checked and stored in one form.
  enum class Text : std::uint8_t { Any, Domain, Country } text = Text::Any;
  friend bool operator==(const AttributeType&, const AttributeType&) = default;

  bool is_timestamp() const {
    return kind == Kind::TimestampIso || kind == Kind::TimestampMs || kind == Kind::TimestampS;
  }
};

// Parses "timestamp(epoch_ms)", "list<string>"; returns nullopt if there is no such type.
std::optional<AttributeType> parse_type(std::string_view text);
std::string type_text(const AttributeType& type);
// Returns the written names of all types, for messages, schemas and "did you mean".
const std::vector<std::string>& type_names();

// Returns DynamoDB's type of its values; nullopt for Any, which has no single type.
std::optional<Type> stored_type(const AttributeType& type);

}  // namespace tavola::design
