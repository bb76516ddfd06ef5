// A database whose clients interfere in one deliberate way: the history checker must find each.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include <tavola/database.h>

namespace tavola::history {

enum class Flaw : std::uint8_t {
  None,
  LostUpdate,     // a condition on a single item is checked, and the write happens shortly afterwards
  HalfVisible,    // the first action of a transaction is visible shortly before the others
  FracturedRead,  // the items of a TransactGetItems are read one after the other
  UncheckedSkew,  // the checks of a transaction happen shortly before its writes
  StaleRead,      // some consistent reads return the result of an earlier one
  DroppedWrite,   // some writes are acknowledged, but not performed
  RefusedWrite,   // some writes are refused, but performed
  AppliedTwice,   // some writes are performed twice
  TokenIgnored,   // a transaction is performed again when its token is repeated
};

struct NamedFlaw {
  std::string_view name;
  Flaw flaw;
};
std::span<const NamedFlaw> all_flaws();
std::optional<Flaw> flaw_of(std::string_view name);

// `sound` must outlive the result.
std::unique_ptr<Database> with_flaw(Database& sound, Flaw flaw);

}  // namespace tavola::history
