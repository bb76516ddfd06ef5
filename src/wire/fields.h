// Reading the structures of a request, and telling what is wrong with it in AWS's order:
//
//   1. a member of the wrong JSON type             SerializationException, the first one
//   2. members that break the model's constraints  ValidationException, up to ten in one message
//   3. an attribute value that cannot be           ValidationException, the first one
//
// So nothing fails while a request is read: each operation reads all its members, with Problems remembering what it saw,
// and then asks Problems::check().
//
//   Fields in(body, problems);
//   request.table_name = in.table_name("TableName");
//   request.limit = in.integer("Limit", kInteger, {.least = 1});
//   TAVOLA_CHECK(problems.check());
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tavola/error.h>

#include "database/constraints.h"
#include "database/enum_names.h"
#include "wire/json.h"

namespace tavola::wire {

class Problems {
 public:
  void wrong_type(std::string message);
  Constraints& constraints() { return constraints_; }
  void bad_value(Error error);
  void bad_number(Error error);  // told without its frame where the frame says so

  // What is said around a bad value, while the map it stands in is read.
  struct Frame {
    std::string_view before;
    bool tells_key = false;       // " for key :v" after it
    bool leaves_numbers = false;  // what is no number is told bare
    std::string_view key{};
  };
  void set_frame(std::optional<Frame> frame) { frame_ = frame; }
  void set_key(std::string_view key) {
    if (frame_) frame_->key = key;
  }

  Result<void> check() const;

 private:
  std::optional<Frame> frame_;
  std::optional<Error> wrong_type_;
  Constraints constraints_;
  std::optional<Error> bad_value_;
};

struct Range {
  std::int64_t least = std::numeric_limits<std::int64_t>::min();
  std::int64_t most = std::numeric_limits<std::int64_t>::max();
};

enum class Presence : std::uint8_t { Optional, Required };

// Java's names of the model's number types, which appear in messages.
inline constexpr std::string_view kInteger = "Integer";
inline constexpr std::string_view kLong = "Long";

class Fields {
 public:
  // `path` is where the structure stands in the request, as constraints name it: "keySchema.1.member".
  Fields(JsonValue object, Problems& problems, std::string path = {})
      : object_(object), problems_(problems), path_(std::move(path)) {}

  // The member; nothing when it is absent or null, which is remembered as a problem when it is required.
  std::optional<JsonValue> find(std::string_view name, Presence presence = Presence::Optional) const;
  bool has(std::string_view name) const { return find(name).has_value(); }

  std::optional<std::string> text(std::string_view name, Presence presence = Presence::Optional) const;
  // Empty text means "not given" in requests; an expression that is given and empty becomes a blank, which the
  // expression engine refuses in its place among the other checks.
  std::string expression(std::string_view name) const;
  std::optional<bool> boolean(std::string_view name) const;
  std::optional<std::int64_t> integer(std::string_view name, std::string_view java_type, Range range = {},
                                      Presence presence = Presence::Optional) const;
  std::optional<std::vector<std::string>> texts(std::string_view name) const;  // a list of strings

  // The enum's value by its name, of which there is a table: EnumNames<E>.
  template <class E>
  std::optional<E> one_of(std::string_view name, Presence presence = Presence::Optional) const {
    const std::optional<std::string> given = text(name, presence);
    if (!given) return std::nullopt;
    const std::optional<E> value = find_enum<E>(*given);
    if (!value) {
      problems_.constraints().add_broken(*given, path_of(name),
                                         "satisfy enum value set: " + listed_enum_names<E>());
    }
    return value;
  }

  // A table's name, or its ARN, whose name it then is.
  std::string table_name(std::string_view name) const;
  std::string index_name(std::string_view name, Presence presence = Presence::Optional) const;

  // A structure, a list of structures and a map of structures inside this one. `type` is AWS's name of the structure.
  std::optional<Fields> structure(std::string_view name, std::string_view type,
                                  Presence presence = Presence::Optional) const;
  std::optional<std::vector<Fields>> structures(std::string_view name, std::string_view type,
                                                Presence presence = Presence::Optional) const;
  std::optional<std::vector<std::pair<std::string, Fields>>> structure_map(std::string_view name,
                                                                           std::string_view type) const;
  // A map whose values are read by the caller; nothing when it is absent or no map.
  std::optional<std::vector<std::pair<std::string_view, JsonValue>>> map(
      std::string_view name, std::string_view value_type, Presence presence = Presence::Optional) const;
  std::optional<std::vector<JsonValue>> list(std::string_view name,
                                             Presence presence = Presence::Optional) const;

  std::string path_of(std::string_view name) const;
  Problems& problems() const { return problems_; }

 private:
  void check_name(std::string_view text, std::string_view member, std::size_t least) const;

  JsonValue object_;
  Problems& problems_;
  std::string path_;
};

// The text that a member must be; nothing, and a problem, when it is not.
std::optional<std::string> text_of(JsonValue value, Problems& problems);
std::optional<bool> boolean_of(JsonValue value, Problems& problems);
// The object that a structure must be.
bool is_structure(JsonValue value, std::string_view type, Problems& problems);

// The table's name in "arn:aws:dynamodb:<region>:<account>:table/<name>"; the text itself when it is no table's ARN.
std::string_view table_in_arn(std::string_view name_or_arn);

// Whether a text is what a table or an index may be called.
bool is_table_name(std::string_view text);

// "2.0", "TRUE": how messages call a JSON value of the wrong type.
std::string_view token_name(JsonValue value);

// "TableName" as constraints call it: "tableName".
std::string lower_first(std::string_view name);

}  // namespace tavola::wire
