// AWS's message about members of a request that break the constraints of their types, all of them at once:
//
//   2 validation errors detected: Value '-1' at 'limit' failed to satisfy constraint: Member must have value greater
//   than or equal to 1; Value 'MOST' at 'select' failed to satisfy constraint: Member must satisfy enum value set: […]
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tavola/error.h>

#include "base/enum_names.h"

namespace tavola {

class Constraints {
 public:
  // "Value 'x' at 'member' failed to satisfy constraint: Member must " + rule
  void add_broken(std::string_view value, std::string_view member, std::string_view rule);
  // As above, but with `otherwise` if no member is missing: AWS has two sentences for some.
  void add_broken(std::string_view value, std::string_view member, std::string_view rule,
                  std::string_view otherwise);
  // "Value at 'Member' failed to satisfy constraint: Member must " + rule
  void add_broken(std::string_view member, std::string_view rule);
  // "Value 'x' at 'member' failed to satisfy constraint: Map " + rule
  void add_broken_map(std::string_view value, std::string_view member, std::string_view rule);
  // "Value 'x' at 'member' failed to satisfy constraint: Valid ARN format is …"
  void add_broken_arn(std::string_view value, std::string_view member);
  // "Value null at 'member' failed to satisfy constraint: Member must not be null"
  void add_missing(std::string_view member);

  bool empty() const { return broken_.empty(); }  // no constraint was broken
  bool has_missing() const { return has_missing_; }

  // A missing value breaks no constraint.
  void check_at_least(std::int64_t least, std::optional<std::int64_t> value, std::string_view member);
  void check_at_most(std::int64_t most, std::optional<std::int64_t> value, std::string_view member);
  // A C++ caller can pass a number that the enum does not have.
  template <class E>
  void check_enum(E value, std::string_view member) {
    if (find_enum_name(value)) return;
    add_broken(std::to_string(std::to_underlying(value)), member,
               "satisfy enum value set: " + listed_enum_names<E>());
  }
  template <class E>
  void check_enum(const std::optional<E>& value, std::string_view member) {
    if (value) check_enum(*value, member);
  }

  // Fails if a constraint was broken.
  Result<void> check() const;

 private:
  // `value` as printed, with its quotes and the blank before it.
  void add(std::string_view value, std::string_view member, std::string_view whose, std::string_view rule);

  struct Broken {
    std::string words;
    std::string otherwise;  // if no member is missing; empty: as `rule`
  };
  std::vector<Broken> broken_;
  bool has_missing_ = false;
};

// Shortens a part of a request for a message, to this many bytes and whole characters: it may be megabytes long and
// break several rules.
std::string shortened(std::string_view text, std::size_t bytes_max);

// The message for one broken constraint.
Error broken_constraint(std::string_view value, std::string_view member, std::string_view rule);
// The message where AWS names only the member, as the request spells it:
// "1 validation error detected: Value at 'TableName' failed to satisfy constraint: Member must " + rule
Error broken_constraint(std::string_view member, std::string_view rule);

}  // namespace tavola
