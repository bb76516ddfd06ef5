// Splits a condition into reads by key: WHERE h = 'a' AND (r < 3 OR r = 7) AND x = 1 becomes two ranges of one
// partition, each with a filter.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tavola/error.h>
#include <tavola/requests.h>

#include "partiql/slots.h"

namespace tavola::partiql {

// The key of a table or an index: one partition key attribute, and a sort key attribute if it has one.
struct Key {
  std::string hash;
  Type hash_type = Type::String;
  std::string range{};  // empty: none
  Type range_type = Type::String;
  bool has(std::string_view attribute) const {
    return attribute == hash || (!range.empty() && attribute == range);
  }
};

// The key condition on the sort key.
struct RangeTerm {
  enum class Op : std::uint8_t { Equal, Less, LessEqual, Greater, GreaterEqual, Between, BeginsWith };
  Op op = Op::Equal;
  ast::Operand first;
  ast::Operand second;  // for Between
};

// A range of values of the sort key.
struct Interval {
  struct End {
    std::string bytes;  // in the order of keys
    bool open = false;  // exclusive
    ast::Operand value{};
    bool is_prefix =
        false;  // begins_with: `bytes` is after all values with the prefix, and `value` is not a bound
  };
  std::optional<End> low{};
  std::optional<End> high{};
  bool empty() const;
};

struct KeyRead {
  ast::Operand hash;                 // a value
  std::optional<RangeTerm> range{};  // part of the key condition
  Interval interval{};               // of the sort key, by all conditions
  std::vector<ast::Node> filter{};   // on attributes that are not keys
  std::vector<ast::Node>
      remaining{};  // conditions on the key that are not key conditions: applied to the items read
};

// Returns nullopt if an item may match without its partition key being given: then the table must be scanned. Otherwise
// returns the reads, in the order of the statement; no two of them find the same item. Fails if a value does not have
// its key's type, if conditions overlap, and if there are more reads than AWS allows.
Result<std::optional<std::vector<KeyRead>>> key_reads(const ast::Node& where, const Key& key, Slots& slots);

// Returns the sort key's condition as a tree of the expression engine.
ast::Node range_node(const RangeTerm& term, const Key& key, Slots& slots);

// Returns the value of a key as bytes in key order. Requires S, N or B.
std::string ordered_bytes(const Value& value);

inline constexpr std::size_t kKeyReadsMax = 50;

}  // namespace tavola::partiql
