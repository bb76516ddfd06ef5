// Reads the structures of a request, and reports its problems in AWS's order:
//
//   1. a member of the wrong JSON type             SerializationException, the first one
//   2. members that break the model's constraints  ValidationException, up to ten in one message, except the few
//                                                  that AWS reports alone, before the others
//   3. an attribute value that cannot be           ValidationException, the first one
//
// So reading never fails: each operation reads all its members, Problems records their faults, and Problems::check()
// reports them.
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
#include "value/limits.h"
#include "wire/codec/json.h"

namespace tavola::wire {

// AWS checks attribute values in one of two layers, which word some refusals differently; in some operations the newer
// layer's message starts with "1 validation error detected: " (paritysuite/dynamodb-conformance, valueLayers).
enum class ValueLayer : std::uint8_t {
  Older,          // BatchWriteItem, Scan, transactions
  Newer,          // GetItem, BatchGetItem, Query
  NewerPrefixed,  // PutItem, UpdateItem, DeleteItem
};

// Whether AWS also reports further constraints.
enum class Reported : std::uint8_t { WithOthers, Alone };

class Problems {
 public:
  explicit Problems(ValueLayer layer = ValueLayer::Older) : layer_(layer) {}
  bool has_newer_layer() const { return layer_ != ValueLayer::Older; }

  void wrong_type(std::string message);
  void report_alone(Error error);
  // An empty TableName is reported alone unless members are missing: then it is one of the constraints.
  void empty_table();
  // An invalid ReturnValues has its own message on AWS unless members are missing.
  void bad_return_values(std::string_view given, Reported reported);
  Constraints& constraints() { return constraints_; }
  void bad_value(Error error);
  void bad_content(Error error);  // reported without its frame where the frame says so

  // The text around a bad value, while the map that contains it is read.
  struct Frame {
    std::string_view before;
    bool names_key = false;       // " for key :v" after it
    bool leaves_content = false;  // an invalid number or set is reported without the frame
    std::string_view key{};
  };
  void set_frame(std::optional<Frame> frame) { frame_ = frame; }
  void set_key(std::string_view key) {
    if (frame_) frame_->key = key;
  }

  // For an attribute without a name in a transaction, AWS reports "Empty attribute name".
  void set_transaction() { is_transaction_ = true; }
  bool is_transaction() const { return is_transaction_; }

  Result<void> check() const;

 private:
  ValueLayer layer_;
  bool is_transaction_ = false;
  std::optional<Frame> frame_;
  std::optional<Error> wrong_type_;
  std::optional<Error> reported_alone_;
  bool has_empty_table_ = false;
  bool reports_return_values_alone_ = false;
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

// Maximum elements of a list or a map in a request: reading costs many times the text. No item has more attributes,
// each of which takes at least two bytes, and nothing else needs as many.
inline constexpr std::size_t kElementsMax = limits::kItemBytesMax / 2;

class Fields {
 public:
  // `path` is the structure's position in the request, as constraints name it: "keySchema.1.member".
  Fields(JsonValue object, Problems& problems, std::string path = {})
      : object_(object), problems_(problems), path_(std::move(path)) {}

  // Returns the member; nullopt if it is absent or null, which is recorded as a problem if it is required.
  std::optional<JsonValue> find(std::string_view name, Presence presence = Presence::Optional) const;
  bool has(std::string_view name) const { return find(name).has_value(); }

  std::optional<std::string> text(std::string_view name, Presence presence = Presence::Optional) const;
  // Empty text means "not given" in requests; an expression that is given and empty becomes a blank, which the
  // expression engine refuses in its turn among the other checks.
  std::string expression(std::string_view name) const;
  std::optional<bool> boolean(std::string_view name) const;
  std::optional<std::int64_t> integer(std::string_view name, std::string_view java_type, Range range = {},
                                      Presence presence = Presence::Optional) const;
  std::optional<std::vector<std::string>> texts(std::string_view name) const;  // a list of strings

  // Returns the enum's value by its name in the table EnumNames<E>.
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

  // Reads the name of a table or an index.
  std::optional<std::string> name(std::string_view member, Presence presence = Presence::Optional) const;
  // Reads the member TableName: a name, or an ARN, whose table name is returned.
  std::string table_name() const;
  // TableName of CreateTable, DescribeTable, UpdateTable and DeleteTable, for which AWS has another message if it is
  // missing.
  std::string managed_table_name() const;

  // Read a structure, a list of structures and a map of structures inside this one. `type` is AWS's name of the
  // structure. The last of equal names in a map counts.
  std::optional<Fields> structure(std::string_view name, std::string_view type,
                                  Presence presence = Presence::Optional) const;
  std::optional<std::vector<Fields>> structures(std::string_view name, std::string_view type,
                                                Presence presence = Presence::Optional) const;
  std::optional<std::vector<std::pair<std::string, Fields>>> structure_map(std::string_view name,
                                                                           std::string_view type) const;
  // Returns a map whose values the caller reads; nullopt if it is absent or not a map.
  std::optional<JsonValue> map(std::string_view name, std::string_view value_type,
                               Presence presence = Presence::Optional) const;
  std::optional<std::vector<JsonValue>> list(std::string_view name,
                                             Presence presence = Presence::Optional) const;

  std::string path_of(std::string_view name) const;
  Problems& problems() const { return problems_; }
  // Returns this structure with another collector of problems.
  Fields with(Problems& problems) const { return {object_, problems, path_}; }

 private:
  // Returns the table that TableName names.
  std::string resolved_table(const std::string& given) const;

  JsonValue object_;
  Problems& problems_;
  std::string path_;
};

// Returns the text of a member; nullopt, and a problem, if it is not a text.
std::optional<std::string> text_of(JsonValue value, Problems& problems);
std::optional<bool> boolean_of(JsonValue value, Problems& problems);
// Checks that a structure is an object.
bool is_structure(JsonValue value, std::string_view type, Problems& problems);
// Returns the list at `path`.
std::optional<std::vector<JsonValue>> list_of(JsonValue value, std::string_view path, Problems& problems);

// Returns the table's name in "arn:aws:dynamodb:<region>:<account>:table/<name>"; the text itself if it is not a
// table's ARN.
std::string_view table_in_arn(std::string_view name_or_arn);

// DECIMAL_VALUE, TRUE_VALUE, …: the name of a JSON value of the wrong type in messages.
std::string_view token_name(JsonValue value);

// Returns "TableName" as constraints spell it: "tableName".
std::string lower_first(std::string_view name);

}  // namespace tavola::wire
