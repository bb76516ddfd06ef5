// A condition taken apart into reads by key: WHERE h = 'a' AND (r < 3 OR r = 7) AND x = 1 is two ranges of one partition, each
// with a filter.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tavola/error.h>
#include <tavola/requests.h>

#include "partiql/slots.h"

namespace tavola::partiql {

// The key of a table or an index; one hash attribute, and a range attribute where it has one.
struct Key {
  std::string hash;
  Type hash_type = Type::String;
  std::string range{};  // empty: none
  Type range_type = Type::String;
  bool has(std::string_view attribute) const {
    return attribute == hash || (!range.empty() && attribute == range);
  }
};

// The condition on the range attribute that DynamoDB takes for a key.
struct RangeTerm {
  enum class Op : std::uint8_t { Equal, Less, LessEqual, Greater, GreaterEqual, Between, BeginsWith };
  Op op = Op::Equal;
  ast::Operand first;
  ast::Operand second;  // of Between
};

// What lies between two values of the range attribute.
struct Interval {
  struct End {
    std::string bytes;  // in the order of keys
    bool open = false;  // itself not in it
    ast::Operand value{};
    bool is_prefix = false;  // of begins_with: `bytes` is behind all that begin so, and `value` no bound
  };
  std::optional<End> low{};
  std::optional<End> high{};
  bool empty() const;
};

struct KeyRead {
  ast::Operand hash;                 // a value
  std::optional<RangeTerm> range{};  // of the key condition
  Interval interval{};               // of the range attribute, by all conditions
  std::vector<ast::Node> filter{};   // on attributes that are no key
  std::vector<ast::Node>
      remaining{};  // what looks at the key, and is no key condition: for the items that were read
};

// Nothing when some item may be found without its hash key being given: then the table must be scanned. Otherwise the reads, in
// the order of the statement, none of which finds an item that another finds. Fails when a value has not its key's type, when
// conditions overlap, and when there are more than AWS allows.
Result<std::optional<std::vector<KeyRead>>> key_reads(const ast::Node& where, const Key& key, Slots& slots);

// The range attribute's condition as the engine has it.
ast::Node range_node(const RangeTerm& term, const Key& key, Slots& slots);

// The value of a key in the order of keys. Requires S, N or B.
std::string ordered_bytes(const Value& value);

inline constexpr std::size_t kKeyReadsMax = 50;

}  // namespace tavola::partiql
