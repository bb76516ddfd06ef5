// A database whose clients get in each other's way, in one deliberate manner: the history checker must find each.
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
  LostUpdate,     // a condition on a single item is looked at, and what it allows is done a moment later
  HalfVisible,    // the first action of a transaction is seen a moment before the others
  FracturedRead,  // the items of a TransactGetItems are read one after the other
  UncheckedSkew,  // the checks of a transaction are done a moment before its writes
  StaleRead,      // some consistent reads return what an earlier one saw
  DroppedWrite,   // some writes are acknowledged, not done
  RefusedWrite,   // some writes are refused, but done
  AppliedTwice,   // some writes are done twice
  TokenIgnored,   // a transaction is done again when its token is seen again
};

struct NamedFlaw {
  std::string_view name;
  Flaw flaw;
};
std::span<const NamedFlaw> all_flaws();
std::optional<Flaw> flaw_of(std::string_view name);

// `sound` must outlive what is returned.
std::unique_ptr<Database> with_flaw(Database& sound, Flaw flaw);

}  // namespace tavola::history
