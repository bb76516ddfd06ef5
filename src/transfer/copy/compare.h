// Compares two tables, item by item.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "transfer/copy/table_copy.h"

namespace tavola::transfer {

struct Difference {
  enum class Kind : std::uint8_t { OnlyInFrom, OnlyInTo, Differs };
  Kind kind = Kind::Differs;
  std::string key{};
  std::vector<std::string> attributes{};  // the different ones
};

struct Comparison {
  std::uint64_t same = 0;
  std::uint64_t differ = 0;
  std::uint64_t only_in_from = 0;
  std::uint64_t only_in_to = 0;
  std::vector<Difference> samples{};
  bool is_same() const { return differ + only_in_from + only_in_to == 0; }
};

// Looks for every item of one side on the other, and the other way around only if the other side has more. If tables
// are written concurrently, some differences are transient.
Result<Comparison> compare_tables(const Side& from, const Side& to, const TableDescription& table,
                                  const CopyOptions& options);

}  // namespace tavola::transfer
